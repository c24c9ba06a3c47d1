/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever sets an MTU, takes a link down or gives addresses: ip, ifconfig, nmcli, networkctl. */
#include <ctype.h>
#include <string.h>

#include "explain/tool.h"

static void take_mtu(struct answer *a, const char *value)
{
	int64_t mtu;

	answer_offer(a, "mtu", value);
	if (tool_number(value, &mtu) && mtu >= 68 && mtu < 4192)
		answer_beware(a, "MTU %lld gives less than RoCE MTU 4096, which takes 4192 on most "
				 "drivers", (long long)mtu);
}

#define LINK_STATE_KEY "link.state"
static void take_up(struct answer *a, const char *value)
{
	(void)value;
	answer_offer(a, LINK_STATE_KEY, "up");
	answer_no_policy(a, "link.state is verified, and not set");
}

static const struct fact link_set[] = {
	{ "mtu", "BYTES", .does = "MTU of the interface", .effect = &effect_mtu, .take = take_mtu },
	{ "dev", .value = "IFNAME" },
	{ "up", .does = "brings the interface up", .effect = &effect_netdev, .take = take_up },
	{ "down", .does = "takes the interface down", .effect = &effect_link },
	{ "vf", "N", .does = "a virtual function, from the host's side" },
	{ "master", "IFNAME", .does = "puts it into a bond or bridge",
	  .effect = &effect_link, .beware = "ice refuses DCB in a bond: configure it before" },
	{ "nomaster", .does = "takes it out of a bond or bridge", .effect = &effect_link },
	{ "name", "IFNAME", .does = "renames it", .effect = &effect_rename },
	{ "netns", "NAME", .does = "moves it to another network namespace",
	  .beware = "the kernel's DSCP entries are dropped on the way, the hardware keeps them" },
	{ "txqueuelen", "PACKETS", .does = "length of the software queue, which RDMA does not use" },
	{ "promisc", .value = "on|off" }, { "multicast", .value = "on|off" }, { "allmulticast", .value = "on|off" },
	{ "arp", .value = "on|off" },
	{ "address", .value = "MAC" }, { "alias", .value = "NAME" }, { "mac", .value = "MAC" },
	{ "vlan", .value = "ID" }, { "qos", .value = "PRIO" }, { "rate", .value = "MBIT" },
	{ "trust", .value = "on|off" }, { "spoofchk", .value = "on|off" }, { "state", .value = "auto|enable|disable" },
	{ "node_guid", .value = "GUID" },
	{ "port_guid", .value = "GUID" }, { "max_tx_rate", .value = "MBIT" }, { "min_tx_rate", .value = "MBIT" },
	{ "group", .value = "GROUP" },
	{ "type", "TYPE", .does = "type of the interface", .beware = "priorities of a VLAN's packets: egress-qos-map" },
	{ "egress-qos-map", "MAP…", .does = "priority of packets to PCP of the VLAN's tag" },
	{ "ingress-qos-map", "MAP…", .does = "PCP of the VLAN's tag to priority" },
	{ 0 },
};
static const struct fact link_add[] = {
	{ "mtu", "BYTES", .does = "MTU of the new interface", .effect = &effect_mtu, .take = take_mtu },
	{ "link", .value = "IFNAME" }, { "name", .value = "IFNAME" }, { "dev", .value = "IFNAME" },
	{ "type", "TYPE", .does = "type of the new interface" },
	{ "id", .value = "VLAN" }, { "address", .value = "MAC" }, { "mode", .value = "MODE" },
	{ "txqueuelen", .value = "PACKETS" }, { "peer", .value = "IFNAME" },
	{ "egress-qos-map", "MAP…", .does = "priority of packets to PCP of the VLAN's tag" },
	{ 0 },
};

static const struct form forms[] = {
	{ "link set", 1, { 0 }, link_set },
	{ "link show", 9, { .does = "shows interfaces" }, NULL },
	{ "link add", 1, { .does = "makes an interface", .effect = &effect_netdev }, link_add },
	{ "link delete", 9, { .does = "removes an interface", .effect = &effect_link }, NULL },
	{ "link", 9, { .does = "shows interfaces" }, NULL },
	{ "address", 9, { .does = "addresses; each gives RoCE a GID, so indices of others may move",
			  .beware = "a GID index is never to be relied on" }, NULL },
	{ "route", 9, { .does = "routes; RDMA CM asks them for the way of a connection" }, NULL },
	{ "rule", 9, { .does = "routing rules, for several ports in one subnet" }, NULL },
	{ "neighbour", 9, { .does = "ARP and neighbour entries; RDMA CM needs one for each peer" }, NULL },
	{ "netns", 9, { .does = "network namespaces" }, NULL },
	{ 0 },
};

/* What stands behind the object, "ip addr add": shown where it is left out; all that is no reading word writes. */
static bool is_written(const struct answer *a, const struct tool *t)
{
	static const char *const reading[] = { "show", "list", "lst", "get", "save", "identify", "pids", "monitor", "help" };
	size_t i = tool_first(a, t) + 1;
	const char *verb = i < a->command->n ? a->command->word[i] : "";

	for (size_t k = 0; k < sizeof(reading) / sizeof(reading[0]); k++)
		if (!strncmp(reading[k], verb, strlen(verb)))
			return false;
	return isalpha((unsigned char)*verb);
}

static void ip(struct answer *a, const struct tool *t)
{
	size_t first = tool_first(a, t);

	tool_forms(a, t);
	if (first < a->command->n && a->command->word[first][0] != 'l' && !a->writes && !a->wrong.n && is_written(a, t))
		answer_effect(a, &effect_netdev);
	a->device = answer_arg(a, "dev") ? answer_arg(a, "dev") : a->rest.n ? a->rest.at[0] : NULL;
}

static const struct fact ifconfig_words[] = {
	{ "mtu", "BYTES", .does = "MTU of the interface", .effect = &effect_mtu, .take = take_mtu },
	{ "up", .does = "brings the interface up", .effect = &effect_netdev, .take = take_up },
	{ "down", .does = "takes the interface down", .effect = &effect_link },
	{ "netmask", .value = "MASK" }, { "broadcast", .value = "ADDRESS" }, { "txqueuelen", .value = "PACKETS" },
	{ "hw", .value = "CLASS" }, { .name = "promisc" },
	{ "-a", .does = "shows all interfaces" },
	{ 0 },
};

static void ifconfig(struct answer *a, const struct tool *t)
{
	(void)t;
	tool_keywords(a, ifconfig_words, 1, 2);
	a->device = a->rest.n ? a->rest.at[0] : NULL;
	tool_tell(a);
}

static const char *after(const struct answer *a, const char *word)
{
	for (size_t i = 1; i + 1 < a->command->n; i++)
		if (!strcmp(a->command->word[i], word))
			return a->command->word[i + 1];
	return NULL;
}

static void nmcli(struct answer *a, const struct tool *t)
{
	static const char *const spellings[] = { "802-3-ethernet.mtu", "ethernet.mtu", "mtu", "infiniband.mtu" };
	static const char *const verbs[] = { "mod", "modify", "add", "up", "down", "delete" };

	(void)t;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		a->writes = a->writes || after(a, verbs[i]);
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		if (after(a, spellings[i])) {
			answer_does(a, "MTU in a connection profile: used when the connection comes up, again at each "
				       "reconnect");
			answer_effect(a, &effect_mtu);
			take_mtu(a, after(a, spellings[i]));
			answer_beware(a, "one owner of the MTU is enough: what comes later wins");
			return;
		}
	answer_does(a, "shows or changes connection profiles of NetworkManager");
}

const struct tool tools_ip[] = {
	{ .names = "ip", .is = "of iproute2, over rtnetlink", .explain = ip, .forms = forms,
	  .flags = "-n -netns -f -family -b -batch -l -loops -rc -rcvbuf",
	  .no_policy = "mtu is what rdmactl sets over rtnetlink" },
	{ .names = "ifconfig", .is = "of net-tools, which iproute2 replaced", .explain = ifconfig,
	  .no_policy = "mtu is what rdmactl sets of an interface" },
	{ .names = "nmcli", .is = "of NetworkManager", .explain = nmcli,
	  .no_policy = "profiles are NetworkManager's own" },
	{ 0 },
};
