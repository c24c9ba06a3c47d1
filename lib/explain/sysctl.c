/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysctl and lines of sysctl.d. A key is written with dots or slashes; what it means for RDMA is in a table, and a key
 * that is not there has no more to it than its value.
 */
#include <string.h>

#include "base/arena.h"
#include "explain/tool.h"

static const char no_rdma[] = "bound of socket buffers, for TCP beside RDMA; verbs queues are registered memory";

static const struct fact keys[] = {
	{ "net.rdma_ucm.max_backlog", .does = "largest backlog that a listener of rdma_cm can have; a full one drops "
					      "requests without "
					      "a reject, a counter or a log line", .effect = &effect_backlog },
	{ "net.iw_cm.default_backlog", .does = "backlog of iWARP listeners in the kernel that ask for none" },
	{ "net.core.rmem_max", .does = no_rdma },
	{ "net.core.wmem_max", .does = no_rdma },
	{ "net.core.rmem_default", .does = "receive buffer of every socket that asks for none; no RDMA queue gets it",
	  .beware = "thousands of idle sockets then hold memory that RDMA registrations want" },
	{ "net.core.wmem_default", .does = "send buffer of every socket that asks for none; no RDMA queue gets it",
	  .beware = "thousands of idle sockets then hold memory that RDMA registrations want" },
	{ "net.core.netdev_max_backlog", .does = "packets waiting for the kernel's stack; RDMA does not pass it" },
	{ "net.core.somaxconn", .does = "backlog of TCP listeners; that of RDMA listeners is "
					"net.rdma_ucm.max_backlog" },
	{ "net.ipv4.tcp_rmem", .does = "buffers of TCP sockets: least, default, most" },
	{ "net.ipv4.tcp_wmem", .does = "buffers of TCP sockets: least, default, most" },
	{ "net.ipv4.tcp_ecn", .does = "ECN of TCP connections",
	  .beware = "it does nothing for RoCE, whose ECN is the NIC's (ecn.*) and the switch's" },
	{ "vm.nr_hugepages", .does = "huge pages reserved; on several NUMA nodes they are spread" },
	{ "vm.zone_reclaim_mode", .does = "whether memory of the own NUMA node is reclaimed first" },
	{ "kernel.numa_balancing", .does = "moves pages to the node that uses them; pinned ones make it costly" },
	{ 0 },
};

/* Keys with an interface in them: the last part, and what it does. */
static const struct fact per_interface[] = {
	{ "arp_ignore", .does = "which addresses an interface answers for; 1: its own, for several ports in one subnet",
	  .beware = "the larger of conf.all and conf.IFNAME holds" },
	{ "arp_announce", .does = "which address ARP requests carry; 2: the interface's own",
	  .beware = "the larger of conf.all and conf.IFNAME holds" },
	{ "rp_filter", .does = "drops what would not go back the same way; 1 breaks several ports in one subnet, 2 "
			       "and 0 do not",
	  .beware = "the larger of conf.all and conf.IFNAME holds" },
	{ 0 },
};

static const struct fact *find_key(const char *key)
{
	const char *last = strrchr(key, '.');

	for (const struct fact *f = keys; f->name; f++)
		if (!strcmp(f->name, key))
			return f;
	for (const struct fact *f = per_interface; f->name && last; f++)
		if (!strcmp(f->name, last + 1) && strstr(key, ".conf."))
			return f;
	return NULL;
}

/* "net/core/rmem_max": with slashes first, dots belong to names of interfaces. */
static const char *with_dots(struct arena *arena, const char *key)
{
	char *s = arena_strdup(arena, key);
	bool slashes = s[strcspn(s, "./")] == '/';

	for (char *c = s; *c && slashes; c++)
		*c = *c == '/' ? '.' : *c == '.' ? '/' : *c;
	return s;
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

void explain_sysctl(struct answer *a, const char *key, const char *value, const struct effect *e)
{
	const struct fact *f;

	key = with_dots(a->arena, key);
	f = find_key(key);
	if (f && f->does)
		answer_does(a, "%s: %s", key, f->does);
	else
		answer_does(a, "%s: nothing about RDMA is known of it", key);
	if (!value)
		return;
	answer_effect(a, e);
	if (f && f->effect && e != &effect_sysctl_file)
		answer_effect(a, f->effect);
	else if (f && f->effect)
		answer_beware(a, "%s", f->effect->beware);
	if (f && f->beware)
		answer_beware(a, "%s", f->beware);
	if (!strcmp(key, "net.rdma_ucm.max_backlog")) {
		answer_offer(a, "max_backlog", value);
		return;
	}
	if (ends_in(key, "mem_default") && !strncmp(key, "net.core.", 9)) {
		answer_no_policy(a, "sysctl: {%s: %s} would do the same, and lint warns of it; raise the *_max and "
				    "let programs ask",
				 key, value);
		return;
	}
	answer_offer(a, arena_printf(a->arena, "sysctl.%s", key), value);
}

static const struct fact options[] = {
	{ .name = "-w --write" }, { "-p -f --load", .value = "[FILE]" }, { .name = "--system" },
	{ .name = "-a -A -X --all" }, { .name = "-n --values" }, { .name = "-N --names" },
	{ "-e --ignore", .beware = "-e hides keys that do not exist, such as those of a module that is not loaded" },
	{ .name = "-q --quiet" }, { .name = "-b --binary" }, { "-r --pattern", .value = "EXPRESSION" },
	{ .name = "--deprecated" }, { .name = "--dry-run" },
	{ .name = "-h --help" }, { .name = "-V --version" }, { .name = "-o" }, { .name = "-x" }, { .name = "-d" },
	{ 0 },
};

/* "KEY=VALUE"; "KEY = VALUE" in three words is what a line of a file has, and sysctl refuses. */
static void assignment(struct answer *a, const char *word)
{
	const char *equals = strchr(word, '=');

	if (!equals)
		explain_sysctl(a, word, NULL, NULL);
	else
		explain_sysctl(a, arena_strndup(a->arena, word, (size_t)(equals - word)), equals + 1, &effect_sysctl);
}

static void explain(struct answer *a, const struct tool *t)
{
	(void)t;
	tool_options(a, options, 1);
	tool_tell(a);
	if (answer_has(a, "--system"))
		answer_does(a, "applies all files of sysctl.d now; procps reads /etc/sysctl.conf as well, systemd "
			       "does not");
	if (answer_has(a, "-p")) {
		answer_does(a, "applies one file now, /etc/sysctl.conf if none is named");
		a->rest.n = 0;
	}
	if (answer_has(a, "--system") || answer_has(a, "-p")) {
		answer_effect(a, &effect_sysctl);
		answer_no_policy(a, "what the files say has the keys max_backlog and sysctl.*");
	}
	if (answer_has(a, "-a"))
		answer_does(a, "shows every key");
	for (size_t i = 0; i < a->rest.n; i++) {
		if (i + 1 < a->rest.n && !strcmp(a->rest.at[i + 1], "=")) {
			answer_wrong(a, "blanks around = belong into a file; here they make three words");
			explain_sysctl(a, a->rest.at[i], i + 2 < a->rest.n ? a->rest.at[i + 2] : NULL, &effect_sysctl);
			i += 2;
		} else {
			assignment(a, a->rest.at[i]);
		}
	}
	if (!a->does.n)
		answer_wrong(a, "no key is named");
}

static void systemd_sysctl(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "applies all files of sysctl.d; at boot it runs before most modules are loaded, and a key that "
		       "is not there "
		       "is passed over without a word");
	answer_effect(a, &effect_sysctl);
}

const struct tool tools_sysctl[] = {
	{ .names = "sysctl", .is = "of procps, over /proc/sys", .explain = explain,
	  .no_policy = "sysctl.* and max_backlog are the keys; this sets none of them" },
	{ .names = "systemd-sysctl systemd-sysctl.service", .is = "of systemd", .explain = systemd_sysctl,
	  .no_policy = "what the files say has the keys max_backlog and sysctl.*" },
	{ 0 },
};
