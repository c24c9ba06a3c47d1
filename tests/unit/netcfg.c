/* SPDX-License-Identifier: Apache-2.0 */
/* Who sets the MTU of a netdev at its next coming up: precedence between files and programs, and hostile files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "root.h"

#include "boot/netcfg.h"
#include "kernel/dump.h"

#define NETWORKD "run/systemd/netif/links/99", ""
#define MAC "b8:ce:f6:00:00:01"

struct files {
	const char *path, *text;
};

static const struct netcfg_link nic = { .ifname = "nic0", .ifindex = 7, .kind = "", .driver = "mlx5_core" };
static const struct netcfg_link bond = { .ifname = "bond0", .ifindex = 8, .kind = "bond", .driver = "" };
static const struct netcfg_link ib = { .ifname = "ib0", .ifindex = 9, .kind = "", .driver = "mlx5_core", .infiniband = true };

static struct netcfg_answer asked(struct root *r, const struct netcfg_link *l)
{
	const struct netcfg *n;
	struct netcfg_answer answer;

	kernel_renew(r->k);
	assert_int_equal(netcfg_load(r->k, &n), 0);
	netcfg_mtu(n, l, &answer);
	return answer;
}

/* "OWNER FILE:LINE MTU", of all claims that count, or "nobody"; a doubt as " ?" */
static const char *owner(struct root *r, const struct netcfg_link *l)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct netcfg_answer answer = asked(r, l);

	for (size_t i = 0; i < answer.n; i++) {
		const struct netcfg_claim *c = &answer.claim[i];

		if (c->counts)
			text_printf(&t, "%s%s %s:%u %u%s", t.n ? ", " : "", c->owner, c->pos.source->name, c->pos.line, c->mtu,
				    c->doubt ? " ?" : "");
	}
	return t.n ? arena_strdup(r->a, text_str(&t)) : "nobody";
}

static struct root *machine(const struct files *f, size_t n)
{
	struct root *r = root_open(NULL);

	root_put(r, "etc/hostname", "node1\n");
	root_put(r, "sys/class/net/nic0/address", MAC "\n");
	for (size_t i = 0; i < n && f[i].path; i++)
		root_put(r, f[i].path, f[i].text);
	return r;
}

struct row {
	const char *what;
	struct files file[6];
	const char *owner;
	const struct netcfg_link *of;	/* NULL: nic0 */
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct root *r = machine(rows[i].file, 6);
		const char *have = owner(r, rows[i].of ? rows[i].of : &nic);

		if (strcmp(have, rows[i].owner))
			fail_msg("%s: %s, not %s", rows[i].what, have, rows[i].owner);
		root_close(r);
	}
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof((rows)[0]))

/* --- systemd --------------------------------------------------------------------- */

#define NET "etc/systemd/network/"
#define MTU_OF(match, mtu) "[Match]\n" match "\n[Link]\nMTUBytes=" mtu "\n"

static void networkd_files(void **state)
{
	static const struct row rows[] = {
		{ "no file", { { NETWORKD } }, "nobody", NULL },
		{ "networkd neither runs nor is enabled", { { NET "a.network", MTU_OF("Name=nic0", "9000") } }, "nobody", NULL },
		{ "enabled", { { NET "a.network", MTU_OF("Name=nic0", "9000") },
			       { "etc/systemd/system/multi-user.target.wants/systemd-networkd.service", "@/x" } },
		  "systemd-networkd /etc/systemd/network/a.network:4 9000", NULL },
		{ "the first that fits wins, also without an MTU",
		  { { NETWORKD }, { NET "20-b.network", MTU_OF("Name=nic0", "9000") }, { NET "10-a.network", "[Match]\nName=nic*\n" } },
		  "nobody", NULL },
		{ "order is by name, over all directories",
		  { { NETWORKD }, { "usr/lib/systemd/network/10-a.network", MTU_OF("Name=nic0", "4200") },
		    { NET "20-b.network", MTU_OF("Name=nic0", "9000") } },
		  "systemd-networkd /usr/lib/systemd/network/10-a.network:4 4200", NULL },
		{ "a higher directory hides a name",
		  { { NETWORKD }, { "usr/lib/systemd/network/10-a.network", MTU_OF("Name=nic0", "4200") },
		    { "run/systemd/network/10-a.network", MTU_OF("Name=nic0", "1500") } },
		  "systemd-networkd /run/systemd/network/10-a.network:4 1500", NULL },
		{ "masked", { { NETWORKD }, { "usr/lib/systemd/network/10-a.network", MTU_OF("Name=nic0", "4200") },
			      { NET "10-a.network", "@/dev/null" } }, "nobody", NULL },
		{ "a drop-in comes behind", { { NETWORKD }, { NET "10-a.network", MTU_OF("Name=nic0", "4200") },
					      { "run/systemd/network/10-a.network.d/mtu.conf", "[Link]\nMTUBytes=9K\n" } },
		  "systemd-networkd /run/systemd/network/10-a.network.d/mtu.conf:2 9216", NULL },
		{ "a drop-in may hold the match",
		  { { NETWORKD }, { NET "10-a.network", "[Match]\nName=other\n[Link]\nMTUBytes=9000\n" },
		    { NET "10-a.network.d/1.conf", "[Match]\nName=\nName=nic0\n" } },
		  "systemd-networkd /etc/systemd/network/10-a.network:4 9000", NULL },
		{ "another section's key is another key",
		  { { NETWORKD }, { NET "a.network", "[Match]\nName=nic0\n[Route]\nMTUBytes=1280\n" } }, "nobody", NULL },
	};

	(void)state;
	CHECK(rows);
}

static void matching(void **state)
{
	static const struct { const char *match; bool fits; } cases[] = {
		{ "Name=nic0", true }, { "Name=nic1", false }, { "Name=nic1 nic0", true }, { "Name=nic?", true },
		{ "Name=!nic0", false }, { "Name=!nic1 nic2", true }, { "Name=nic*\nName=!nic0", false },
		{ "Name=nic*\nName=!nic1", true }, { "Name=\"nic0\"", true }, { "Name=nic1\nName=\nName=nic0", true },
		{ "MACAddress=B8-CE-F6-00-00-01", true }, { "MACAddress=b8ce.f600.0001", true }, { "MACAddress=" MAC "0", false },
		{ "PermanentMACAddress=b8:ce:f6:00:00:02", false },
		{ "Driver=mlx5_core", true }, { "Driver=mlx*", true }, { "Driver=!mlx5_core", false },
		{ "Type=ether", true }, { "Type=!ether", false }, { "Type=infiniband", false }, { "Kind=bond", false },
		{ "Name=nic0\nDriver=ice", false }, { "Path=pci-0001:03:00.0", true }, { "Path=pci-*", true },
		{ "Path=pci-0002:*", false }, { "Property=ID_BUS=pci", true }, { "Property=ID_BUS=usb", false },
		{ "Property=!ID_BUS=usb", true }, { "Name=altname0", true }, { "SSID=cafe", false },
		{ "", false }, { "Nonsense=1", false }, { "KernelVersion=>5", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct root *r = machine(&(struct files){ NETWORKD }, 1);
		char text[256];

		snprintf(text, sizeof(text), "[Match]\n%s\n[Link]\nMTUBytes=9000\n", cases[i].match);
		root_put(r, NET "a.network", text);
		root_put(r, "run/udev/data/n7", "E:ID_BUS=pci\nE:ID_PATH=pci-0001:03:00.0\nE:ID_NET_NAME_PATH=altname0\n");
		if (asked(r, &nic).n != (cases[i].fits ? 1 : 0))
			fail_msg("%s: %zu claims", cases[i].match, asked(r, &nic).n);
		root_close(r);
	}
}

static void link_files(void **state)
{
	static const struct row rows[] = {
		{ "a .link file, without networkd", { { NET "10-a.link", MTU_OF("MACAddress=" MAC, "9000") } },
		  "systemd-udevd /etc/systemd/network/10-a.link:4 9000", NULL },
		{ "what udev took is the truth", { { NET "10-a.link", MTU_OF("MACAddress=" MAC, "9000") },
						   { "usr/lib/systemd/network/99-default.link", MTU_OF("OriginalName=*", "4200") },
						   { "run/udev/data/n7", "E:ID_NET_LINK_FILE=/usr/lib/systemd/network/99-default.link\n" } },
		  "systemd-udevd /usr/lib/systemd/network/99-default.link:4 4200", NULL },
		{ "a file below /lib is one of /usr/lib",
		  { { "usr/lib/systemd/network/9.link", MTU_OF("OriginalName=*", "4200") }, { "lib", "@usr/lib" },
		    { "run/udev/data/n7", "E:ID_NET_LINK_FILE=/lib/systemd/network/9.link\n" } },
		  "systemd-udevd /usr/lib/systemd/network/9.link:4 4200", NULL },
		{ "the name before a rename is not known", { { NET "10-a.link", MTU_OF("OriginalName=eth0", "9000") } },
		  "systemd-udevd /etc/systemd/network/10-a.link:4 9000 ?", NULL },
		{ "networkd sets over it", { { NETWORKD }, { NET "10-a.link", MTU_OF("MACAddress=" MAC, "9000") },
					     { NET "10-a.network", MTU_OF("Name=nic0", "1500") } },
		  "systemd-networkd /etc/systemd/network/10-a.network:4 1500", NULL },
		{ "networkd without an MTU does not",
		  { { NETWORKD }, { NET "10-a.link", MTU_OF("MACAddress=" MAC, "9000") }, { NET "10-a.network", "[Match]\nName=nic0\n" } },
		  "systemd-udevd /etc/systemd/network/10-a.link:4 9000", NULL },
		{ "a .netdev makes it so", { { NETWORKD }, { NET "b.netdev", "[NetDev]\nName=bond0\nKind=bond\nMTUBytes=9000\n" } },
		  "systemd-networkd /etc/systemd/network/b.netdev:4 9000", &bond },
	};

	(void)state;
	CHECK(rows);
}

static void networkd_tells_itself(void **state)
{
	static const struct row rows[] = {
		{ "the file that it took", { { "run/systemd/netif/links/7", "ADMIN_STATE=configured\nNETWORK_FILE=/run/systemd/network/z.network\n" },
					     { NET "a.network", MTU_OF("Name=nic0", "9000") },
					     { "run/systemd/network/z.network", MTU_OF("Name=x", "1500") } },
		  "systemd-networkd /run/systemd/network/z.network:4 1500", NULL },
		{ "it took none", { { "run/systemd/netif/links/7", "ADMIN_STATE=unmanaged\n" },
				    { NET "a.network", MTU_OF("Name=nic0", "9000") } }, "nobody", NULL },
		{ "a lease", { { "run/systemd/netif/links/7", "NETWORK_FILE=/etc/systemd/network/a.network\n" },
			       { NET "a.network", "[Match]\nName=nic0\n[DHCPv4]\nUseMTU=yes\n" },
			       { "run/systemd/netif/leases/7", "# private\nADDRESS=10.0.0.2\nMTU=1450\n" } },
		  "systemd-networkd (DHCP lease) /run/systemd/netif/leases/7:3 1450", NULL },
		{ "a lease is not followed unless asked to",
		  { { "run/systemd/netif/links/7", "NETWORK_FILE=/etc/systemd/network/a.network\n" },
		    { NET "a.network", "[Match]\nName=nic0\n" }, { "run/systemd/netif/leases/7", "MTU=1450\n" } }, "nobody", NULL },
	};

	(void)state;
	CHECK(rows);
}

/* --- NetworkManager -------------------------------------------------------------- */

#define NM "etc/NetworkManager/system-connections/"
#define RUNS "run/NetworkManager/devices/1", ""
#define PROFILE(more) "[connection]\nid=x\nuuid=u1\ntype=ethernet\n" more
#define UP "run/NetworkManager/devices/7", "[device]\nmanaged=true\nconnection-uuid=u1\n"

static void nm_profiles(void **state)
{
	static const struct row rows[] = {
		{ "it does not run", { { NM "a", PROFILE("[ethernet]\nmtu=9000\n") } }, "nobody", NULL },
		{ "the profile that is up", { { UP }, { NM "a.nmconnection", PROFILE("[ethernet]\nmtu=9000\n") } },
		  "NetworkManager /etc/NetworkManager/system-connections/a.nmconnection:6 9000", NULL },
		{ "under its older name", { { UP }, { NM "a", PROFILE("[802-3-ethernet]\nmtu=9000\n") } },
		  "NetworkManager /etc/NetworkManager/system-connections/a:6 9000", NULL },
		{ "0 leaves it alone", { { UP }, { NM "a", PROFILE("[ethernet]\nmtu=0\n") } }, "nobody", NULL },
		{ "another profile is up", { { "run/NetworkManager/devices/7", "[device]\nconnection-uuid=u2\n" },
					     { NM "a", PROFILE("[ethernet]\nmtu=9000\n") } }, "nobody", NULL },
		{ "that of /run before that of /etc",
		  { { UP }, { NM "a", PROFILE("[ethernet]\nmtu=9000\n") },
		    { "run/NetworkManager/system-connections/b.nmconnection", PROFILE("[ethernet]\nmtu=1500\n") } },
		  "NetworkManager /run/NetworkManager/system-connections/b.nmconnection:6 1500", NULL },
		{ "not up yet, by name", { { RUNS }, { NM "a", PROFILE("interface-name=nic0\n[ethernet]\nmtu=9000\n") } },
		  "NetworkManager /etc/NetworkManager/system-connections/a:7 9000", NULL },
		{ "for another", { { RUNS }, { NM "a", PROFILE("interface-name=nic1\n[ethernet]\nmtu=9000\n") } }, "nobody", NULL },
		{ "for another address", { { RUNS }, { NM "a", PROFILE("[ethernet]\nmtu=9000\nmac-address=00:00:00:00:00:01\n") } },
		  "nobody", NULL },
		{ "not by itself", { { RUNS }, { NM "a", PROFILE("autoconnect=false\n[ethernet]\nmtu=9000\n") } }, "nobody", NULL },
		{ "the higher priority", { { RUNS }, { NM "a", PROFILE("[ethernet]\nmtu=9000\n") },
					   { NM "b", PROFILE("autoconnect-priority=5\n[ethernet]\nmtu=4200\n") } },
		  "NetworkManager /etc/NetworkManager/system-connections/b:7 4200", NULL },
		{ "of equals nobody knows", { { RUNS }, { NM "a", PROFILE("[ethernet]\nmtu=9000\n") },
					      { NM "b", PROFILE("[ethernet]\nmtu=4200\n") } },
		  "NetworkManager /etc/NetworkManager/system-connections/a:6 9000 ?, "
		  "NetworkManager /etc/NetworkManager/system-connections/b:6 4200 ?", NULL },
		{ "an editor's copy", { { RUNS }, { NM "a~", PROFILE("[ethernet]\nmtu=9000\n") } }, "nobody", NULL },
		{ "a bond", { { RUNS }, { NM "a", "[connection]\ntype=bond\ninterface-name=bond0\n[ethernet]\nmtu=9000\n" } },
		  "NetworkManager /etc/NetworkManager/system-connections/a:5 9000", &bond },
	};

	(void)state;
	CHECK(rows);
}

static void nm_configuration(void **state)
{
#define WANTS9000 { NM "a", PROFILE("[ethernet]\nmtu=9000\n") }
#define CONF(name, text) { "etc/NetworkManager/conf.d/" name ".conf", text }
	static const struct row rows[] = {
		{ "unmanaged by name", { { RUNS }, WANTS9000, CONF("a", "[keyfile]\nunmanaged-devices=interface-name:nic*\n") }, "nobody", NULL },
		{ "by address", { { RUNS }, WANTS9000, CONF("a", "[keyfile]\nunmanaged-devices=mac:" MAC "\n") }, "nobody", NULL },
		{ "by driver, added", { { RUNS }, WANTS9000, CONF("a", "[keyfile]\nunmanaged-devices+=driver:mlx5_core\n") }, "nobody", NULL },
		{ "all but this", { { RUNS }, WANTS9000, CONF("a", "[keyfile]\nunmanaged-devices=*,except:interface-name:nic0\n") },
		  "NetworkManager /etc/NetworkManager/system-connections/a:6 9000", NULL },
		{ "literal", { { RUNS }, WANTS9000, CONF("a", "[keyfile]\nunmanaged-devices=interface-name:=nic*\n") },
		  "NetworkManager /etc/NetworkManager/system-connections/a:6 9000", NULL },
		{ "a later file says otherwise", { { RUNS }, WANTS9000, CONF("a", "[keyfile]\nunmanaged-devices=*\n"),
						   CONF("b", "[keyfile]\nunmanaged-devices=interface-name:eth0\n") },
		  "NetworkManager /etc/NetworkManager/system-connections/a:6 9000", NULL },
		{ "by a device section", { { RUNS }, WANTS9000, CONF("a", "[device-x]\nmatch-device=interface-name:nic0\nmanaged=0\n") },
		  "nobody", NULL },
		{ "by udev", { { RUNS }, WANTS9000, { "run/udev/data/n7", "E:NM_UNMANAGED=1\n" } }, "nobody", NULL },
		{ "a default", { { UP }, { NM "a", PROFILE("") }, CONF("a", "[connection]\nethernet.mtu=4200\n") },
		  "NetworkManager /etc/NetworkManager/conf.d/a.conf:2 4200", NULL },
		{ "a default for some, before that for all",
		  { { UP }, { NM "a", PROFILE("") }, CONF("a", "[connection]\nethernet.mtu=4200\n[connection-n]\n"
							       "match-device=interface-name:nic0\nethernet.mtu=9000\n") },
		  "NetworkManager /etc/NetworkManager/conf.d/a.conf:5 9000", NULL },
		{ "a default for others", { { UP }, { NM "a", PROFILE("") },
					    CONF("a", "[connection-n]\nmatch-device=type:wifi\nethernet.mtu=9000\n") }, "nobody", NULL },
	};

	(void)state;
	CHECK(rows);
}

/* --- netplan, ifupdown, ifcfg, the vendor's stack ---------------------------------- */

static void netplan_files(void **state)
{
#define PLAN "usr/sbin/netplan", ""
#define ETHERNETS "network:\n  version: 2\n  ethernets:\n"
	static const struct row rows[] = {
		{ "not installed", { { "etc/netplan/1.yaml", ETHERNETS "    nic0:\n      mtu: 9000\n" } }, "nobody", NULL },
		{ "by name", { { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    nic0:\n      dhcp4: true   # yes\n      mtu: 9000 # jumbo\n" } },
		  "netplan /etc/netplan/1.yaml:6 9000", NULL },
		{ "by match", { { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    rail:\n      match:\n        macaddress: \"" MAC "\"\n      mtu: 9000\n" } },
		  "netplan /etc/netplan/1.yaml:7 9000", NULL },
		{ "by match in a flow mapping", { { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    rail: {match: {name: \"nic*\"}, mtu: 9000}\n" } },
		  "netplan /etc/netplan/1.yaml:4 9000", NULL },
		{ "match and another name", { { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    nic0:\n      match: {name: x}\n      mtu: 9000\n" } },
		  "nobody", NULL },
		{ "set-name", { { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    r:\n      match: {name: x}\n      set-name: nic0\n      mtu: 9000\n" } },
		  "netplan /etc/netplan/1.yaml:7 9000", NULL },
		{ "an MTU of a route is none", { { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    nic0:\n      routes:\n      - to: default\n        mtu: 1400\n" } },
		  "nobody", NULL },
		{ "a later file wins", { { PLAN }, { "etc/netplan/2.yaml", ETHERNETS "    nic0: {mtu: 4200}\n" },
					 { "etc/netplan/1.yaml", ETHERNETS "    nic0: {mtu: 9000}\n" } },
		  "netplan /etc/netplan/2.yaml:4 4200", NULL },
		{ "/run hides /etc", { { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    nic0: {mtu: 9000}\n" },
				       { "run/netplan/1.yaml", ETHERNETS "    nic0: {mtu: 1500}\n" } },
		  "netplan /run/netplan/1.yaml:4 1500", NULL },
		{ "the YAML is named, not what is made of it",
		  { { PLAN }, { NETWORKD }, { "etc/netplan/1.yaml", ETHERNETS "    nic0:\n      mtu: 9000\n" },
		    { "run/systemd/network/10-netplan-nic0.network", MTU_OF("Name=nic0", "9000") },
		    { "run/systemd/network/10-netplan-nic0.link", MTU_OF("OriginalName=nic0", "9000") } },
		  "netplan /etc/netplan/1.yaml:5 9000", NULL },
		{ "made from what is not seen", { { PLAN }, { NETWORKD }, { "run/systemd/network/10-netplan-nic0.network", MTU_OF("Name=nic0", "9000") } },
		  "netplan (this file is made from /etc/netplan) /run/systemd/network/10-netplan-nic0.network:4 9000", NULL },
		{ "a bond", { { PLAN }, { "etc/netplan/1.yaml", "network:\n  bonds:\n    bond0:\n      mtu: 9000\n" } },
		  "netplan /etc/netplan/1.yaml:4 9000", &bond },
	};

	(void)state;
	CHECK(rows);
}

static void ifupdown_stanzas(void **state)
{
#define IFUP "usr/sbin/ifup", ""
#define I "etc/network/interfaces"
	static const struct row rows[] = {
		{ "not installed", { { I, "iface nic0 inet manual\n mtu 9000\n" } }, "nobody", NULL },
		{ "mtu", { { IFUP }, { I, "auto nic0\niface nic0 inet static\n\taddress 10.0.0.1/24\n\tmtu 9000\n" } },
		  "ifupdown /etc/network/interfaces:4 9000", NULL },
		{ "of another", { { IFUP }, { I, "iface nic0 inet manual\niface nic1 inet manual\n mtu 9000\n" } }, "nobody", NULL },
		{ "auto ends a stanza", { { IFUP }, { I, "iface nic0 inet manual\nauto nic1\n mtu 9000\n" } }, "nobody", NULL },
		{ "the last stanza", { { IFUP }, { I, "iface nic0 inet manual\n mtu 9000\niface nic0 inet6 manual\n mtu 4200\n" } },
		  "ifupdown /etc/network/interfaces:4 4200", NULL },
		{ "a command", { { IFUP }, { I, "iface nic0 inet manual\n post-up /sbin/ip link set dev $IFACE mtu 9000\n" } },
		  "ifupdown /etc/network/interfaces:2 9000", NULL },
		{ "the other way round", { { IFUP }, { I, "iface nic0 inet manual\n up ip link set mtu 9000 dev nic0 up\n" } },
		  "ifupdown /etc/network/interfaces:2 9000", NULL },
		{ "ifconfig", { { IFUP }, { I, "iface nic0 inet manual\n pre-up ifconfig nic0 mtu 9000 || true\n" } },
		  "ifupdown /etc/network/interfaces:2 9000", NULL },
		{ "the second of two commands", { { IFUP }, { I, "iface nic0 inet manual\n up ip link set nic1 mtu 1500; ip link set nic0 mtu 9000\n" } },
		  "ifupdown /etc/network/interfaces:2 9000", NULL },
		{ "for another", { { IFUP }, { I, "iface nic0 inet manual\n up ip link set nic1 mtu 1500\n up ip route add x mtu 1400\n" } },
		  "nobody", NULL },
		{ "on the way down", { { IFUP }, { I, "iface nic0 inet manual\n down ip link set nic0 mtu 1500\n" } }, "nobody", NULL },
		{ "joined lines", { { IFUP }, { I, "iface nic0 \\\\\n inet manual\n mtu \\\\\n 9000\n" } }, "ifupdown /etc/network/interfaces:3 9000", NULL },
		{ "sourced", { { IFUP }, { I, "source interfaces.d/*\n" }, { "etc/network/interfaces.d/rails", "iface nic0 inet manual\n mtu 9000\n" } },
		  "ifupdown /etc/network/interfaces.d/rails:2 9000", NULL },
		{ "sourced as a folder", { { IFUP }, { I, "source-directory /etc/network/d\n" }, { "etc/network/d/a.bak", "iface nic0 inet manual\n mtu 1\n" },
					   { "etc/network/d/a", "iface nic0 inet manual\n mtu 9000\n" } },
		  "ifupdown /etc/network/d/a:2 9000", NULL },
	};

	(void)state;
	CHECK(rows);
}

static void ifcfg_and_openib(void **state)
{
#define SCRIPTS "etc/sysconfig/network-scripts/"
#define READ SCRIPTS "ifup-eth", ""
#define MGR "usr/bin/mlnx_interface_mgr.sh", ""
#define OPENIB "etc/infiniband/openib.conf"
	static const struct row rows[] = {
		{ "by the file's name", { { READ }, { SCRIPTS "ifcfg-nic0", "ONBOOT=yes\nMTU=9000\n" } }, "ifcfg /etc/sysconfig/network-scripts/ifcfg-nic0:2 9000", NULL },
		{ "nobody reads them", { { SCRIPTS "ifcfg-nic0", "MTU=9000\n" }, { "etc/sysconfig/network/ifcfg-nic0", "MTU=9000\n" } },
		  "nobody", NULL },
		{ "NetworkManager may", { { RUNS }, { SCRIPTS "ifcfg-nic0", "MTU=9000\n" } },
		  "ifcfg /etc/sysconfig/network-scripts/ifcfg-nic0:1 9000", NULL },
		{ "by DEVICE", { { READ }, { SCRIPTS "ifcfg-rail", "DEVICE=\"nic0\"\nMTU='9000'\n" } }, "ifcfg /etc/sysconfig/network-scripts/ifcfg-rail:2 9000", NULL },
		{ "by address", { { READ }, { SCRIPTS "ifcfg-rail", "HWADDR=B8:CE:F6:00:00:01\nMTU=9000\n" } },
		  "ifcfg /etc/sysconfig/network-scripts/ifcfg-rail:2 9000", NULL },
		{ "DEVICE of another", { { READ }, { SCRIPTS "ifcfg-nic0", "DEVICE=nic1\nMTU=9000\n" } }, "nobody", NULL },
		{ "empty", { { READ }, { SCRIPTS "ifcfg-nic0", "MTU=\n" } }, "nobody", NULL },
		{ "the last assignment", { { READ }, { SCRIPTS "ifcfg-nic0", "MTU=9000\nMTU=1500\n" } }, "ifcfg /etc/sysconfig/network-scripts/ifcfg-nic0:2 1500", NULL },
		{ "SUSE's", { { "usr/sbin/wicked", "" }, { "etc/sysconfig/network/ifcfg-nic0", "MTU='9000'\n" } }, "ifcfg /etc/sysconfig/network/ifcfg-nic0:1 9000", NULL },
		{ "left over", { { READ }, { SCRIPTS "ifcfg-nic0.rpmsave", "DEVICE=nic0\nMTU=9000\n" } }, "nobody", NULL },
		{ "connected mode", { { MGR }, { OPENIB, "SET_IPOIB_CM=yes\n" } },
		  "the vendor's interface manager (mlnx_interface_mgr) /etc/infiniband/openib.conf:1 65520", &ib },
		{ "its own MTU", { { MGR }, { OPENIB, "SET_IPOIB_CM=auto\nIPOIB_MTU=32768\n" } },
		  "the vendor's interface manager (mlnx_interface_mgr) /etc/infiniband/openib.conf:2 32768", &ib },
		{ "ifcfg's MTU goes before", { { MGR }, { OPENIB, "SET_IPOIB_CM=yes\n" }, { SCRIPTS "ifcfg-ib0", "MTU=4092\n" }, { READ } },
		  "ifcfg /etc/sysconfig/network-scripts/ifcfg-ib0:1 4092", &ib },
		{ "datagram mode", { { MGR }, { OPENIB, "SET_IPOIB_CM=no\n" } }, "nobody", &ib },
		{ "never of Ethernet", { { MGR }, { OPENIB, "SET_IPOIB_CM=yes\n" } }, "nobody", NULL },
		{ "a file alone does nothing", { { OPENIB, "SET_IPOIB_CM=yes\n" } }, "nobody", &ib },
	};

	(void)state;
	CHECK(rows);
}

/* Of two programs that both bring it up nobody knows which comes last: both count. */
static void two_managers(void **state)
{
	static const struct row rows[] = {
		{ "both", { { NETWORKD }, { NET "a.network", MTU_OF("Name=nic0", "1500") }, { IFUP }, { I, "iface nic0 inet manual\n mtu 9000\n" } },
		  "systemd-networkd /etc/systemd/network/a.network:4 1500, ifupdown /etc/network/interfaces:2 9000", NULL },
	};

	(void)state;
	CHECK(rows);
}

/* A bond's address is not the member's own. */
static void a_member_is_known_by_its_own_address(void **state)
{
	struct root *r = machine((const struct files[]){ { NET "10-a.link", MTU_OF("PermanentMACAddress=" MAC, "9000") },
							 { "sys/class/net/nic0/bonding_slave/perm_hwaddr", MAC "\n" },
							 { "sys/class/net/nic0/address", "b8:ce:f6:00:00:99\n" } }, 3);

	(void)state;
	assert_string_equal(owner(r, &nic), "systemd-udevd /etc/systemd/network/10-a.link:4 9000");
	root_close(r);
}

/* --- hostile files --------------------------------------------------------------- */

static void put_bytes(const struct root *r, const char *path, const char *s, size_t n)
{
	char full[512];
	FILE *f;

	root_put(r, path, "");
	snprintf(full, sizeof(full), "%s/%s", r->dir, path);
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(s, 1, n, f), n);
	fclose(f);
}

static void odd_numbers(void **state)
{
	static const char *const not[] = { "0", "-1", "9000x", "99999999999999999999", "4294967296", "8G", "", "auto", "0x100", " " };

	(void)state;
	for (size_t i = 0; i < sizeof(not) / sizeof(not[0]); i++) {
		struct root *r = machine((const struct files[]){ { NETWORKD }, { UP }, { IFUP } }, 3);
		char text[256];

		snprintf(text, sizeof(text), "[Match]\nName=nic0\n[Link]\nMTUBytes=%s\n", not[i]);
		root_put(r, NET "a.network", text);
		snprintf(text, sizeof(text), PROFILE("[ethernet]\nmtu=%s\n"), not[i]);
		root_put(r, NM "a", text);
		snprintf(text, sizeof(text), "iface nic0 inet manual\n mtu %s\n", not[i]);
		root_put(r, I, text);
		assert_string_equal(owner(r, &nic), "nobody");
		root_close(r);
	}
}

/* Every file is every kind of rubbish: it ends, and nobody is an owner by accident. */
static void rubbish(void **state)
{
	static const char *const paths[] = { NET "a.network", NET "a.link", NET "a.netdev", NET "a.network.d/x.conf", NM "a",
					     "etc/NetworkManager/NetworkManager.conf", "etc/netplan/1.yaml", I, SCRIPTS "ifcfg-nic0",
					     OPENIB, "run/udev/data/n7", "run/NetworkManager/devices/7", "run/systemd/netif/links/7" };
	static const char *const seeds[] = { "", "\n", "[", "[]", "[Match", "=", "\\", "\\\n\\\n", "\"", "'", "{", "{{{{{{{{{{{{", "}", ":",
					     "network: {a: {b: {c: {d: {e: {f: {g: {h: {i: {j: 1", "- - - -", "iface", "source", "MTU=",
					     "source *", "source-directory", "[Match]\nName=", "\t:\t:", "# \\", "E:", "E:=", "mtu" };
	static char long_line[200000];

	(void)state;
	memset(long_line, 'x', sizeof(long_line));
	memcpy(long_line, "[Match]\nName=", 13);
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]) + 2; i++) {
		struct root *r = machine((const struct files[]){ { PLAN }, { IFUP }, { MGR }, { NETWORKD }, { RUNS } }, 5);

		for (size_t j = 0; j < sizeof(paths) / sizeof(paths[0]); j++)
			if (i < sizeof(seeds) / sizeof(seeds[0]))
				root_put(r, paths[j], seeds[i]);
			else if (i == sizeof(seeds) / sizeof(seeds[0]))
				put_bytes(r, paths[j], long_line, sizeof(long_line));
			else
				put_bytes(r, paths[j], "[Match]\0\nName=nic0\0\n\0=\0[Link]\nMTU\0Bytes=9000\n", 46);
		assert_string_equal(owner(r, &nic), "nobody");
		assert_string_equal(owner(r, &ib), "nobody");
		root_close(r);
	}
}

static void sources_in_a_circle(void **state)
{
	struct root *r = machine((const struct files[]){ { IFUP }, { I, "source interfaces\nsource interfaces.d/*\niface nic0 inet manual\n mtu 9000\n" },
							 { "etc/network/interfaces.d/a", "source b\nsource ../interfaces\n" },
							 { "etc/network/interfaces.d/b", "source a\nsource /etc/network/interfaces.d/*\n" } }, 4);
	char path[64], text[64];

	(void)state;
	assert_string_equal(owner(r, &nic), "ifupdown /etc/network/interfaces:4 9000");
	for (int i = 0; i < 20; i++) {	/* a chain that is too long is told, not followed */
		snprintf(path, sizeof(path), "etc/network/interfaces.d/n%d", i);
		snprintf(text, sizeof(text), "source n%d\n", i + 1);
		root_put(r, path, text);
	}
	root_put(r, I, "source interfaces.d/n0\n");
	assert_non_null(asked(r, &nic).unread);
	root_close(r);
}

static void what_is_not_looked_into_is_told(void **state)
{
	struct root *r = machine((const struct files[]){ { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    nic0: {\n      mtu: 9000 }\n" } }, 2);

	(void)state;
	assert_string_equal(asked(r, &nic).unread, "/etc/netplan/1.yaml: it has a flow mapping, { }, of several lines, which is not looked into");
	root_put(r, "etc/netplan/1.yaml", "");
	root_put(r, "usr/sbin/ifup", "");
	root_put(r, I, "source $HOME/interfaces\n");
	assert_non_null(asked(r, &nic).unread);
	root_close(r);
}

/* Names of netdevs become paths. */
static void a_name_that_is_a_path(void **state)
{
	static const struct netcfg_link bad = { .ifname = "../../etc", .kind = "", .driver = "" };
	struct root *r = machine((const struct files[]){ { NETWORKD }, { NET "a.network", MTU_OF("Name=*", "9000") } }, 2);

	(void)state;
	assert_string_equal(owner(r, &bad), "nobody");
	root_close(r);
}

/* --- dumps ----------------------------------------------------------------------- */

/* What a dump made of this machine says of nic0, read back without the machine; *dump gets its text. */
static const char *from_dump(struct root *r, const struct netcfg_link *l, const char **dump)
{
	struct dump_header h = { .hostname = "n", .kernel = "", .observed_at = "", .boot_id = "", .rdmactl = "0" };
	TEXT_CLEANUP struct text out = { 0 };
	struct root other = *r;

	other.k = kernel_recording(r->a, r->k, &h, &out);
	kernel_renew(r->k);
	owner(&other, l);
	*dump = arena_strdup(r->a, text_str(&out));
	other.k = kernel_replay(r->a, "dump", *dump, out.n, &h, &r->d);
	assert_non_null(other.k);
	return owner(&other, l);
}

/* The same verdict from a dump, and no password in it. */
static void dumps(void **state)
{
	static const struct files all[][4] = {
		{ { NETWORKD }, { NET "a.network", "# hunter2\n" MTU_OF("Name=nic* !nic1", "9000") "[X]\nPassword=hunter2\n" },
		  { NET "b.netdev", "[NetDev]\nName=wg0\n[WireGuard]\nPrivateKey=hunter2\n" } },
		{ { UP }, { NM "a", PROFILE("[ethernet]\nmtu=9000\n[802-1x]\npassword=hunter2\nprivate-key-password=hunter2\n") } },
		{ { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    nic0:\n      mtu: 9000\n      auth:\n        password: hunter2\n" },
		  { "etc/netplan/2.yaml", "network:\n  wifis: {w: {access-points: {home: {password: hunter2}}}}\n" } },
		{ { PLAN }, { "etc/netplan/1.yaml", ETHERNETS "    rail: {match: {name: \"nic*\"}, mtu: 9000}\n" } },
		{ { IFUP }, { I, "auto nic0\niface nic0 inet static\n  wpa-psk hunter2\n  up echo hunter2\n  mtu 9000\n" } },
		{ { IFUP }, { I, "iface nic0 inet static\n  up ip link set $IFACE mtu 9000\n  wpa-psk hunter2\n" } },
		{ { SCRIPTS "ifup-eth", "" }, { SCRIPTS "ifcfg-nic0", "PASSWORD=hunter2\nMTU=9000\n" }, { SCRIPTS "keys-nic0", "hunter2\n" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct root *r = machine(all[i], 4);
		const char *live = owner(r, &nic), *dump;

		assert_string_not_equal(live, "nobody");
		assert_string_equal(from_dump(r, &nic, &dump), live);
		assert_null(strstr(dump, "hunter2"));
		root_close(r);
	}
}

static void a_dump_for_which_nobody_asked(void **state)
{
	struct dump_header h = { .hostname = "n", .kernel = "", .observed_at = "", .boot_id = "", .rdmactl = "0" };
	TEXT_CLEANUP struct text out = { 0 };
	struct root *r = machine(&(struct files){ NETWORKD }, 1);
	const struct netcfg *n;
	struct kernel *k;

	(void)state;
	kernel_recording(r->a, r->k, &h, &out);
	k = kernel_replay(r->a, "dump", text_str(&out), out.n, &h, &r->d);
	assert_non_null(k);
	assert_int_equal(netcfg_load(k, &n), -ENODATA);
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(networkd_files), cmocka_unit_test(matching), cmocka_unit_test(link_files),
		cmocka_unit_test(networkd_tells_itself), cmocka_unit_test(nm_profiles), cmocka_unit_test(nm_configuration),
		cmocka_unit_test(netplan_files), cmocka_unit_test(ifupdown_stanzas), cmocka_unit_test(ifcfg_and_openib),
		cmocka_unit_test(two_managers), cmocka_unit_test(a_member_is_known_by_its_own_address),
		cmocka_unit_test(odd_numbers), cmocka_unit_test(rubbish), cmocka_unit_test(sources_in_a_circle),
		cmocka_unit_test(what_is_not_looked_into_is_told), cmocka_unit_test(a_name_that_is_a_path),
		cmocka_unit_test(dumps),
		cmocka_unit_test(a_dump_for_which_nobody_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
