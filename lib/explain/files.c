/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is written with echo, printf or tee, and read with cat: sysfs, procfs, configfs, debugfs, and the configuration
 * files of /etc. A file is known by the end of its path, so that device names and mount points make no difference.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "explain/tool.h"

/* The name in @path that comes after the text @after, or NULL. */
static const char *path_part(struct answer *a, const char *path, const char *after)
{
	const char *s = strstr(path, after);
	size_t n;

	if (!s)
		return NULL;
	s += strlen(after);
	n = strcspn(s, "/");
	return n ? arena_strndup(a->arena, s, n) : NULL;
}

static const char *written_path(const struct answer *a)
{
	return a->rest.n ? a->rest.at[0] : "";
}

/* --- values --------------------------------------------------------------------- */

static void take_mode(struct answer *a, const char *value)
{
	if (!strcmp(value, "RoCE v2"))
		answer_offer(a, "roce.mode", "v2");
	else if (!strcmp(value, "IB/RoCE v1"))
		answer_offer(a, "roce.mode", "v1");
	else if (shell_open_value(value))
		answer_no_policy(a, "roce.mode, with what `%s` stands for", value);
	else
		answer_wrong(a, "it takes exactly 'IB/RoCE v1' or 'RoCE v2', not '%s' (EINVAL)", value);
}

/* Kernel files take any base; a policy takes decimal. */
static const char *decimal(struct answer *a, const char *value)
{
	int64_t v;

	return tool_number(value, &v) ? arena_printf(a->arena, "%lld", (long long)v) : value;
}

static void take_global_tc(struct answer *a, const char *value)
{
	if (*value == '-') {
		answer_does(a, "a negative value takes the override away");
		answer_no_policy(a, "the override is not set by rdmactl, so there is nothing to take away");
		return;
	}
	if (!strncmp(value, "tclass=", 7))
		value += 7;
	answer_beware(a, "roce.tos reaches users of rdma_cm only; this file reaches every application");
	tool_tos(a, value);
}

static void take_per_priority(struct answer *a, const char *key, const char *value)
{
	const char *prio = strrchr(written_path(a), '/');

	prio = prio ? prio + 1 : "";
	if (!strcmp(value, "0"))
		answer_no_policy(a, "%s is the whole list of priorities: leave %s out of it", key, prio);
	else if (!strcmp(value, "1"))
		answer_entry(a, key, NULL, prio);
	else if (shell_open_value(value))
		answer_no_policy(a, "%s, with what `%s` stands for", key, value);
	else
		answer_wrong(a, "it takes 0 or 1, not '%s'", value);
}

static void take_np(struct answer *a, const char *value)
{
	take_per_priority(a, "ecn.np", value);
}

static void take_rp(struct answer *a, const char *value)
{
	take_per_priority(a, "ecn.rp", value);
}

static void take_dscp2prio(struct answer *a, const char *value)
{
	struct lines part = { 0 };

	tool_list(a, value, " ", &part);
	if (part.n >= 2)
		answer_entry(a, "qos.dscp", part.at[0], part.at[1]);
	else
		answer_wrong(a, "two numbers are due, DSCP and priority, not '%s'", value);
}

static void take_roce_enable(struct answer *a, const char *value)
{
	tool_switch(a, "roce.enabled", value, "1", "0");
}

static void take_stall(struct answer *a, const char *value)
{
	if (strcmp(value, "default") != 0 && strcmp(value, "auto") != 0)
		answer_wrong(a, "it takes default (8 s) or auto (100 ms), not '%s'", value);
	answer_offer(a, "qos.pfc_stall_prevention", value);
}

static void take_sriov(struct answer *a, const char *value)
{
	answer_does(a, "%s virtual functions; another number than 0 wants 0 first", value);
}

/* --- files ------------------------------------------------------------------------ */

#define CC(file_, key_) { "cc_params/" file_, "VALUE", .does = "DCQCN of the port, for all its queue pairs", \
			  .effect = &effect_ecn, .key = key_ }
#define ECN(path_, key_) \
	{ "ecn/" path_, "VALUE", .does = "DCQCN of the port, for all its queue pairs", .effect = &effect_ecn, \
	  .beware = "a store here ignores what it cannot read as a number, and sets zero: read it back", .key = key_ }
#define COUNTER(path_, does_) { path_, NULL, .does = does_ }
static const struct fact files[] = {
	{ "ports/*/default_roce_tos", "TOS", .does = "ToS byte of new rdma_cm connections", .effect = &effect_cm,
	  .take = tool_tos },
	{ "ports/*/default_roce_mode", "MODE", .does = "GID type that rdma_cm prefers for new connections",
	  .effect = &effect_cm,
	  .take = take_mode },
	{ "tc/*/traffic_class", "TCLASS",
	  .does = "traffic class of every connection of the port, whatever it asked for",
	  .effect = &effect_global_tc, .take = take_global_tc },
	{ "ecn/roce_np/enable/*", "0|1", .does = "answers marked packets of this priority with CNPs",
	  .effect = &effect_ecn,
	  .take = take_np },
	{ "ecn/roce_rp/enable/*", "0|1", .does = "slows senders of this priority down on a CNP", .effect = &effect_ecn,
	  .take = take_rp },
	ECN("roce_np/cnp_dscp", "ecn.cnp.dscp"),
	ECN("roce_np/cnp_802p_prio", "ecn.cnp.priority"),
	ECN("roce_np/min_time_between_cnps", "ecn.np_min_time_between_cnps"),
	ECN("roce_rp/clamp_tgt_rate", "ecn.rp_clamp_tgt_rate"),
	ECN("roce_rp/clamp_tgt_rate_after_time_inc", "ecn.rp_clamp_tgt_rate_ati"),
	ECN("roce_rp/rpg_time_reset", "ecn.rp_time_reset"),
	ECN("roce_rp/rpg_byte_reset", "ecn.rp_byte_reset"),
	ECN("roce_rp/rpg_threshold", "ecn.rp_threshold"),
	ECN("roce_rp/rpg_max_rate", "ecn.rp_max_rate"),
	ECN("roce_rp/rpg_ai_rate", "ecn.rp_ai_rate"),
	ECN("roce_rp/rpg_hai_rate", "ecn.rp_hai_rate"),
	ECN("roce_rp/rpg_gd", "ecn.rp_gd"),
	ECN("roce_rp/rpg_min_dec_fac", "ecn.rp_min_dec_fac"),
	ECN("roce_rp/rpg_min_rate", "ecn.rp_min_rate"),
	ECN("roce_rp/rate_to_set_on_first_cnp", "ecn.rp_rate_to_set_on_first_cnp"),
	ECN("roce_rp/dce_tcp_g", "ecn.rp_dce_tcp_g"),
	ECN("roce_rp/dce_tcp_rtt", "ecn.rp_dce_tcp_rtt"),
	ECN("roce_rp/rate_reduce_monitor_period", "ecn.rp_rate_reduce_monitor_period"),
	ECN("roce_rp/initial_alpha_value", "ecn.rp_initial_alpha_value"),
	CC("np_cnp_dscp", "ecn.cnp.dscp"),
	{ "cc_params/np_cnp_prio", "PRIO", .does = "priority of CNPs", .effect = &effect_ecn,
	  .beware = "writing it also sets np_cnp_prio_mode to 0", .key = "ecn.cnp.priority" },
	{ "cc_params/np_cnp_prio_mode", "0|1",
	  .does = "0: CNPs use np_cnp_prio; 1: the priority of the received packet",
	  .effect = &effect_ecn },
	CC("np_min_time_between_cnps", "ecn.np_min_time_between_cnps"),
	CC("rp_clamp_tgt_rate", "ecn.rp_clamp_tgt_rate"),
	CC("rp_clamp_tgt_rate_ati", "ecn.rp_clamp_tgt_rate_ati"),
	CC("rp_time_reset", "ecn.rp_time_reset"),
	CC("rp_byte_reset", "ecn.rp_byte_reset"),
	CC("rp_threshold", "ecn.rp_threshold"),
	CC("rp_max_rate", "ecn.rp_max_rate"),
	CC("rp_ai_rate", "ecn.rp_ai_rate"),
	CC("rp_hai_rate", "ecn.rp_hai_rate"),
	CC("rp_gd", "ecn.rp_gd"),
	CC("rp_min_dec_fac", "ecn.rp_min_dec_fac"),
	CC("rp_min_rate", "ecn.rp_min_rate"),
	CC("rp_rate_to_set_on_first_cnp", "ecn.rp_rate_to_set_on_first_cnp"),
	CC("rp_dce_tcp_g", "ecn.rp_dce_tcp_g"),
	CC("rp_dce_tcp_rtt", "ecn.rp_dce_tcp_rtt"),
	CC("rp_rate_reduce_monitor_period", "ecn.rp_rate_reduce_monitor_period"),
	CC("rp_initial_alpha_value", "ecn.rp_initial_alpha_value"),
	CC("rtt_resp_dscp", "ecn.rtt_resp_dscp"),
	CC("rtt_resp_dscp_valid", "ecn.rtt_resp_dscp_valid"),
	{ "cc_config/*", "VALUE", .does = "congestion control of bnxt_re (Linux 7.3; not in 6.12)",
	  .effect = &effect_bnxt_cc },
	{ "ports/*/cc/*", "VALUE", .does = "congestion control in configfs of Broadcom's own bnxt_re",
	  .effect = &effect_bnxt_cc,
	  .beware = "older builds read numbers without 0x as hexadecimal, and wait for 1 in `apply`" },
	{ "irdma/*/roce_dcqcn_enable", "0|1",
	  .does = "DCQCN in configfs of Intel's own irdma; the kernel's has no such knob",
	  .effect = &effect_bnxt_cc },
	{ "dcqcn_cc_param/*", "VALUE", .does = "DCQCN of hns_roce (Linux 7.3; not in 6.12)",
	  .effect = &effect_bnxt_cc },
	{ "qos/trust", "pcp|dscp", .does = "header field that gives the priority; in older vendor stacks, newer use "
					   "dcb netlink",
	  .effect = &effect_dscp, .key = "qos.trust" },
	{ "qos/dscp2prio", "DSCP PRIO", .does = "an entry of the DSCP map; in older vendor stacks, newer use dcb "
						"netlink",
	  .effect = &effect_dscp, .take = take_dscp2prio },
	{ "qos/maxrate", "LIST", .does = "limits of the 8 classes in kbit/s (vendor's stack)", .effect = &effect_rate },
	{ "qos/prio2buffer", "LIST", .does = "receive buffer of each priority (vendor's stack)",
	  .effect = &effect_buffer },
	{ "qos/buffer_size", "LIST", .does = "sizes of the receive buffers (vendor's stack)", .effect = &effect_buffer,
	  .beware = "a store makes the port manual even if nothing differs" },
	{ "settings/pfc_stall_prevention", "default|auto",
	  .does = "how long the port may be paused before it drops (vendor's stack)",
	  .effect = &effect_stall, .take = take_stall },
	{ "settings/force_local_lb_disable", "0|1",
	  .does = "loopback between queue pairs of one port (vendor's stack)" },
	{ "roce_enable", "0|1", .does = "RoCE of the function (vendor's stack); needs a devlink reload, or unbind and "
					"bind",
	  .effect = &effect_roce_driverinit, .take = take_roce_enable },
	{ "net/*/mtu", "BYTES", .does = "MTU of the interface", .effect = &effect_mtu, .key = "mtu" },
	{ "net/*/mode", "datagram|connected", .does = "mode of IPoIB; connected takes an MTU up to 65520",
	  .effect = &effect_mtu },
	{ "sriov_numvfs", "N", .does = "makes virtual functions", .effect = &effect_reload, .take = take_sriov },
	{ "sriov_drivers_autoprobe", "0|1", .does = "whether drivers bind to new virtual functions" },
	{ "driver/unbind", "BDF", .does = "takes the driver off a function", .effect = &effect_unload },
	{ "driver/bind", "BDF", .does = "gives a function to the driver", .effect = &effect_reload },
	{ "*/unbind", "BDF", .does = "takes the driver off a function", .effect = &effect_unload },
	{ "*/bind", "BDF", .does = "gives a function to the driver", .effect = &effect_reload },
	{ "pci/rescan", "1", .does = "looks for PCI functions" },
	{ "irq/*/smp_affinity", "MASK", .does = "CPUs of an interrupt, as a mask", .effect = &effect_affinity },
	{ "irq/*/smp_affinity_list", "CPUS", .does = "CPUs of an interrupt", .effect = &effect_affinity },
	{ "nr_hugepages", "N", .does = "huge pages reserved on a NUMA node; RDMA buffers want them on the NIC's",
	  .effect = &effect_sysctl },
	{ "transparent_hugepage/enabled", "WORD", .does = "huge pages without reservation", .effect = &effect_sysctl },
	/* read */
	COUNTER("hw_counters/*", "a RDMA counter of the port, kept by the driver under its own name: packet_seq_err, "
				 "local_ack_timeout_err, out_of_sequence, rp_cnp_handled, … on mlx5"),
	{ "counters/port_rcv_retransmits", NULL, .exists = EXISTS_NO,
	  .instead = "retransmission shows in hw_counters/: packet_seq_err, local_ack_timeout_err, roce_adp_retrans, "
		     "out_of_sequence; names differ by driver" },
	COUNTER("counters/symbol_error", "symbol errors of the link, 16 bits: it stops at 65535"),
	COUNTER("counters/link_downed", "how often the link went down, 8 bits: it stops at 255"),
	COUNTER("counters/link_error_recovery", "how often the link recovered, 8 bits: it stops at 255"),
	COUNTER("counters/port_xmit_data", "words of 4 bytes sent"),
	COUNTER("counters/port_rcv_data", "words of 4 bytes received"),
	COUNTER("counters/port_xmit_wait", "InfiniBand: ticks without credits"),
	COUNTER("counters/*", "a counter of the port's MAD query, which few drivers answer; elsewhere the file is "
			      "missing, or "
			      "reads N/A (no PMA)"),
	COUNTER("cm_rx_msgs/*", "messages of the connection manager received; req that outgrows rep and rej sent "
				"tells of a full backlog"),
	COUNTER("cm_tx_msgs/*", "messages of the connection manager sent"),
	COUNTER("cm_tx_retries/*", "messages of the connection manager sent again; req rising: connects are not "
				   "answered"),
	COUNTER("gids/*", "a GID; which index is which differs from node to node"),
	COUNTER("gid_attrs/types/*", "RoCE version of a GID; EINVAL if the entry is empty"),
	COUNTER("gid_attrs/ndevs/*", "netdev of a GID; EINVAL if the entry is empty"),
	COUNTER("ports/*/state", "state of the port: 4: ACTIVE"),
	COUNTER("ports/*/phys_state", "physical state of the port: 5: LinkUp"),
	COUNTER("ports/*/rate", "rate of the port; Linux 6.1 shows XDR as 10 Gb/sec"),
	COUNTER("ports/*/link_layer", "InfiniBand or Ethernet; iWARP says Ethernet, too"),
	COUNTER("ports/*/sm_lid", "LID of the subnet manager; 0x0: there is none"),
	COUNTER("fw_ver", "firmware that runs"),
	COUNTER("board_id", "board (PSID of mlx5), by which firmware is chosen"),
	COUNTER("hca_type", "MT and the PCI device number in decimal"),
	COUNTER("current_link_speed", "PCIe speed now; the card's most is max_link_speed, the slot's is that of the "
				      "device above"),
	COUNTER("current_link_width", "PCIe lanes now"),
	COUNTER("max_link_speed", "PCIe speed of the card, not of the slot"),
	COUNTER("max_link_width", "PCIe lanes of the card, not of the slot"),
	COUNTER("numa_node", "NUMA node of the device; -1: the firmware does not say"),
	COUNTER("local_cpulist", "CPUs near the device"),
	COUNTER("net/*/speed", "Mb/s of the link"),
	/* published, and nowhere */
	{ "qdisc_rx/dscp_prio", "DSCP PRIO", .exists = EXISTS_NO, .take = take_dscp2prio,
	  .instead = "dcb app replace dev IFNAME dscp-prio 26:3; mlnx_qos -i IFNAME --dscp2prio set,26,3; "
		     "qos/dscp2prio in older "
		     "vendor stacks" },
	{ 0 },
};

/*
 * Do the last parts of @path match all parts of @pattern, a `*` any one? In "$ECN/roce_np/enable/3" the variable stands for
 * all that comes before: two names behind it tell the file.
 */
static bool path_ends(const char *path, const char *pattern)
{
	const char *p = path + strlen(path), *q = pattern + strlen(pattern);
	unsigned named = 0;

	for (;;) {
		const char *part = p, *want = q;

		while (part > path && part[-1] != '/')
			part--;
		while (want > pattern && want[-1] != '/')
			want--;
		if (part == path && *part == '$')
			return named >= 2;
		if (p - part == q - want && !strncmp(part, want, (size_t)(q - want)))
			named++;
		else if (!(q - want == 1 && *want == '*' && p > part))
			return false;
		if (want == pattern)
			return true;
		if (part == path)
			return false;
		p = part - 1;
		q = want - 1;
	}
}

/* The first row that matches: the table has single files before whole folders. */
static const struct fact *find_file(const char *path)
{
	for (const struct fact *f = files; f->name; f++)
		if (path_ends(path, f->name))
			return f;
	return NULL;
}

/* Folders of which every file stands in the table: what is not there does not exist. */
static bool is_whole(const char *path)
{
	return strstr(path, "/roce_np/") || strstr(path, "/roce_rp/") || strstr(path, "/cc_params/") || strstr(path, "/rdma_cm/");
}

static const char *nearest_file(struct answer *a, const char *name)
{
	struct lines names = { 0 };

	for (const struct fact *f = files; f->name; f++)
		if (f->exists == EXISTS_YES)
			list_add(&names, a->arena) = shell_basename(f->name);
	list_add(&names, a->arena) = NULL;
	return text_nearest(name, names.at);
}

/* Elsewhere, that a file is in no table says nothing about the machine. */
static void unknown_file(struct answer *a, const char *path)
{
	const char *near = nearest_file(a, shell_basename(path)), *is = near ? "; the nearest name is " : "";

	if (near && !strchr(path, '/') && !strcmp(near, path)) {
		answer_wrong(a, "there are several files %s: give the whole path", path);
		return;
	}
	answer_not(a, is_whole(path) ? EXISTS_NO : EXISTS_UNKNOWN);
	if (is_whole(path)) {
		answer_wrong(a, "there is no file %s%s%s", path, is, near ? near : "");
	} else if (*path == '$') {
		answer_does(a, "which file %s is depends on what the variable stands for", path);
		answer_no_policy(a, "give the path with what `%.*s` stands for", (int)strcspn(path, "/"), path);
	} else {
		answer_does(a, "nothing is known of the file %s%s%s", path, is, near ? near : "");
		answer_no_policy(a, "nothing is known of what it would replace");
	}
}

/* --- one file --------------------------------------------------------------------------- */

static void special(struct answer *a, const char *path, const char *value)
{
	const char *module = path_part(a, path, "/sys/module/"), *name = path_part(a, path, "/parameters/");
	const char *sysctl = strstr(path, "proc/sys/");

	if (sysctl) {
		answer_is(a, "procfs: a sysctl");
		explain_sysctl(a, sysctl + strlen("proc/sys/"), value, &effect_sysctl);
	} else if (module && name) {
		const char *option = arena_printf(a->arena, "%s=%s", name, value ? value : "");

		answer_is(a, "sysfs: a parameter of the module %s", module);
		answer_does(a, "%s the running value of %s; one with mode 0444 is given when the module is loaded, "
			       "and not later",
			    value ? "writes" : "shows", name);
		if (value)
			explain_module_options(a, module, (const char *const[]){ option }, 1);
		if (value && a->exists == EXISTS_YES)
			answer_effect(a, &effect_parameter);
	}
}

static bool is_special(const char *path)
{
	return strstr(path, "proc/sys/") || (strstr(path, "/sys/module/") && strstr(path, "/parameters/"));
}

static const char *folder_words(const char *path)
{
	return strstr(path, "/config/") ? "configfs" : strstr(path, "/debug/") ? "debugfs, for root and without "
										 "lockdown only"
	     : strstr(path, "proc/") ? "procfs" : strstr(path, "sys/") ? "sysfs" : "a file";
}

/* The last parts of a path: two where the last is a number, "enable/3". */
static const char *short_path(const char *path)
{
	const char *s = shell_basename(path);

	if (s[strspn(s, "0123456789")] || s - path < 2)
		return s;
	for (s--; s > path && s[-1] != '/'; s--)
		;
	return s;
}

static const char *whole_path(const struct answer *a, const char *path)
{
	return *path != '/' && a->command->folder ? arena_printf(a->arena, "%s/%s", a->command->folder, path) : path;
}

void explain_file(struct answer *a, const char *path, const char *value, bool append)
{
	const struct fact *f;
	struct fact one;

	path = whole_path(a, path);
	f = find_file(path);
	a->rest.n = 0;
	list_add(&a->rest, a->arena) = path;
	if (is_special(path)) {
		special(a, path, value);
		return;
	}
	if (value && !f && explain_configuration(a, path, value, append))
		return;
	answer_is(a, "%s", folder_words(path));
	a->device = path_part(a, path, "/net/");
	if (!a->device)
		a->device = path_part(a, path, "infiniband/");
	if (!a->device)
		a->device = path_part(a, path, "rdma_cm/");
	if (!a->device)
		a->device = path_part(a, path, "mlx5/");
	a->writes = a->writes || (value && (!f || f->value));
	if (!f) {
		unknown_file(a, path);
		return;
	}
	if (f->exists != EXISTS_YES)
		answer_not(a, f->exists);
	one = *f;
	one.name = short_path(path);
	if (!value) {			/* reading costs nothing and sets nothing */
		one.value = NULL;
		one.effect = NULL;
		one.take = NULL;
		one.beware = NULL;
	}
	answer_fact(a, &one, value && (f->key || f->take == tool_tos) ? decimal(a, value) : value);
	if (value && !f->value && f->exists == EXISTS_YES)
		answer_wrong(a, "%s is read only", path);
}

/* --- programs ---------------------------------------------------------------------------- */

/* "%s\n" with the words behind it, again for as many as there are; what is no %s or %d stays as it is. */
static void add_printed(struct text *t, const char *format, const char *const *word, size_t n)
{
	size_t used, i = 0;

	do {
		used = i;
		for (const char *f = format; *f; f++) {
			if (*f != '%' || !f[1] || !strchr("sdiu%", f[1])) {
				text_char(t, *f);
				continue;
			}
			f++;
			text_add(t, *f == '%' ? "%" : i < n ? word[i] : "");
			i += *f != '%';
		}
	} while (i < n && i > used);
}

const char *tool_echoed(struct arena *a, const struct simple *c)
{
	TEXT_CLEANUP struct text t = { 0 };
	size_t i = 1;
	char *s;

	while (i < c->n && (!strcmp(c->word[i], "-n") || !strcmp(c->word[i], "-e") || !strcmp(c->word[i], "-ne") ||
			    !strcmp(c->word[i], "-en") || !strcmp(c->word[i], "-E") || !strcmp(c->word[i], "--")))
		i++;
	if (i < c->n && !strcmp(shell_basename(c->word[0]), "printf"))
		add_printed(&t, c->word[i], c->word + i + 1, c->n - i - 1);
	else
		for (; i < c->n; i++)
			text_printf(&t, "%s%s", t.n ? " " : "", c->word[i]);
	s = arena_strndup(a, text_str(&t), t.n);
	for (char *e = strstr(s, "\\n"); e; e = strstr(e, "\\n")) {
		e[0] = '\n';
		memmove(e + 1, e + 2, strlen(e + 2) + 1);
	}
	s[text_trim(s, strlen(s))] = '\0';
	return s;
}

/* What is written of it nobody can say from here: it is taken for a substitution. */
#define NOT_KNOWN "$(…)"

/* Where the command's standard output goes, if to files that matter. Return: how many */
static size_t redirected(struct answer *a, const char *value)
{
	size_t n = 0;

	for (size_t i = 0; i < a->command->nredirects; i++) {
		const struct redirect *to = &a->command->redirect[i];

		if (to->op == '<' || to->errors || !strncmp(to->path, "/dev/", 5))
			continue;
		explain_file(a, to->path, value, to->op == 'a');
		n++;
	}
	return n;
}

static void echo(struct answer *a, const struct tool *t)
{
	(void)t;
	a->idle = !redirected(a, tool_echoed(a->arena, a->command));
}

static void tee(struct answer *a, const struct tool *t)
{
	bool append = false;
	const char *value = a->command->input ? a->command->input : NOT_KNOWN;

	(void)t;
	for (size_t i = 1; i < a->command->n; i++) {
		const char *word = a->command->word[i];

		if (!strcmp(word, "-a") || !strcmp(word, "--append"))
			append = true;
		else if (*word != '-' && strncmp(word, "/dev/", 5) != 0)
			explain_file(a, word, value, append);
	}
}

static void cat(struct answer *a, const struct tool *t)
{
	size_t n = redirected(a, a->command->input ? a->command->input : NOT_KNOWN);

	(void)t;
	if (n)
		return;
	for (size_t i = 1; i < a->command->n; i++)
		if (strchr(a->command->word[i], '/')) {
			explain_file(a, a->command->word[i], NULL, false);
			n++;
		}
	a->idle = !n;
}

static void folder(struct answer *a, const struct tool *t)
{
	const char *path = a->command->n > 1 ? a->command->word[a->command->n - 1] : "";

	(void)t;
	if (strstr(path, "rdma_cm/"))
		answer_does(a, "shows a device's RDMA CM defaults in configfs (ENODEV if there is none of that name); "
			       "they live in the "
			       "kernel, also without the folder");
	else if (strstr(path, "/config/"))
		answer_does(a, "makes or removes a view in configfs");
	else
		answer_does(a, "makes or removes a folder");
	answer_no_policy(a, "rdmactl makes and removes such a view by itself; roce.mode and roce.tos are the keys");
}

const struct tool tools_files[] = {
	{ .names = "echo printf", .is = "writes words", .explain = echo },
	{ .names = "tee", .is = "writes what is piped to it", .explain = tee },
	{ .names = "cat head tail less more", .is = "reads", .explain = cat, .no_policy = "it reads" },
	{ .names = "mkdir rmdir", .is = "folders", .explain = folder },
	{ 0 },
};
