/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every raw answer of this machine in one file, so that any reading command gives the same verdict elsewhere. Asks a
 * fixed list, and what a policy asks for besides if there is one; takes of the command line only module parameters.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "boot/netcfg.h"
#include "boot/ours.h"
#include "boot/units.h"
#include "cmd.h"
#include "engine/journal.h"
#include "inventory/meters.h"
#include "kernel/dump.h"
#include "kernel/ethnl.h"
#include "kernel/kernel.h"
#include "model/targets.h"
#include "policy/policy.h"
#include "progress.h"

/* sysctls that RDMA policies name (interfaces.md 7.2), so that a dump without a policy can still be judged by one */
static const char *const sysctls[] = {
	"net.core.rmem_max", "net.core.wmem_max", "net.core.rmem_default", "net.core.wmem_default",
	"net.core.netdev_max_backlog", "net.core.optmem_max", "net.core.somaxconn", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
	"net.ipv4.tcp_mem", "net.ipv4.tcp_ecn", "net.ipv4.tcp_timestamps", "net.ipv4.tcp_sack", "net.ipv4.conf.all.arp_ignore",
	"net.ipv4.conf.all.arp_announce", "net.ipv4.conf.all.rp_filter", "net.ipv4.conf.default.arp_ignore",
	"net.ipv4.conf.default.arp_announce", "net.ipv4.conf.default.rp_filter", "net.iw_cm.default_backlog",
	"kernel.numa_balancing", "vm.zone_reclaim_mode", "vm.nr_hugepages", "vm.max_map_count",
};

static const char *const modules[] = {
	"ib_core", "ib_uverbs", "rdma_ucm", "rdma_cm", "ib_umad", "ib_ipoib", "mlx5_core", "mlx5_ib", "mlx4_core", "bnxt_en",
	"bnxt_re", "ice", "irdma", "hns3", "ionic", "mana_ib", "siw", "rdma_rxe",
};

/* --- a wish for everything that a node can be asked for ----------------------- */

/* A value that nothing has: homes then ask all that a real difference makes them ask, too. */
static void wish_cell(struct cell *c)
{
	c->state = CELL_VALUE;
	c->value = (struct value){ .num = INT64_MIN, .text = "\001" };
	if (c->field->kind == KIND_BOOL)
		c->value.num = 1;
}

static void wish_module(struct session *s, struct record *want, unsigned field, const char *module)
{
	struct names params;
	char path[128];

	if (strchr(strchr(want->setting->fields[field].name, '*') + 1, '*') == NULL) {
		wish_cell(record_named(want, field, module, NULL));
		return;
	}
	snprintf(path, sizeof(path), "sys/module/%s/parameters", module);
	if (kernel_list(s->kernel, path, &params) < 0)
		return;
	for (size_t i = 0; i < params.n; i++)
		wish_cell(record_named(want, field, module, params.at[i]));
}

static void wish_named(struct session *s, struct record *want, unsigned field)
{
	const char *name = want->setting->fields[field].name;

	if (!strcmp(name, "sysctl.*"))
		for (size_t i = 0; i < sizeof(sysctls) / sizeof(sysctls[0]); i++)
			wish_cell(record_named(want, field, sysctls[i], NULL));
	else if (!strncmp(name, "modules.*", 9))
		for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
			wish_module(s, want, field, modules[i]);
}

/* Asks live and boot homes of the node for all names above: the same questions that a policy's judgement asks. */
static void ask_node(struct session *s, struct run *run, const struct target *node)
{
	struct { struct wish *at; size_t n, room; } wishes = { 0 };
	struct desired all = { 0 };
	struct finding *f;
	size_t n;

	for (size_t i = 0; i < s->catalog->nsettings; i++) {
		const struct setting *setting = s->catalog->setting[i];
		struct record *want = record_new(s->arena, setting);

		if (setting->scope != SCOPE_NODE)
			continue;
		for (unsigned j = 0; j < setting_nfields(setting); j++)
			if (strchr(setting->fields[j].name, '*'))
				wish_named(s, want, j);
			else
				wish_cell(&want->at[j]);
		list_add(&wishes, s->arena) = (struct wish){ .target = node, .setting = setting, .want = want };
	}
	all.wish = wishes.at;
	all.n = wishes.n;
	run->desired = &all;
	observe(run, &f, &n, &s->diags);
	run->desired = NULL;
}

/* Who else sets an MTU, and the private flags in which an LLDP agent of firmware shows. */
static void ask_netcfg(struct session *s)
{
	const struct facts *f = s->facts;
	struct netcfg_answer answer;
	const struct netcfg *n;
	bool on;

	if (f->nports)
		ethnl_private_flag(s->kernel, f->port[0].ifindex, "", &on);
	if (netcfg_load(s->kernel, &n) < 0)
		return;
	for (size_t i = 0; i < f->nports; i++)
		netcfg_mtu(n, &(struct netcfg_link){ .ifname = f->port[i].ifname, .ifindex = f->port[i].ifindex, .kind = "",
						     .driver = f->port[i].driver }, &answer);
	for (size_t i = 0; i < f->nuppers; i++)
		netcfg_mtu(n, &(struct netcfg_link){ .ifname = f->upper[i].ifname, .ifindex = f->upper[i].ifindex,
						     .kind = f->upper[i].kind, .driver = "" }, &answer);
}

/* Who else owns what apply would write (lldpad's abstract socket, the first line of our boot files), and if our unit is on. */
static void ask_owners(struct session *s)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct units_fault unit;

	kernel_read(s->kernel, "proc/net/unix", &t);
	kernel_read(s->kernel, JOURNAL_RUN, &t);	/* a run that was cut off, and what we set last */
	kernel_read(s->kernel, JOURNAL_APPLIED, &t);
	for (int f = 0; f < OURS_ALL; f++)
		ours_foreign(s->kernel, s->arena, (enum ours)f);
	if (units_exist(s->kernel) > 0)
		units_fault(s->kernel, s->arena, &unit);
	ask_netcfg(s);
}

/* What plan asks before it writes where somebody may be working. */
static void ask_users(struct session *s)
{
	for (size_t i = 0; i < s->facts->nports; i++)
		session_use(s, &s->facts->port[i]);
}

/* What a policy asks for besides, if there is one. Return: 0 or the exit status; the dump is written all the same. */
static int ask_policy(struct session *s, struct run *run)
{
	struct plan *plan;
	int r;

	if (!s->opt->policy && access(POLICY_DEFAULT, R_OK) < 0)
		return EXIT_SYNC;
	r = session_desired(s);
	if (r)
		return r;
	run->desired = s->desired;
	plan_build(run, &plan, &s->diags);	/* also what weighing a change asks: who else owns DCB */
	return EXIT_SYNC;
}

static void warn_readable(struct session *s)
{
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_IRGRP | S_IROTH)))
		diag_warning(&s->diags, NULL, "the dump holds names, serial numbers and addresses, and goes to a file that others can read");
}

/* What metrics ask besides. */
static void ask_counters(struct session *s)
{
	struct readings read;

	meters_init(&read);
	for (size_t i = 0; i < s->facts->nports; i++)
		meters_port(s->kernel, s->arena, &s->facts->port[i], &read);
}

static int dump(struct session *s)
{
	TEXT_CLEANUP struct text out = { 0 };
	const struct target **target;
	struct dump_header h = { .rdmactl = VERSION };
	struct kernel *machine;
	struct finding *f;
	struct run run;
	size_t n, nf;
	int r;

	if (s->opt->nargs > 1) {
		diag_error(&s->diags, NULL, "dump takes one file at most");
		return EXIT_USAGE;
	}
	r = session_facts(s);		/* who and when, for the header */
	if (r)
		return r;
	h.hostname = s->facts->hostname;
	h.kernel = s->facts->kernel;
	h.observed_at = s->facts->observed_at;
	h.observed_s = s->facts->observed_s;
	h.boot_id = s->facts->boot_id;
	machine = s->kernel;
	kernel_renew(machine);
	s->kernel = kernel_recording(s->arena, machine, &h, &out);
	s->facts = NULL;
	r = session_targets(s, &target, &n);
	if (r)
		return r;
	run = (struct run){ .kernel = s->kernel, .arena = s->arena, .catalog = s->catalog, .facts = s->facts };
	progress(s, "asks %zu ports", s->facts->nports);
	observe_all(&run, target, n, &f, &nf, &s->diags);
	progress(s, "asks the node, and what it boots with");
	ask_node(s, &run, target_of_node(s->arena));
	ask_owners(s);
	progress(s, "looks for a second who uses the ports");
	ask_users(s);
	if (s->opt->counters)
		ask_counters(s);
	progress(s, "asks what the policy asks");
	r = ask_policy(s, &run);
	progress_end(s);
	if (s->opt->nargs && strcmp(s->opt->arg[0], "-") != 0)
		return file_replace_mode(s->opt->arg[0], text_str(&out), out.n, 0600, &s->diags) < 0 ? EXIT_UNKNOWN : r;
	warn_readable(s);
	text_addn(&s->out, text_str(&out), out.n);
	return r;
}

const struct command command_dump = {
	"dump", "[FILE]", "Writes every raw answer of this machine into one file",
	OPTION_POLICY | OPTION_MACHINE | OPTION_DUMP, dump,
};
