/* SPDX-License-Identifier: Apache-2.0 */
/* max_backlog, sysctl.*, modules.*: read, judged and written by the engine over trees of files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "boot/initramfs.h"
#include "engine/engine.h"
#include "root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OUR_SYSCTL "etc/sysctl.d/zz-rdmactl.conf"
#define OUR_MODPROBE "etc/modprobe.d/zz-rdmactl.conf"
#define OUR_MODLOAD "etc/modules-load.d/rdmactl.conf"
#define MARK "# Written by rdmactl.\\n"

extern const struct setting setting_modules, setting_max_backlog, setting_sysctl;

static const struct setting *const settings[] = { &setting_modules, &setting_max_backlog, &setting_sysctl };
static const struct vendor other = { .name = "other" };
static const struct vendor *const vendors[] = { &other };
static const struct catalog catalog = { settings, COUNT(settings), vendors, 1, NULL };
static const struct target node_target = { .scope = SCOPE_NODE, .name = "node", .group = "", .ifname = "" };
static const struct facts node_facts = { .hostname = "node", .kernel = "6.1.0" };
static const struct source policy = { "/etc/rdmactl/policy.yaml", NULL, 0 };

/* A node with its wish. */
struct node {
	struct root *r;
	struct record *want[COUNT(settings)];
	struct wish wishes[COUNT(settings)];
	struct desired desired;
	struct run run;
	struct plan *plan;
};

static struct node *node_open(const char *tree)
{
	struct node *n = calloc(1, sizeof(*n));

	n->r = root_open(tree);
	for (size_t i = 0; i < COUNT(settings); i++)
		n->want[i] = record_new(n->r->a, settings[i]);
	n->run = (struct run){ .kernel = n->r->k, .arena = n->r->a, .catalog = &catalog, .facts = &node_facts,
			       .desired = &n->desired, .want_rows = true };
	return n;
}

static void node_close(struct node *n)
{
	root_close(n->r);
	free(n);
}

/* The cell for "modules.ib_core.options.netns_mode", made if it is not there. */
static struct cell *cell_of(struct node *n, const char *name)
{
	char copy[128], *second = NULL, *behind;
	const struct setting *s;
	const struct field *f = catalog_field(&catalog, name, &s);
	size_t at = 0;

	assert_non_null(f);
	while (settings[at] != s)
		at++;
	if (!strchr(f->name, '*'))
		return &n->want[at]->at[f - s->fields];
	snprintf(copy, sizeof(copy), "%s", strchr(name, '.') + 1);
	if (s == &setting_modules) {
		behind = strchr(copy, '.');
		*behind++ = 0;
		second = strncmp(behind, "options.", 8) ? NULL : behind + 8;
	}
	return record_named(n->want[at], (unsigned)(f - s->fields), copy, second);
}

static void wish(struct node *n, const char *name, const char *value)
{
	struct cell *c = cell_of(n, name);
	const char *why = NULL;

	if (value_parse(c->field, value, &c->value, n->r->a, &why) < 0)
		fail_msg("%s %s", value, why);
	c->state = CELL_VALUE;
	c->pos = (struct pos){ .source = &policy, .line = 7, .col = 3 };
}

/* Reads, judges and plans afresh. */
static struct plan *plan(struct node *n)
{
	n->desired = (struct desired){ .node = "node", .wish = n->wishes };
	for (size_t i = 0; i < COUNT(settings); i++)
		if (record_managed(n->want[i]))
			n->wishes[n->desired.n++] = (struct wish){ .target = &node_target, .setting = settings[i], .want = n->want[i] };
	kernel_renew(n->r->k);
	assert_int_equal(plan_build(&n->run, &n->plan, &n->r->d), 0);
	return n->plan;
}

static const struct row *row(const struct node *n, const char *name)
{
	for (size_t i = 0; i < n->plan->nrows; i++)
		if (!strcmp(n->plan->row[i].name, name))
			return &n->plan->row[i];
	fail_msg("no row %s", name);
	return NULL;
}

static int apply(struct node *n)
{
	struct outcome out = { 0 };

	plan(n);
	return apply_run(&n->run, &out, &n->r->d);
}

static const char *content(struct node *n, const char *path)
{
	TEXT_CLEANUP struct text t = { 0 };

	return kernel_read(n->r->k, path, &t) < 0 ? "(none)" : arena_strndup(n->r->a, text_str(&t), t.n);
}

static const char *shown(struct node *n, const struct cell *c)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (c->state != CELL_VALUE)
		return c->state == CELL_REASON ? reason_name(c->reason) : "(silent)";
	value_print(c->field, &c->value, &t);
	return arena_strdup(n->r->a, text_str(&t));
}

static void says(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("\"%s\" does not say \"%s\"", text ? text : "(nothing)", part);
}

/* --- the cases ------------------------------------------------------------------ */

static void later_file_wins(void **state)
{
	struct node *n = node_open("tests/cases/modprobe-later-file-wins/tree.tsv");
	const struct row *mac, *vlan;

	(void)state;
	wish(n, "modules.mlx4_core.options.log_num_mac", "7");
	wish(n, "modules.mlx4_core.options.log_num_vlan", "1");
	plan(n);
	mac = row(n, "modules.mlx4_core.options.log_num_mac");
	vlan = row(n, "modules.mlx4_core.options.log_num_vlan");
	assert_int_equal(mac->status, STATUS_DRIFT);
	assert_string_equal(shown(n, mac->boot), "3");
	assert_string_equal(mac->boot->pos.source->name, "/etc/modprobe.d/mlx4.conf");
	assert_int_equal(mac->boot->pos.line, 1);
	says(mac->boot->because, "/etc/modprobe.d/mlx4.conf:1 wins");
	says(mac->boot->because, "/etc/modprobe.d/50-rdmactl.conf:1, which says what is wanted, is outvoted");
	assert_string_equal(shown(n, vlan->boot), "1");
	assert_false(vlan->boot_wrong);
	assert_string_equal(shown(n, vlan->live), "not-recorded");

	assert_int_equal(apply(n), 2);	/* boot is right now, nothing runs here */
	assert_string_equal(content(n, "etc/modprobe.d/mlx4.conf"), "options mlx4_core log_num_mac=3\n");
	says(content(n, OUR_MODPROBE), "\noptions mlx4_core log_num_mac=7\noptions mlx4_core log_num_vlan=1\n");
	assert_false(row(n, "modules.mlx4_core.options.log_num_mac")->status == STATUS_IN_SYNC);
	plan(n);
	assert_false(row(n, "modules.mlx4_core.options.log_num_mac")->boot_wrong);
	node_close(n);
}

static void line_grammar(void **state)
{
	struct node *n = node_open("tests/cases/modprobe-line-grammar/tree.tsv");

	(void)state;
	wish(n, "modules.ib_core.options.netns_mode", "0");
	wish(n, "modules.mlx4_core.options.log_num_mac", "7");
	wish(n, "modules.mlx4_core.options.log_num_vlan", "3");
	plan(n);
	plan(n);			/* warnings are told once */
	assert_true(row(n, "modules.ib_core.options.netns_mode")->boot_wrong);
	assert_string_equal(shown(n, row(n, "modules.ib_core.options.netns_mode")->boot), "(not set)");
	assert_false(row(n, "modules.mlx4_core.options.log_num_mac")->boot_wrong);
	assert_false(row(n, "modules.mlx4_core.options.log_num_vlan")->boot_wrong);
	assert_int_equal(n->r->d.warnings, 2);
	assert_int_equal(n->r->d.at[0].pos.line, 1);
	says(n->r->d.at[0].what, "line 1 is ignored by modprobe");
	assert_int_equal(n->r->d.at[1].pos.line, 2);
	says(n->r->d.at[1].what, "line 2 has text after # that is passed to the module as parameters");
	node_close(n);
}

static void bool_live_n(void **state)
{
	static const char *const spellings[] = { "0", "N", "n", "false", "off" };

	(void)state;
	for (size_t i = 0; i < COUNT(spellings); i++) {
		struct node *n = node_open("tests/cases/module-bool-live-N/tree.tsv");

		wish(n, "modules.ib_core.options.netns_mode", spellings[i]);
		plan(n);
		assert_int_equal(n->plan->count[STATUS_IN_SYNC], 1);
		assert_int_equal(n->plan->n, 0);
		assert_int_equal(apply(n), 0);
		assert_int_equal(n->r->k->writes, 0);
		node_close(n);
	}
}

static void sysctl_conf_wins(void **state)
{
	struct node *n = node_open("tests/cases/sysctl-99-sysctl-conf-wins/tree.tsv");
	const struct row *r;

	(void)state;
	wish(n, "sysctl.net.core.rmem_max", "67108864");
	plan(n);
	r = row(n, "sysctl.net.core.rmem_max");
	assert_int_equal(r->status, STATUS_DRIFT);
	assert_string_equal(shown(n, r->boot), "212992");
	says(r->boot->because, "/etc/sysctl.d/99-sysctl.conf:1 (a link to ../sysctl.conf) wins");
	says(r->boot->because, "/etc/sysctl.d/99-rdmactl.conf:1");
	apply(n);
	plan(n);
	assert_false(row(n, "sysctl.net.core.rmem_max")->boot_wrong);
	assert_string_equal(content(n, "etc/sysctl.conf"), "net.core.rmem_max=212992\n");
	node_close(n);
}

static void ucm_key_absent(void **state)
{
	struct node *n = node_open("tests/cases/sysctl-ucm-key-absent/tree.tsv");
	const struct row *r;

	(void)state;
	wish(n, "max_backlog", "4096");
	plan(n);
	r = row(n, "max_backlog");
	assert_int_equal(r->status, STATUS_DRIFT);
	assert_string_equal(r->reason, "module-not-loaded");
	says(r->cause, "rdma_ucm not loaded");
	says(r->remedy, "modprobe rdma_ucm");
	says(r->remedy, "names it in /etc/modules-load.d/rdmactl.conf");
	assert_string_equal(shown(n, r->boot), "module-not-loaded");
	says(r->boot->because, "/etc/sysctl.d/zz-rdmactl.conf:1");
	node_close(n);
}

/* --- max_backlog at boot --------------------------------------------------------- */

#define SET "etc/sysctl.d/50-x.conf", "net.rdma_ucm.max_backlog = 8192\n"
#define EARLY "etc/modules-load.d/x.conf", "rdma_ucm\n"
#define LATE "etc/rdma/modules/rdma.conf", "rdma_ucm\n"

static void backlog_boot(void **state)
{
	static const struct {
		const char *why;
		struct { const char *path, *text; } file[4];
		const char *boot, *because;	/* because NULL: none */
	} rows[] = {
		{ "set and loaded early", { { SET }, { EARLY } }, "8192", NULL },
		{ "set, loaded by name on the command line", { { SET }, { "proc/cmdline", "modules_load=rdma_ucm" } }, "8192", NULL },
		{ "set, nobody loads it", { { SET } }, "module-not-loaded", "nothing loads rdma_ucm before" },
		{ "set, loaded by rdma-core", { { SET }, { LATE } }, "module-not-loaded",
		  "rdma_ucm is loaded later (/etc/rdma/modules/rdma.conf:1)" },
		{ "loaded early, but blacklisted", { { SET }, { EARLY }, { "etc/modprobe.d/b.conf", "blacklist rdma_ucm\n" } },
		  "module-not-loaded", "/etc/modprobe.d/b.conf:1 keeps rdma_ucm from being loaded" },
		{ "loaded early, but install runs true",
		  { { SET }, { EARLY }, { "etc/modprobe.d/b.conf", "\ninstall rdma_ucm /bin/true\n" } },
		  "module-not-loaded", "/etc/modprobe.d/b.conf:2 keeps rdma_ucm from being loaded" },
		{ "built in", { { SET }, { "lib/modules/6.1.0/modules.builtin", "kernel/drivers/infiniband/core/rdma_ucm.ko\n" } },
		  "8192", NULL },
		{ "built in, without a directory of its own",
		  { { SET }, { "sys/module/ib_core/initstate", "live\n" }, { "proc/sys/net/rdma_ucm/max_backlog", "8192\n" } },
		  "8192", NULL },
		{ "loaded by hand is not loaded at boot",
		  { { SET }, { "sys/module/rdma_ucm/initstate", "live\n" }, { "proc/sys/net/rdma_ucm/max_backlog", "8192\n" } },
		  "module-not-loaded", "nothing loads rdma_ucm" },
		{ "a udev rule sets it when the module comes",
		  { { SET }, { LATE },
		    { "etc/udev/rules.d/90.rules", "ACTION==\"add\", SUBSYSTEM==\"module\", KERNEL==\"rdma_ucm\", "
						   "RUN+=\"/lib/systemd/systemd-sysctl --prefix=/net/rdma_ucm\"\n" } },
		  "8192", NULL },
		{ "not set: the kernel's own value", { { EARLY } }, "1024", "no file in sysctl.d sets it" },
		{ "another value", { { "etc/sysctl.d/a.conf", "net.rdma_ucm.max_backlog=0x10\n" }, { EARLY } }, "16",
		  "/etc/sysctl.d/a.conf:1 decides" },
		{ "no number", { { "etc/sysctl.d/a.conf", "net.rdma_ucm.max_backlog=many\n" }, { EARLY } }, "1024",
		  "/etc/sysctl.d/a.conf:1 says \"many\", which the kernel refuses" },
		{ "too large", { { "etc/sysctl.d/a.conf", "net.rdma_ucm.max_backlog=2147483648\n" }, { EARLY } }, "1024",
		  "which the kernel refuses" },
		{ "taken out again", { { SET }, { EARLY }, { "etc/sysctl.d/60.conf", "-net.rdma_ucm.max_backlog\n" } }, "1024",
		  "/etc/sysctl.d/60.conf:1 takes the key out again" },
		{ "a pattern comes too early as well", { { "etc/sysctl.d/a.conf", "net.rdma_ucm.*=8192\n" }, { LATE } },
		  "module-not-loaded", "loaded later" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct node *n = node_open(NULL);
		const struct cell *boot;

		for (size_t f = 0; f < COUNT(rows[i].file) && rows[i].file[f].path; f++)
			root_put(n->r, rows[i].file[f].path, rows[i].file[f].text);
		wish(n, "max_backlog", "8192");
		plan(n);
		boot = row(n, "max_backlog")->boot;
		if (strcmp(shown(n, boot), rows[i].boot))
			fail_msg("%s: %s (%s)", rows[i].why, shown(n, boot), boot->because);
		if (rows[i].because)
			says(boot->because, rows[i].because);
		else
			assert_null(boot->because);
		assert_int_equal(row(n, "max_backlog")->boot_wrong, rows[i].because != NULL);

		n->run.boot_files_only = true;	/* whatever it was, apply makes it right, unless somebody is in the way */
		apply(n);
		plan(n);
		if (row(n, "max_backlog")->boot_wrong != !strncmp(rows[i].file[2].path ? rows[i].file[2].path : "", "etc/modprobe.d", 14))
			fail_msg("%s: %s after apply", rows[i].why, row(n, "max_backlog")->boot->because);
		node_close(n);
	}
}

/* --- as it runs -------------------------------------------------------------------- */

static int (*plain_read)(struct kernel *k, const char *path, struct text *out);
static int read_err;

static int read_refused(struct kernel *k, const char *path, struct text *out)
{
	return strncmp(path, "proc/sys/", 9) && strncmp(path, "sys/module/", 11) ? plain_read(k, path, out) : read_err;
}

static void live(void **state)
{
	static const struct {
		const char *name, *want;
		struct { const char *path, *text; } file[2];
		int err;
		const char *live, *because;
		bool same;
	} rows[] = {
		{ "max_backlog", "8192", { { "proc/sys/net/rdma_ucm/max_backlog", "8192\n" } }, 0, "8192", NULL, true },
		{ "max_backlog", "8192", { { "proc/sys/net/rdma_ucm/max_backlog", "-5\n" } }, 0, "-5", NULL, false },
		{ "max_backlog", "8192", { { "proc/sys/net/rdma_ucm/max_backlog", "x\n" } }, 0, "unreadable", "not a number", false },
		{ "max_backlog", "8192", { { "etc/x", "" } }, 0, "not-recorded", "there is no /proc/sys", false },
		{ "max_backlog", "8192", { { "proc/sys/kernel/x", "1\n" }, { "sys/module/rdma_ucm/initstate", "live\n" } }, 0,
		  "not-permitted", "network namespace", false },
		{ "max_backlog", "8192", { { "proc/sys/net/rdma_ucm/max_backlog", "8192\n" } }, -EACCES, "not-permitted", NULL, false },
		{ "max_backlog", "8192", { { "proc/sys/net/rdma_ucm/max_backlog", "8192\n" } }, -ENODATA, "not-recorded", NULL, false },
		{ "max_backlog", "8192", { { "proc/sys/net/rdma_ucm/max_backlog", "8192\n" } }, -EIO, "unreadable", NULL, false },
		{ "sysctl.net.ipv4.tcp_rmem", "4096 131072 6291456", { { "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n" } }, 0,
		  "4096 131072 6291456", NULL, true },
		{ "sysctl.net.ipv4.tcp_rmem", "4096 131072 6291456", { { "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\n" } }, 0,
		  "4096 131072", NULL, false },
		{ "sysctl.net.ipv4.conf.eth0/100.rp_filter", "2", { { "proc/sys/net/ipv4/conf/eth0.100/rp_filter", "2\n" } }, 0,
		  "2", NULL, true },
		{ "sysctl.net/ipv4/conf/eth0.100/rp_filter", "2", { { "proc/sys/net/ipv4/conf/eth0.100/rp_filter", "2\n" } }, 0,
		  "2", NULL, true },
		{ "sysctl.net.ipv4.conf.eth9.rp_filter", "2", { { "proc/sys/kernel/x", "1\n" } }, 0, "driver-lacks",
		  "there is no interface eth9", false },
		{ "sysctl.net.ipv4.conf.all.rp_filtre", "2", { { "proc/sys/kernel/x", "1\n" } }, 0, "driver-lacks", "the name is misspelled",
		  false },
		{ "sysctl.net.core.rmem_mxa", "2", { { "proc/sys/kernel/x", "1\n" } }, 0, "driver-lacks", "this kernel has no", false },
		{ "sysctl.net.iw_cm.default_backlog", "512", { { "proc/sys/kernel/x", "1\n" } }, 0, "module-not-loaded",
		  "iw_cm not loaded", false },
		{ "sysctl.kernel.core_pattern", "core", { { "proc/sys/kernel/core_pattern", "\n" } }, 0, "", NULL, false },
		{ "modules.ib_core.options.netns_mode", "0", { { "sys/module/ib_core/parameters/netns_mode", "Y\n" } }, 0, "Y",
		  "ib_core was loaded with another value", false },
		{ "modules.ib-core.options.netns-mode", "1", { { "sys/module/ib_core/parameters/netns_mode", "Y\n" } }, 0, "Y", NULL,
		  true },
		{ "modules.ib_core.options.netns_mode", "0", { { "sys/module/x/initstate", "live\n" } }, 0, "module-not-loaded",
		  "ib_core not loaded", false },
		{ "modules.ib_core.options.nets_mode", "0", { { "sys/module/ib_core/initstate", "live\n" } }, 0, "driver-lacks",
		  "no parameter of this name", false },
		{ "modules.ib_core.options.force_mr", "Y", { { "sys/module/ib_core/initstate", "live\n" } }, 0, "write-only",
		  "permission 0", false },
		{ "modules.ib_core.options.netns_mode", "0", { { "etc/x", "" } }, 0, "not-recorded", "there is no /sys/module", false },
		{ "modules.ib_core.options.netns_mode", "0", { { "sys/module/ib_core/parameters/netns_mode", "Y\n" } }, -EACCES,
		  "not-permitted", NULL, false },
		{ "modules.rdma_ucm.load", "true", { { "sys/module/rdma_ucm/initstate", "live\n" } }, 0, "true", NULL, true },
		{ "modules.rdma_ucm.load", "true", { { "sys/module/x/initstate", "live\n" } }, 0, "false", "modprobe rdma_ucm", false },
		{ "modules.rdma_ucm.load", "false", { { "sys/module/rdma_ucm/initstate", "live\n" } }, 0, "false", NULL, true },
		{ "modules.rdma-ucm.load", "true", { { "lib/modules/6.1.0/modules.builtin", "rdma_ucm.ko" } }, 0, "true", NULL, true },
		{ "modules.rdma_ucm.load", "true", { { "etc/x", "" } }, 0, "not-recorded", "there is no /sys/module", false },
		{ "modules.irdma.blacklist", "true", { { "sys/module/irdma/initstate", "live\n" } }, 0, "false", "irdma is loaded", false },
		{ "modules.irdma.blacklist", "true", { { "sys/module/x/initstate", "live\n" } }, 0, "true", NULL, true },
		{ "modules.irdma.blacklist", "false", { { "sys/module/x/initstate", "live\n" } }, 0, "false", NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct node *n = node_open(NULL);
		const struct row *r;

		for (size_t f = 0; f < COUNT(rows[i].file) && rows[i].file[f].path; f++)
			root_put(n->r, rows[i].file[f].path, rows[i].file[f].text);
		if (rows[i].err) {
			plain_read = n->r->ops.read;
			n->r->ops.read = read_refused;
			read_err = rows[i].err;
		}
		wish(n, rows[i].name, rows[i].want);
		plan(n);
		r = row(n, cell_of(n, rows[i].name)->name);
		if (strcmp(shown(n, r->live), rows[i].live))
			fail_msg("row %zu, %s: %s (%s)", i, rows[i].name, shown(n, r->live), r->live->because);
		if (rows[i].because)
			says(r->live->because, rows[i].because);
		if ((r->live->state == CELL_VALUE && !r->live_wrong) != rows[i].same)
			fail_msg("row %zu, %s: compared", i, rows[i].name);
		node_close(n);
	}
}

/* Once boot is right, what waits for a module is pending; a wrong line is drift whatever runs. */
static void pending(void **state)
{
	struct node *n = node_open(NULL);

	(void)state;
	root_put(n->r, "proc/sys/kernel/x", "1\n");
	root_put(n->r, "sys/module/ib_core/initstate", "live\n");
	root_put(n->r, "sys/module/ib_core/parameters/netns_mode", "Y\n");
	wish(n, "max_backlog", "8192");
	wish(n, "modules.rdma_ucm.load", "true");
	wish(n, "modules.ib_core.options.netns_mode", "0");
	plan(n);
	assert_int_equal(n->plan->count[STATUS_DRIFT], 3);
	assert_int_equal(apply(n), 0);
	plan(n);
	assert_int_equal(n->plan->count[STATUS_PENDING], 2);	/* max_backlog comes with rdma_ucm: one fault */
	assert_true(row(n, "max_backlog")->follows);
	assert_string_equal(row(n, "max_backlog")->event, "reboot");
	assert_string_equal(row(n, "modules.rdma_ucm.load")->event, "reboot");
	assert_string_equal(row(n, "modules.ib_core.options.netns_mode")->event, "reload");
	assert_int_equal(n->plan->n, 0);
	node_close(n);
}

static void set_mtime(struct node *n, const char *path, int64_t s)
{
	struct timespec t[2] = { { .tv_sec = s }, { .tv_sec = s } };
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", n->r->dir, path);
	assert_int_equal(utimensat(AT_FDCWD, full, t, 0), 0);
}

#define IMAGE_DEBIAN "boot/initrd.img-6.1.0"

/* What apply writes is not in the initramfs: drift with the command, until that ran, or what runs shows that it counts. */
static void initramfs_is_older(void **state)
{
	const char *name = "modules.ib_core.options.netns_mode";
	struct facts facts = { .hostname = "node", .kernel = "6.1.0", .observed_s = 2000 };
	struct node *n = node_open(NULL);

	(void)state;
	n->run.facts = &facts;
	root_put(n->r, IMAGE_DEBIAN, "x");
	root_put(n->r, "proc/uptime", "1500.25 3000.00\n");	/* booted at 500 */
	root_put(n->r, "sys/module/ib_core/initstate", "live\n");
	root_put(n->r, "sys/module/ib_core/parameters/netns_mode", "Y\n");
	wish(n, name, "0");
	plan(n);
	assert_int_equal(n->r->d.notes, 1);
	says(n->r->d.at[0].what, "/boot/initrd.img-6.1.0 holds a copy of modprobe.d: if ib_core is loaded from there");
	says(n->r->d.at[0].hint, "update-initramfs -u -k 6.1.0");
	set_mtime(n, IMAGE_DEBIAN, 400);
	assert_int_equal(apply(n), 1);		/* written, and not undone; a command is left for somebody */
	assert_int_equal(n->r->d.errors, 0);
	assert_int_equal(n->r->d.notes, 1);	/* told once */
	set_mtime(n, OUR_MODPROBE, 600);
	plan(n);
	assert_int_equal(n->plan->n, 0);
	assert_int_equal(row(n, name)->status, STATUS_DRIFT);
	assert_string_equal(row(n, name)->reason, "stale-initramfs");
	assert_string_equal(row(n, name)->event, "initramfs");
	assert_string_equal(row(n, name)->remedy, "update-initramfs -u -k 6.1.0");
	says(row(n, name)->cause, "/boot/initrd.img-6.1.0 is older than /etc/modprobe.d/zz-rdmactl.conf:4");
	assert_true(row(n, name)->boot_wrong);

	root_put(n->r, "sys/module/ib_core/parameters/netns_mode", "N\n");
	plan(n);				/* right, but set otherwise: not loaded since */
	assert_string_equal(row(n, name)->reason, "stale-initramfs");
	root_put(n->r, "proc/uptime", "1300.00 3000.00\n");
	plan(n);				/* booted at 700: it was loaded since, and is right */
	assert_int_equal(row(n, name)->status, STATUS_IN_SYNC);
	root_put(n->r, "sys/module/ib_core/parameters/netns_mode", "Y\n");
	plan(n);				/* booted at 700, and is wrong: so it comes from the image */
	assert_string_equal(row(n, name)->reason, "stale-initramfs");

	set_mtime(n, IMAGE_DEBIAN, 601);	/* made anew */
	plan(n);
	assert_int_equal(row(n, name)->status, STATUS_PENDING);
	assert_string_equal(row(n, name)->event, "reload");
	says(row(n, name)->cause, "ib_core was loaded with another value");
	node_close(n);
}

/* Where each distribution keeps it, and what is never put into a command. */
static void initramfs_places(void **state)
{
	static const struct { const char *release, *image, *remake; } rows[] = {
		{ "6.1.0-37-amd64", "boot/initrd.img-6.1.0-37-amd64", "update-initramfs -u -k 6.1.0-37-amd64" },
		{ "5.14.0-1.el9", "boot/initramfs-5.14.0-1.el9.img", "dracut -f /boot/initramfs-5.14.0-1.el9.img 5.14.0-1.el9" },
		{ "6.4.0-default", "boot/initrd-6.4.0-default", "dracut -f /boot/initrd-6.4.0-default 6.4.0-default" },
		{ "6.1.0", NULL, NULL },
		{ "x;reboot", "boot/initrd.img-x;reboot", NULL },
		{ "", "boot/initrd.img-", NULL },
		{ "..", "boot/initrd-..", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct node *n = node_open(NULL);
		const struct initramfs *image;

		if (rows[i].image)
			root_put(n->r, rows[i].image, "x");
		assert_int_equal(initramfs_load(n->r->k, rows[i].release, &image), 0);
		if (!rows[i].remake)
			assert_null(image->path);
		else
			assert_string_equal(image->remake, rows[i].remake);
		node_close(n);
	}
}

/* A blacklist is in the copy as well; and a line on the kernel command line is not. */
static void initramfs_and_blacklists(void **state)
{
	struct node *n = node_open(NULL);

	(void)state;
	root_put(n->r, IMAGE_DEBIAN, "x");
	root_put(n->r, "sys/module/ib_core/parameters/netns_mode", "N\n");
	root_put(n->r, "proc/cmdline", "ib_core.netns_mode=0\n");
	root_put(n->r, "etc/modprobe.d/a.conf", "blacklist irdma\n");
	set_mtime(n, IMAGE_DEBIAN, 400);
	wish(n, "modules.irdma.blacklist", "true");
	wish(n, "modules.ib_core.options.netns_mode", "0");
	plan(n);
	assert_int_equal(n->plan->count[STATUS_IN_SYNC], 1);
	assert_string_equal(row(n, "modules.irdma.blacklist")->reason, "stale-initramfs");
	node_close(n);
}

static char written[256];

static int write_seen(struct kernel *k, const char *path, const char *s, size_t m)
{
	(void)k;
	snprintf(written + strlen(written), sizeof(written) - strlen(written), "%s=%.*s;", path, (int)m, s);
	return 0;
}

static int write_refused(struct kernel *k, const char *path, const char *s, size_t m)
{
	(void)k;
	(void)path;
	(void)s;
	(void)m;
	return -EINVAL;
}

static void live_write(void **state)
{
	struct node *n = node_open(NULL);
	struct change *c;

	(void)state;
	root_put(n->r, "proc/sys/net/rdma_ucm/max_backlog", "1024\n");
	root_put(n->r, "proc/sys/net/ipv4/tcp_rmem", "1\t2\t3\n");
	root_put(n->r, "proc/sys/vm/swappiness", "10\n");
	wish(n, "max_backlog", "8192");
	wish(n, "sysctl.net.ipv4.tcp_rmem", "4 5 6");
	wish(n, "sysctl.vm.swappiness", "10");
	plan(n);
	assert_int_equal(n->plan->n, 3);	/* two live, then the boot files */
	n->r->k->files_only = false;
	n->r->ops.write = write_seen;
	written[0] = 0;
	for (size_t i = 0; i < 2; i++) {
		c = n->plan->change[i];
		assert_int_equal(c->impact, IMPACT_NONE);
		assert_int_equal(c->part[0].home->write(n->r->k, c, &n->r->d), 0);
	}
	assert_string_equal(written, "proc/sys/net/rdma_ucm/max_backlog=8192\n;proc/sys/net/ipv4/tcp_rmem=4 5 6\n;");
	assert_int_equal(n->plan->change[0]->effective, EFFECTIVE_NEW_CONNECTIONS);
	assert_int_equal(n->plan->change[2]->effective, EFFECTIVE_REBOOT);
	assert_string_equal(n->plan->change[2]->object, "boot files");

	n->r->ops.write = write_refused;
	c = n->plan->change[1];
	assert_int_equal(c->part[0].home->write(n->r->k, c, &n->r->d), -EINVAL);
	assert_int_equal(n->r->d.errors, 1);
	node_close(n);
}

/* --- our files --------------------------------------------------------------------- */

static void written_whole(void **state)
{
	struct node *n = node_open(NULL);
	uint64_t writes;

	(void)state;
	wish(n, "max_backlog", "8192");
	wish(n, "sysctl.net.core.rmem_max", "2147483647");
	wish(n, "sysctl.net.ipv4.conf.eth0/100.rp_filter", "2");
	wish(n, "sysctl.net.ipv4.tcp_rmem", "4096\t131072   6291456");
	wish(n, "modules.ib_core.options.netns_mode", "0");
	wish(n, "modules.mlx5-core.options.x", "a b");
	wish(n, "modules.rdma_ucm.load", "true");
	wish(n, "modules.ib-umad.load", "true");
	wish(n, "modules.irdma.blacklist", "true");
	wish(n, "modules.siw.load", "false");
	n->run.boot_files_only = true;
	apply(n);
	assert_int_equal(n->r->d.errors, 0);
	assert_string_equal(content(n, OUR_SYSCTL),
			    "# Written by rdmactl from the policy /etc/rdmactl/policy.yaml.\n"
			    "# Change the policy, not this file: it is replaced as a whole.\n"
			    "# The name sorts late: of a key that is set twice, the last one counts.\n"
			    "net.rdma_ucm.max_backlog = 8192\n"
			    "net.core.rmem_max = 2147483647\n"
			    "net/ipv4/conf/eth0.100/rp_filter = 2\n"
			    "net.ipv4.tcp_rmem = 4096 131072 6291456\n");
	says(content(n, OUR_MODPROBE), "\noptions ib_core netns_mode=0\noptions mlx5_core x=\"a b\"\nblacklist irdma\n");
	says(content(n, OUR_MODLOAD), "\nrdma_ucm\nib_umad\n");
	assert_null(strstr(content(n, OUR_MODLOAD), "siw"));
	assert_null(strstr(strstr(content(n, OUR_MODLOAD), "\nrdma_ucm") + 2, "rdma_ucm"));
	plan(n);
	for (size_t i = 0; i < n->plan->nrows; i++)
		if (n->plan->row[i].boot_wrong)
			fail_msg("%s: %s", n->plan->row[i].name, n->plan->row[i].boot->because);
	writes = n->r->k->writes;
	apply(n);
	assert_int_equal(n->r->k->writes, writes);

	wish(n, "max_backlog", "4096");		/* only the file that it concerns */
	apply(n);
	assert_int_equal(n->r->k->writes, writes + 1);
	says(content(n, OUR_SYSCTL), "\nnet.rdma_ucm.max_backlog = 4096\nnet.core.rmem_max = 2147483647\n");
	node_close(n);
}

static void module_comes_with_the_key(void **state)
{
	struct node *n = node_open(NULL);

	(void)state;
	wish(n, "max_backlog", "8192");
	wish(n, "sysctl.net.iw_cm.default_backlog", "512");
	n->run.boot_files_only = true;
	apply(n);
	says(content(n, OUR_MODLOAD), "\n# net.rdma_ucm.max_backlog exists only with it\nrdma_ucm\n");
	says(content(n, OUR_MODLOAD), "\n# net.iw_cm.default_backlog exists only with it\niw_cm\n");
	plan(n);
	assert_int_equal(n->plan->n, 0);
	node_close(n);
}

static void module_that_others_load(void **state)
{
	struct node *n = node_open(NULL);

	(void)state;
	root_put(n->r, EARLY);
	wish(n, "max_backlog", "8192");
	n->run.boot_files_only = true;
	apply(n);
	says(content(n, OUR_SYSCTL), "\nnet.rdma_ucm.max_backlog = 8192\n");
	assert_string_equal(content(n, OUR_MODLOAD), "(none)");
	node_close(n);
}

/* --only writes what it names and keeps what is there for the rest. */
static void only(void **state)
{
	static const char *const backlog[] = { "max_backlog", NULL };
	struct node *n = node_open(NULL);

	(void)state;
	root_put(n->r, OUR_SYSCTL, MARK "net.core.rmem_max = 5\\n");
	wish(n, "max_backlog", "8192");
	wish(n, "sysctl.net.core.rmem_max", "100");
	wish(n, "sysctl.vm.swappiness", "1");
	wish(n, "modules.rdma_ucm.load", "true");
	n->run.boot_files_only = true;
	n->run.only = backlog;
	apply(n);
	says(content(n, OUR_SYSCTL), "\nnet.rdma_ucm.max_backlog = 8192\nnet.core.rmem_max = 5\n");
	assert_null(strstr(content(n, OUR_SYSCTL), "swappiness"));
	says(content(n, OUR_MODLOAD), "\nrdma_ucm\n");
	n->run.only = NULL;
	apply(n);
	says(content(n, OUR_SYSCTL), "\nnet.rdma_ucm.max_backlog = 8192\nnet.core.rmem_max = 100\nvm.swappiness = 1\n");
	node_close(n);
}

static int (*plain_replace)(struct kernel *k, const char *path, const char *s, size_t m, uint32_t mode);
static const char *full;

static int replace_but(struct kernel *k, const char *path, const char *s, size_t m, uint32_t mode)
{
	return strcmp(path, full) ? plain_replace(k, path, s, m, mode) : -ENOSPC;
}

/* A failure half way leaves what was there: files of ours with their lines, none where there was none. */
static void undone(void **state)
{
	struct node *n = node_open(NULL);

	(void)state;
	root_put(n->r, OUR_MODPROBE, MARK "options ib_core netns_mode=1\\n");
	root_put(n->r, "etc/modprobe.d/50-x.conf", "options ib_core send_queue_size=64\n");
	wish(n, "modules.ib_core.options.netns_mode", "0");
	wish(n, "modules.ib_core.options.send_queue_size", "256");
	wish(n, "modules.irdma.blacklist", "true");
	wish(n, "modules.ib_umad.load", "true");
	wish(n, "max_backlog", "8192");
	plain_replace = n->r->ops.replace;
	n->r->ops.replace = replace_but;
	full = OUR_SYSCTL;
	n->run.boot_files_only = true;
	assert_int_equal(apply(n), 3);
	says(n->r->d.at[n->r->d.n - 1].what, "cannot write /etc/sysctl.d/zz-rdmactl.conf");
	assert_string_equal(content(n, OUR_SYSCTL), "(none)");
	assert_string_equal(content(n, OUR_MODLOAD), "(none)");
	says(content(n, OUR_MODPROBE), "\noptions ib_core netns_mode=1\n");
	assert_null(strstr(content(n, OUR_MODPROBE), "send_queue_size"));
	assert_null(strstr(content(n, OUR_MODPROBE), "irdma"));
	node_close(n);
}

/* --- somebody else's --------------------------------------------------------------- */

static void refused(void **state)
{
	static const struct {
		const char *why, *name, *want;
		struct { const char *path, *text; } file[3];
		enum refusal refusal;
		const char *says;
	} rows[] = {
		{ "a later file in sysctl.d", "sysctl.vm.swappiness", "1", { { "etc/sysctl.d/zz-zzz.conf", "\nvm.swappiness=60\n" } },
		  REFUSED_OTHER_OWNER, "/etc/sysctl.d/zz-zzz.conf:2 sets it, and is read after /etc/sysctl.d/zz-rdmactl.conf" },
		{ "also of the distribution", "sysctl.vm.swappiness", "1", { { "usr/lib/sysctl.d/zzz.conf", "-vm.swappiness\n" } },
		  REFUSED_OTHER_OWNER, "/usr/lib/sysctl.d/zzz.conf:1 takes it out" },
		{ "a later file in modprobe.d", "modules.m.options.a", "1", { { "etc/modprobe.d/zzz.conf", "options m a=2\n" } },
		  REFUSED_OTHER_OWNER, "/etc/modprobe.d/zzz.conf:1 sets it" },
		{ "the kernel command line", "modules.m.options.a", "1", { { "proc/cmdline", "m.a=2" } },
		  REFUSED_OTHER_OWNER, "/proc/cmdline:1 sets it" },
		{ "a built-in module", "modules.m.options.a", "1", { { "lib/modules/6.1.0/modules.builtin", "m.ko\n" } },
		  REFUSED_IMPOSSIBLE, "put m.a=1 on the kernel command line" },
		{ "a file of our name", "sysctl.vm.swappiness", "1", { { OUR_SYSCTL, "vm.x=1\n" } },
		  REFUSED_OTHER_OWNER, "was not written by rdmactl" },
		{ "a list of our name, for a key", "max_backlog", "8192", { { OUR_MODLOAD, "x\n" } },
		  REFUSED_OTHER_OWNER, "/etc/modules-load.d/rdmactl.conf was not written by rdmactl" },
		{ "a link of our name", "modules.m.options.a", "1", { { OUR_MODPROBE, "@/dev/null" } },
		  REFUSED_OTHER_OWNER, "is a symbolic link" },
		{ "blacklisted by somebody", "modules.m.load", "true", { { "etc/modprobe.d/a.conf", "blacklist m\n" } },
		  REFUSED_OTHER_OWNER, "/etc/modprobe.d/a.conf:1 forbids loading m" },
		{ "loaded by somebody", "modules.m.load", "false", { { "etc/modules-load.d/a.conf", "m\n" } },
		  REFUSED_OTHER_OWNER, "/etc/modules-load.d/a.conf:1 loads m" },
		{ "to be allowed, but blacklisted", "modules.m.blacklist", "false", { { "etc/modprobe.d/a.conf", "blacklist m\n" } },
		  REFUSED_OTHER_OWNER, "/etc/modprobe.d/a.conf:1 blacklists m" },
		{ "the key's module is blacklisted", "max_backlog", "8192", { { "etc/modprobe.d/a.conf", "blacklist rdma_ucm\n" } },
		  REFUSED_OTHER_OWNER, "/etc/modprobe.d/a.conf:1 keeps that from being loaded" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct node *n = node_open(NULL);

		for (size_t f = 0; f < COUNT(rows[i].file) && rows[i].file[f].path; f++)
			root_put(n->r, rows[i].file[f].path, rows[i].file[f].text);
		wish(n, rows[i].name, rows[i].want);
		n->run.boot_files_only = true;
		plan(n);
		if (n->plan->n != 0 || n->plan->nrefused != 1)
			fail_msg("%s: not refused", rows[i].why);
		assert_int_equal(n->plan->change[0]->refused, rows[i].refusal);
		says(n->plan->change[0]->refused_why, rows[i].says);
		assert_int_equal(apply(n), 1);
		assert_int_equal(n->r->k->writes, 0);
		node_close(n);
	}
}

/* What can be made right is, also beside something that cannot. */
static void partly_refused(void **state)
{
	struct node *n = node_open(NULL);

	(void)state;
	root_put(n->r, "etc/sysctl.d/zz-zzz.conf", "vm.swappiness=60\n");
	wish(n, "sysctl.vm.swappiness", "1");
	wish(n, "sysctl.net.core.rmem_max", "100");
	n->run.boot_files_only = true;
	assert_int_equal(apply(n), 1);
	says(content(n, OUR_SYSCTL), "\nnet.core.rmem_max = 100\n");
	assert_null(strstr(content(n, OUR_SYSCTL), "swappiness"));
	plan(n);
	assert_false(row(n, "sysctl.net.core.rmem_max")->boot_wrong);
	assert_true(row(n, "sysctl.vm.swappiness")->boot_wrong);
	assert_string_equal(row(n, "sysctl.vm.swappiness")->reason, "not-recorded");
	assert_int_equal(n->plan->n, 0);
	assert_int_equal(n->plan->nrefused, 1);
	node_close(n);
}

/* A file of ours that cannot be read stays as it is, and the others are written all the same. */
static void unread(void **state)
{
	struct node *n = node_open(NULL);

	(void)state;
	root_put(n->r, OUR_SYSCTL "/is-a-directory", "");
	wish(n, "sysctl.vm.swappiness", "1");
	wish(n, "modules.m.load", "true");
	n->run.boot_files_only = true;
	assert_int_equal(apply(n), 1);
	says(content(n, OUR_MODLOAD), "\nm\n");
	assert_int_equal(n->r->d.errors, 0);
	plan(n);
	assert_int_equal(n->plan->n, 0);
	assert_int_equal(n->plan->nrefused, 1);
	says(n->plan->change[0]->refused_why, "cannot be read");
	node_close(n);
}

/* What got past the policy must not write lines of its own. */
static void no_line_of_its_own(void **state)
{
	static const struct { const char *name, *value; } rows[] = {
		{ "sysctl.vm.swappiness", "1\nkernel.core_pattern = |/x" },
		{ "modules.m.options.a", "1\ninstall m /x" },
		{ "modules.m.options.a", "1\"" },
		{ "modules.m.options.a", "1\\" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct node *n = node_open(NULL);

		wish(n, rows[i].name, "1");
		cell_of(n, rows[i].name)->value.text = rows[i].value;
		n->run.boot_files_only = true;
		assert_int_equal(apply(n), 1);
		assert_int_equal(n->r->k->writes, 0);
		assert_true(n->r->d.errors > 0);
		node_close(n);
	}
}

/* --- values and names -------------------------------------------------------------- */

static void same(void **state)
{
	static const struct { const char *name, *want, *have; bool same; } rows[] = {
		{ "modules.m.options.a", "0", "N", true },	  { "modules.m.options.a", "1", "N", false },
		{ "modules.m.options.a", "Y", "1", true },	  { "modules.m.options.a", "true", "Y", true },
		{ "modules.m.options.a", "2", "Y", false },	  { "modules.m.options.a", "0x10", "16", true },
		{ "modules.m.options.a", "16", "17", false },	  { "modules.m.options.a", "1,2", "1,2", true },
		{ "modules.m.options.a", "1,2", "1,2,3", false }, { "modules.m.options.a", "1,2,3", "1,2", false },
		{ "modules.m.options.a", "1,0", "Y,N", true },	  { "modules.m.options.a", "0x1,2", "1,2", true },
		{ "modules.m.options.a", "eth", "ib", false },	  { "modules.m.options.a", "eth", "eth", true },
		{ "modules.m.options.a", "99999999999999999999", "99999999999999999998", false },
		{ "modules.m.options.a", "0xffffffffffffffff", "18446744073709551615", true },
		{ "modules.m.options.a", "0xffffffffffffffff", "-1", false },
		{ "modules.m.options.a", "-0x10", "-16", true },  { "modules.m.options.a", "16", "-16", false },
		{ "sysctl.kernel.shmmax", "0xffffffffffffffff", "18446744073709551615", true },
		{ "modules.m.options.a", "", "(null)", true },	  { "modules.m.options.a", "0", "(not set)", false },
		{ "modules.m.options.a", "n", "(not set)", false }, { "modules.m.options.a", "", "0", false },
		{ "sysctl.a.b", "1 2", "1\t2", true },		  { "sysctl.a.b", "1 2", "1 2 3", false },
		{ "sysctl.a.b", "1 2 3", "1 2", false },	  { "sysctl.a.b", "0x10", "16", true },
		{ "sysctl.a.b", "core", "core", true },		  { "sysctl.a.b", "core", "Core", false },
		{ "sysctl.a.b", "1", "(not set)", false },	  { "sysctl.a.b", "1", "", false },
		{ "sysctl.a.b", "99999999999999999999", "99999999999999999998", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct node *n = node_open(NULL);
		struct cell *c = cell_of(n, rows[i].name);
		struct value want = { .text = rows[i].want }, have = { .text = rows[i].have };

		if (value_same(c->field, &want, &have, NULL) != rows[i].same)
			fail_msg("%s: \"%s\" and \"%s\"", rows[i].name, rows[i].want, rows[i].have);
		node_close(n);
	}
}

static void values(void **state)
{
	static const struct { const char *name, *text, *why; } rows[] = {
		{ "max_backlog", "0", "is out of range: 1 to 2147483647" },
		{ "max_backlog", "2147483648", "is out of range: 1 to 2147483647" },
		{ "max_backlog", "08192", "has a leading zero" },
		{ "max_backlog", "8k", "is not a" },
		{ "sysctl.a.b", "", "is empty" },
		{ "sysctl.a.b", " \t", "is empty" },
		{ "sysctl.a.b", "1\n2", "control characters" },
		{ "sysctl.a.b", "1 010", "leading zero" },
		{ "modules.m.options.a", "\"x\"", "has quotes" },
		{ "modules.m.options.a", "x\\", "a backslash" },
		{ "modules.m.options.a", "x\n", "control characters" },
		{ "modules.m.load", "1", "is not a boolean" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct node *n = node_open(NULL);
		const char *why = NULL;
		struct value v;

		assert_int_equal(value_parse(cell_of(n, rows[i].name)->field, rows[i].text, &v, n->r->a, &why), -EINVAL);
		says(why, rows[i].why);
		node_close(n);
	}
}

static void names(void **state)
{
	static const struct { const char *name[2], *value[2], *what; } rows[] = {
		{ { "sysctl.net.core.rmem_max" }, { "2147483647" }, NULL },
		{ { "sysctl.net.core.rmem_max" }, { "2147483648" }, "2147483648 is out of range for net.core.rmem_max: 1 to 2147483647" },
		{ { "sysctl.net/core/wmem_default" }, { "4294967296" }, "out of range" },
		{ { "sysctl.net.core.rmem_max" }, { "many" }, "many is out of range" },
		{ { "sysctl.net.ipv4.tcp_rmem" }, { "4096 131072 6291456" }, NULL },
		{ { "sysctl.net.ipv4.tcp_rmem" }, { "4096 131072 6442450944" }, "6442450944 is out of range" },
		{ { "sysctl.net.ipv4.conf.all.rp_filter" }, { "3" }, "out of range" },
		{ { "sysctl.net.rdma_ucm.max_backlog" }, { "4096" }, "has a key of its own" },
		{ { "sysctl.net/rdma_ucm/max_backlog" }, { "4096" }, "has a key of its own" },
		{ { "sysctl.net/ipv4/conf/eth0.100/rp_filter" }, { "2" }, NULL },
		{ { "sysctl.net.ipv4.conf.eth0/100.rp_filter" }, { "2" }, NULL },
		{ { "sysctl.net.ipv4.conf.eth0.100.rp_filter" }, { "2" }, "is a key of the interface eth0 that no kernel has" },
		{ { "sysctl.net/ipv6/neigh/eth0/100/mcast_solicit" }, { "2" }, "is a key of the interface eth0 that no kernel has" },
		{ { "sysctl.net.ipv4.conf.rp_filter" }, { "2" }, "names no interface" },
		{ { "sysctl.net.core.*" }, { "1" }, "cannot be the name of a sysctl" },
		{ { "sysctl.net/../../etc/x" }, { "1" }, "cannot be the name of a sysctl" },
		{ { "sysctl.-vm.x" }, { "1" }, "cannot be the name of a sysctl" },
		{ { "sysctl.vm x" }, { "1" }, "cannot be the name of a sysctl" },
		{ { "sysctl.vm.x=1" }, { "1" }, "cannot be the name of a sysctl" },
		{ { "sysctl.net.core.rmem_max", "sysctl.net/core/rmem_max" }, { "1", "1" },
		  "net.core.rmem_max and net/core/rmem_max are one key" },
		{ { "modules.ib_core.options.netns_mode", "modules.ib-core.options.netns-mode" }, { "0", "0" }, "are one" },
		{ { "modules.ib_core.options.a", "modules.ib_core.options.b" }, { "0", "0" }, NULL },
		{ { "modules.ib_core.options.a", "modules.mlx5_core.options.a" }, { "0", "0" }, NULL },
		{ { "modules.irdma.load", "modules.irdma.blacklist" }, { "true", "true" }, "blacklisted modules are not loaded" },
		{ { "modules.irdma.load", "modules.irdma.blacklist" }, { "false", "true" }, NULL },
		{ { "modules.ib/core.load" }, { "true" }, "cannot be the name of a module" },
		{ { "modules.ib_core.options.a b" }, { "1" }, "cannot be the name of a module's option" },
		{ { "modules.ib_core.options.a.b" }, { "1" }, "cannot be the name of a module's option" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct node *n = node_open(NULL);
		struct wishes w = { .target = &node_target, .record = n->want, .n = COUNT(settings), .arena = n->r->a };
		int r = 0;

		for (size_t j = 0; j < 2 && rows[i].name[j]; j++)
			wish(n, rows[i].name[j], rows[i].value[j]);
		for (size_t s = 0; s < COUNT(settings); s++)
			if (settings[s]->derive && settings[s]->derive(&w, n->want[s], &n->r->d) < 0)
				r = -EINVAL;
		if (!rows[i].what != (r == 0))
			fail_msg("%s: %d", rows[i].name[0], r);
		assert_int_equal(n->r->d.errors, rows[i].what != NULL);
		if (rows[i].what) {
			says(n->r->d.at[0].what, rows[i].what);
			assert_int_equal(n->r->d.at[0].pos.line, 7);
		}
		node_close(n);
	}
}

/* --- cost ----------------------------------------------------------------------------- */

static unsigned asked;

static int read_counted(struct kernel *k, const char *path, struct text *out)
{
	asked++;
	return plain_read(k, path, out);
}

/* A node in policy: each file is read once, and nothing is written. */
static void cheap(void **state)
{
	struct node *n = node_open(NULL);

	(void)state;
	root_put(n->r, "proc/cmdline", "quiet\n");
	root_put(n->r, "proc/sys/net/rdma_ucm/max_backlog", "8192\n");
	root_put(n->r, "proc/sys/vm/swappiness", "1\n");
	root_put(n->r, "sys/module/ib_core/initstate", "live\n");
	root_put(n->r, "sys/module/ib_core/parameters/netns_mode", "N\n");
	root_put(n->r, EARLY);
	root_put(n->r, "etc/modprobe.d/a.conf", "options ib_core netns_mode=0\n");
	root_put(n->r, "etc/sysctl.d/a.conf", "vm.swappiness=1\nnet.rdma_ucm.max_backlog=8192\n");
	wish(n, "max_backlog", "8192");
	wish(n, "sysctl.vm.swappiness", "1");
	wish(n, "modules.ib_core.options.netns_mode", "0");
	plain_read = n->r->ops.read;
	n->r->ops.read = read_counted;
	n->run.want_rows = false;
	asked = 0;
	plan(n);
	assert_int_equal(n->plan->count[STATUS_IN_SYNC], 3);
	assert_int_equal(asked, 7);	/* command line, three values, three files */
	n->run.want_rows = true;
	asked = 0;
	plan(n);
	assert_int_equal(asked, 8);	/* who might seem to win: sysctl.conf */
	assert_int_equal(n->r->k->writes, 0);
	assert_int_equal(n->r->d.n, 0);
	node_close(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_file_wins), cmocka_unit_test(line_grammar),
		cmocka_unit_test(bool_live_n),	   cmocka_unit_test(sysctl_conf_wins),
		cmocka_unit_test(ucm_key_absent),  cmocka_unit_test(backlog_boot),
		cmocka_unit_test(live),		   cmocka_unit_test(pending),
		cmocka_unit_test(initramfs_is_older), cmocka_unit_test(initramfs_places),
		cmocka_unit_test(initramfs_and_blacklists), cmocka_unit_test(live_write),
		cmocka_unit_test(written_whole),   cmocka_unit_test(module_comes_with_the_key),
		cmocka_unit_test(module_that_others_load), cmocka_unit_test(only),
		cmocka_unit_test(undone),	   cmocka_unit_test(refused),
		cmocka_unit_test(partly_refused), cmocka_unit_test(unread),  cmocka_unit_test(no_line_of_its_own),
		cmocka_unit_test(same),		   cmocka_unit_test(values),
		cmocka_unit_test(names),	   cmocka_unit_test(cheap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
