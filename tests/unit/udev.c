/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of udev: what is read of a line, whether a rule fits a device, and which of those that write a value is the last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "boot/netcfg.h"
#include "boot/udev.h"
#include "boot/udev_parts.h"
#include "kernel/dump.h"
#include "root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RULES "etc/udev/rules.d/50-a.rules"
#define MAC "b8:ce:f6:00:00:01"
#define BDF "0000:27:00.0"
#define SYSFS "sys/devices/pci0000:26/0000:26:02.0/" BDF

static const struct netcfg_link nic = { .ifname = "nic0", .ifindex = 7, .kind = "", .driver = "mlx5_core" };

static void put_sysfs(const struct root *r, const char *assigned)
{
	root_put(r, SYSFS "/net/nic0/address", MAC "\n");
	root_put(r, SYSFS "/net/nic0/type", "1\n");
	root_put(r, SYSFS "/net/nic0/name_assign_type", assigned);
	root_put(r, SYSFS "/vendor", "0x15b3\n");
	root_put(r, SYSFS "/driver", "@../../../../bus/pci/drivers/mlx5_core");
	root_put(r, "sys/devices/pci0000:26/0000:26:02.0/driver", "@../../../bus/pci/drivers/pcieport");
	root_put(r, "sys/bus/pci/devices/" BDF, "@../../../devices/pci0000:26/0000:26:02.0/" BDF);
	root_put(r, "sys/bus/pci/devices/0000:26:02.0", "@../../../devices/pci0000:26/0000:26:02.0");
	root_put(r, "sys/class/net/nic0", "@../../devices/pci0000:26/0000:26:02.0/" BDF "/net/nic0");
	root_put(r, "run/udev/data/n7", "I:1\\nE:ID_NET_DRIVER=mlx5_core\\nE:ID_PATH=pci-0000:27:00.0\\nE:SYSTEMD_WANTS=\\n");
}

/* "50-a.rules:1 9000" of each that writes it, " ?" behind a doubt; "nobody" */
static const char *said(struct root *r, const struct udev_acts *acts)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (size_t i = 0; i < acts->n; i++)
		text_printf(&t, "%s%s:%u %s%s", i ? ", " : "", acts->at[i].file, acts->at[i].pos.line,
			    acts->at[i].value ? acts->at[i].value : "-", acts->at[i].doubt ? " ?" : "");
	return t.n ? arena_strdup(r->a, text_str(&t)) : "nobody";
}

static const char *mtu_of(struct root *r, const struct netcfg_link *l)
{
	struct udev_acts acts = { 0 };
	const struct udev *u;
	struct udev_device d;

	kernel_renew(r->k);
	assert_int_equal(udev_load(r->k, UDEV_ALL, &u), 0);
	d = udev_netdev(r->k, l);
	udev_attr(u, &d, "mtu", &acts);
	return said(r, &acts);
}

#define NET "SUBSYSTEM==\"net\", "
#define MTU "ATTR{mtu}=\"9000\"\n"
#define SETS "50-a.rules:1 9000"
#define MAY SETS " ?"
#define NO "nobody"

static const struct {
	const char *rules, *renamed, *plain;	/* what is said of a netdev that was renamed, and of one that was not (NULL: the same) */
} cases[] = {
	/* lines */
	{ NET MTU, SETS, NULL },
	{ "# " NET MTU, NO, NULL },
	{ " \t# x\n" NET MTU, "50-a.rules:2 9000", NULL },
	{ NET "ATTR{mtu}=\"9000\"", SETS, NULL },
	{ "SUBSYSTEM == \"net\"   ATTR{mtu}  =  \"9000\"  ,\n", SETS, NULL },
	{ ",, " NET ",," MTU, SETS, NULL },
	{ "SUBSYSTEM==\"net\", \\\n  " MTU, SETS, NULL },
	{ "SUBSYSTEM==\"net\", \\\n# between\n  \\\n" MTU, SETS, NULL },
	{ "SUBSYSTEM==\"net\", \\\r\n" MTU, SETS, NULL },
	{ "SUBSYSTEM==\"net\", \\ \n" MTU, "50-a.rules:2 9000", NULL },		/* the first line is an error, the second its own */
	{ NET "ATTR{mtu}=\"9000\" \\", NO, NULL },				/* goes on behind the end */
	{ NET "ATTR{mtu}=\"9000\" # nine\n", NO, NULL },			/* no comment there: the whole line is an error */
	{ NET "ATTR{mtu}=9000\n", NO, NULL },
	{ NET "ATTR{mtu}=\"9000\n", NO, NULL },
	{ NET "ATTR=\"9000\"\n", NO, NULL },
	{ NET "MTU=\"9000\", " MTU, NO, NULL },					/* an unknown key takes the line with it */
	{ "SUBSYSTEM=\"net\", " MTU, NO, NULL },				/* so does an operator that does not fit */
	{ "KERNEL{x}==\"nic0\", " MTU, NO, NULL },
	{ NET "ATTR{mtu}-=\"9000\"\n", NO, NULL },
	{ NET "ATTR{mtu}:=\"9000\"\n", SETS, NULL },
	{ NET "ATTR{mtu}+=\"9000\"\n", SETS, NULL },
	{ NET "ATTR{mtu}==\"9000\"\n", NO, NULL },
	{ NET "ATTR{mtu}=e\"9000\"\n", SETS, NULL },
	{ NET "ATTR{mtu}=e\"\\x39000\"\n", "50-a.rules:1 - ?", NULL },
	{ "SUBSYSTEM==i\"NET\", " MTU, SETS, NULL },
	{ NET "ATTR{mtu}=\"%E{MTU}\"\n", "50-a.rules:1 - ?", NULL },
	{ NET "ATTR{mtu_x}=\"9000\"\n", NO, NULL },
	/* conditions of the device */
	{ "SUBSYSTEM!=\"net\", " MTU, NO, NULL },
	{ "SUBSYSTEM==\"infiniband|net\", " MTU, SETS, NULL },
	{ "SUBSYSTEM==\"infiniband\", " MTU, NO, NULL },
	{ NET "KERNEL==\"nic[0-3]\", " MTU, SETS, NULL },
	{ NET "KERNEL==\"nic1\", " MTU, NO, NULL },
	{ NET "KERNEL!=\"nic0\", " MTU, MAY, NO },
	{ NET "KERNEL==\"eth3\", " MTU, MAY, NO },				/* what it was called at first, nobody knows */
	{ NET "ACTION==\"add\", KERNEL==\"nic0\", " MTU, MAY, SETS },
	{ NET "ACTION==\"move\", KERNEL==\"nic0\", " MTU, SETS, NO },
	{ NET "ACTION==\"add|change\", " MTU, SETS, NULL },
	{ NET "ACTION==\"change\", " MTU, MAY, NULL },
	{ NET "ACTION==\"remove\", " MTU, NO, NULL },
	{ NET "ACTION!=\"remove\", " MTU, SETS, NULL },
	{ NET "ATTR{address}==\"" MAC "\", " MTU, SETS, NULL },
	{ NET "ATTR{address}==\"b8:ce:f6:*\", " MTU, SETS, NULL },
	{ NET "ATTR{address}==\"B8:CE:F6:00:00:01\", " MTU, NO, NULL },		/* capitals match nothing */
	{ NET "ATTR{address}!=\"00:*\", " MTU, SETS, NULL },
	{ NET "ATTR{type}==\"1\", " MTU, SETS, NULL },
	{ NET "ATTR{dev_port}==\"0\", " MTU, NO, NULL },			/* missing: neither == nor != */
	{ NET "ATTR{dev_port}!=\"0\", " MTU, NO, NULL },
	{ NET "ATTR{speed}==\"100000\", " MTU, MAY, NULL },
	{ NET "ENV{INTERFACE}==\"nic0\", " MTU, SETS, NULL },
	{ NET "ENV{INTERFACE}==\"nic1\", " MTU, NO, NULL },
	{ NET "ENV{ID_NET_DRIVER}==\"mlx5_core\", " MTU, MAY, NULL },		/* told only by 80-net-setup-link.rules */
	{ NET "ENV{ID_NET_DRIVER}==\"ice\", " MTU, NO, NULL },
	{ NET "ENV{ID_NET_DRIVER}!=\"ice\", " MTU, SETS, NULL },
	{ NET "ENV{ID_PATH}==\"pci-0000:27:00.0\", " MTU, MAY, NULL },
	{ NET "ENV{ID_PATH}==\"pci-0000:99:00.0\", " MTU, NO, NULL },
	{ NET "ENV{ID_VENDOR}==\"?*\", " MTU, NO, NULL },
	{ NET "ENV{.HIDDEN}==\"1\", " MTU, MAY, NULL },
	{ NET "TEST==\"/etc/mtu\", " MTU, MAY, NULL },
	{ NET "PROGRAM=\"/usr/bin/which-mtu %k\", RESULT==\"big\", " MTU, MAY, NULL },
	{ NET "IMPORT{builtin}=\"net_id\", " MTU, MAY, NULL },
	{ NET "TAG==\"x\", " MTU, MAY, NULL },
	{ NET "TAG+=\"x\", NAME=\"y\", " MTU, SETS, NULL },
	/* parents */
	{ NET "DRIVERS==\"mlx5_core\", " MTU, SETS, NULL },
	{ NET "DRIVERS==\"mlx5*|ice\", " MTU, SETS, NULL },
	{ NET "DRIVERS==\"ice\", " MTU, NO, NULL },
	{ NET "DRIVERS==\"?*\", " MTU, SETS, NULL },
	{ NET "SUBSYSTEMS==\"pci\", " MTU, SETS, NULL },
	{ NET "KERNELS==\"" BDF "\", " MTU, SETS, NULL },
	{ NET "KERNELS==\"0000:98:00.0\", " MTU, NO, NULL },
	{ NET "KERNELS==\"0000:26:02.0\", DRIVERS==\"mlx5_core\", " MTU, NO, NULL },	/* one parent has to fit both */
	{ NET "KERNELS==\"0000:26:02.0\", DRIVERS==\"pcieport\", " MTU, SETS, NULL },
	{ NET "ATTRS{vendor}==\"0x15b3\", " MTU, SETS, NULL },
	{ NET "ATTRS{vendor}==\"0x8086\", " MTU, NO, NULL },
	{ NET "TAGS==\"x\", " MTU, MAY, NULL },
	/* GOTO */
	{ "SUBSYSTEM!=\"net\", GOTO=\"end\"\n" MTU "LABEL=\"end\"\n", "50-a.rules:2 9000", NULL },
	{ "SUBSYSTEM==\"net\", GOTO=\"end\"\n" MTU "LABEL=\"end\"\n", NO, NULL },
	{ "SUBSYSTEM==\"net\", GOTO=\"end\"\n" MTU, "50-a.rules:2 9000", NULL },	/* without a label it does nothing */
	{ "LABEL=\"end\"\nGOTO=\"end\"\n" MTU, "50-a.rules:3 9000", NULL },
	{ "TEST==\"/x\", GOTO=\"end\"\n" MTU "LABEL=\"end\"\n" MTU, "50-a.rules:2 9000 ?, 50-a.rules:4 9000", NULL },
	{ "GOTO=\"a\"\nLABEL=\"a\", GOTO=\"b\"\n" MTU "LABEL=\"b\"\n", NO, NULL },
	/* others' rules, and programs */
	{ "KERNEL==\"x\", ATTR{[net/nic0]mtu}=\"9000\"\n", MAY, NULL },
	{ "KERNEL==\"x\", ATTR{[net/nic1]mtu}=\"9000\"\n", NO, NULL },
	{ NET "RUN+=\"/sbin/ip link set dev $name mtu 9000\"\n", MAY, NULL },
	{ NET "RUN{program}+=\"/bin/sh -c 'echo 9000 > /sys/class/net/%k/mtu'\"\n", "50-a.rules:1 - ?", NULL },
	{ NET "KERNEL==\"nic0\", RUN+=\"/sbin/ip link set nic0 mtu 9000 up\"\n", MAY, NULL },
	{ "SUBSYSTEM==\"infiniband\", RUN+=\"/sbin/ip link set nic0 mtu 9000\"\n", MAY, NULL },
	{ "SUBSYSTEM==\"infiniband\", RUN+=\"/sbin/ip link set nic1 mtu 9000\"\n", NO, NULL },
	{ NET "RUN+=\"/usr/bin/mtu-tool\"\n", NO, NULL },
};

/* Of what a dump gets. */
static const char *mtu_recorded(const struct root *r)
{
	struct dump_header h = { "n", "", "", "", "0", 0 };
	TEXT_CLEANUP struct text out = { 0 };
	struct root rec = *r;

	rec.k = kernel_recording(r->a, r->k, &h, &out);
	return mtu_of(&rec, &nic);
}

static void one_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (int plain = 0; plain < 2; plain++) {
			struct root *r = root_open(NULL);
			const char *want = plain && cases[i].plain ? cases[i].plain : cases[i].renamed, *have;
			char path[512];
			FILE *f;

			put_sysfs(r, plain ? "1\n" : "4\n");
			root_put(r, RULES, "");
			snprintf(path, sizeof(path), "%s/" RULES, r->dir);	/* root_put() has escapes of its own */
			f = fopen(path, "w");
			assert_true(f && fputs(cases[i].rules, f) >= 0 && fclose(f) == 0);
			have = mtu_of(r, &nic);
			if (strcmp(have, want))
				fail_msg("%s%s%s, not %s", cases[i].rules, plain ? "(not renamed) " : "", have, want);
			have = mtu_recorded(r);
			if (strcmp(have, want))
				fail_msg("%s%sof what a dump gets: %s, not %s", cases[i].rules, plain ? "(not renamed) " : "", have, want);
			root_close(r);
		}
}

/* Line by line: what cannot write, run or pass over anything, and comments, are left out of a dump. */
static void dumps(void **state)
{
	struct dump_header h = { "n", "", "", "", "0", 0 };
	TEXT_CLEANUP struct text out = { 0 };
	struct root *r = root_open(NULL);
	const struct udev *u;

	(void)state;
	root_put(r, RULES, "# hunter2\nKERNEL==\"sda\", ENV{P}=\"hunter2\"\n\nKERNEL==\"sda\", \\\\\n  # why\n  NAME=\"x\"\n" NET MTU "# hunter2");
	r->k = kernel_recording(r->a, r->k, &h, &out);
	assert_int_equal(udev_load(r->k, UDEV_HOST, &u), 0);
	assert_string_equal(u->confd->at[0].source.text, "\n\n\nKERNEL==\"sda\", \\\n  # why\n  NAME=\"x\"\n" NET MTU);
	assert_null(strstr(text_str(&out), "hunter2"));
	assert_null(r->k->keep);
	root_close(r);
}

/* Without sysfs (an image, an old dump) the driver of the function is known, and no bridge above it. */
static void without_sysfs(void **state)
{
	static const struct { const char *rules, *want; } rows[] = {
		{ NET "DRIVERS==\"mlx5_core\", " MTU, SETS }, { NET "DRIVERS==\"ice\", " MTU, NO },
		{ NET "KERNELS==\"" BDF "\", " MTU, MAY },     { NET "SUBSYSTEMS==\"pci\", " MTU, SETS },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);

		root_put(r, RULES, rows[i].rules);
		assert_string_equal(mtu_of(r, &nic), rows[i].want);
		root_close(r);
	}
}

static void files_in_order(void **state)
{
	struct root *r = root_open(NULL);

	(void)state;
	put_sysfs(r, "4\n");
	root_put(r, "usr/lib/udev/rules.d/90-z.rules", NET "ATTR{mtu}=\"1\"\n");
	root_put(r, "etc/udev/rules.d/10-a.rules", NET "ATTR{mtu}=\"2\"\n" NET "RUN+=\"ip link set nic0 mtu 7\"\n");
	root_put(r, "run/udev/rules.d/50-m.rules", NET "ATTR{mtu}=\"3\"\n");
	root_put(r, "lib/udev/rules.d/50-m.rules", NET "ATTR{mtu}=\"4\"\n");		/* hidden */
	root_put(r, "lib/udev/rules.d/95-n.rules", NET "ATTR{mtu}=\"5\"\n");
	root_put(r, "etc/udev/rules.d/95-n.rules", "@/dev/null");
	root_put(r, "etc/udev/rules.d/99-x.conf", NET "ATTR{mtu}=\"6\"\n");
	assert_string_equal(mtu_of(r, &nic), "10-a.rules:1 2, 50-m.rules:1 3, 90-z.rules:1 1, 10-a.rules:2 7 ?");
	root_close(r);
}

static const char *key_of(struct root *r, enum udev_rules which, const struct udev_device *d, const char *path)
{
	struct udev_acts acts = { 0 };
	const struct udev *u;

	kernel_renew(r->k);
	assert_int_equal(udev_load(r->k, which, &u), 0);
	udev_sysctl(u, d, path, &acts);
	return said(r, &acts);
}

static void keys(void **state)
{
#define KEY "net/rdma_ucm/max_backlog"
	static const struct { const char *rules, *path, *want; } rows[] = {
		{ "SUBSYSTEM==\"module\", KERNEL==\"rdma_ucm\", ACTION==\"add\", SYSCTL{" KEY "}=\"9000\"", KEY, SETS },
		{ "SUBSYSTEM==\"module\", KERNEL==\"rdma_ucm\", SYSCTL{net.rdma_ucm.max_backlog}=\"9000\"", KEY, SETS },
		{ "SUBSYSTEM==\"module\", KERNEL==\"rdma_cm\", SYSCTL{" KEY "}=\"9000\"", KEY, MAY },
		{ "SYSCTL{" KEY "}=\"9000\"", KEY, SETS },		/* with every device */
		{ "SUBSYSTEM==\"net\", SYSCTL{" KEY "}=\"9000\"", KEY, MAY },
		{ "SYSCTL{net/core/rmem_max}=\"9000\"", KEY, NO },
		{ "SYSCTL{" KEY "}==\"9000\", GOTO=\"x\"", KEY, NO },
		{ "SYSCTL{%c}=\"9000\"", KEY, MAY },			/* any key */
		{ "SYSCTL{net/rdma_ucm/*}=\"9000\"", KEY, NO },		/* a file of that name, which there is not */
		{ "SYSCTL{net/*/max_backlog}=\"9000\"", KEY, NO },
		{ "SYSCTL{net/rdma_ucm/$result}=\"9000\"", KEY, MAY },
		{ "SYSCTL{net/rdma_ucm/$env{KEY}}=\"9000\"", KEY, NO },	/* the first brace ends it: an error to udev */
		{ "SYSCTL{net/ipv4/conf/$name/rp_filter}=\"9000\"", "net/ipv4/conf/nic0/rp_filter", MAY },
		{ "RUN+=\"/sbin/sysctl -w net.rdma_ucm.max_backlog=9000\"", KEY, MAY },
		{ "RUN+=\"/sbin/sysctl -w net.rdma_ucm.max_backlog_x=9000\"", KEY, NO },
		{ "PROGRAM=\"/bin/sh -c 'echo 9000 >/proc/sys/" KEY "'\"", KEY, "50-a.rules:1 - ?" },
		{ "RUN+=\"/lib/systemd/systemd-sysctl --prefix=/net/rdma_ucm\"", KEY, NO },
	};
	struct udev_device d = udev_module("rdma_ucm");

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct root *r = root_open(NULL);
		const char *have;

		root_put(r, RULES, rows[i].rules);
		have = key_of(r, UDEV_HOST, &d, rows[i].path);
		if (strcmp(have, rows[i].want))
			fail_msg("%s: %s, not %s", rows[i].rules, have, rows[i].want);
		root_close(r);
	}
}

static void keys_of_a_netdev(void **state)
{
	struct root *r = root_open(NULL);
	struct udev_device d;

	(void)state;
	put_sysfs(r, "1\n");
	root_put(r, RULES, NET "SYSCTL{net/ipv4/conf/$name/rp_filter}=\"0\"\n" NET "DRIVERS==\"ice\", SYSCTL{net/ipv4/conf/%k/rp_filter}=\"1\"\n");
	d = udev_netdev(r->k, &nic);
	assert_string_equal(key_of(r, UDEV_HOST, &d, "net/ipv4/conf/nic0/rp_filter"), "50-a.rules:1 0, 50-a.rules:2 1 ?");
	root_put(r, "usr/lib/udev/rules.d/99-p.rules", "SYSCTL{net/ipv4/conf/nic0/rp_filter}=\"2\"\n");
	assert_string_equal(key_of(r, UDEV_HOST, NULL, "net/ipv4/conf/nic0/rp_filter"), "50-a.rules:1 0 ?, 50-a.rules:2 1 ?");
	assert_string_equal(key_of(r, UDEV_ALL, NULL, "net/ipv4/conf/nic0/rp_filter"), "50-a.rules:1 0 ?, 50-a.rules:2 1 ?, 99-p.rules:1 2");
	root_close(r);
}

static void parameters(void **state)
{
	struct udev_device d = udev_module("ib_core");
	struct root *r = root_open(NULL);
	struct udev_acts acts = { 0 };
	const struct udev *u;

	(void)state;
	root_put(r, RULES, "SUBSYSTEM==\"module\", KERNEL==\"ib_core\", ATTR{parameters/netns_mode}=\"N\"\n"
			   "SUBSYSTEM==\"module\", KERNEL==\"siw\", ATTR{parameters/netns_mode}=\"N\"\n"
			   "KERNEL==\"x\", ATTR{[module/ib_core]parameters/netns_mode}=\"Y\"\n"
			   "RUN+=\"/bin/sh -c 'echo N >/sys/module/ib_core/parameters/netns_mode'\"\n");
	assert_int_equal(udev_load(r->k, UDEV_HOST, &u), 0);
	udev_attr(u, &d, "parameters/netns_mode", &acts);
	assert_string_equal(said(r, &acts), "50-a.rules:1 N, 50-a.rules:3 Y ?, 50-a.rules:4 - ?");
	root_close(r);
}

static int (*plain_read)(struct kernel *k, const char *path, struct text *out);

static int read_but(struct kernel *k, const char *path, struct text *out)
{
	return strcmp(path, RULES) ? plain_read(k, path, out) : -EACCES;
}

static void what_is_not_read_is_told(void **state)
{
	TEXT_CLEANUP struct text many = { 0 };
	struct root *r = root_open(NULL);
	struct udev_acts acts = { 0 };
	const struct udev *u;
	char path[512];
	FILE *f;

	(void)state;
	root_put(r, RULES, "x");
	plain_read = r->ops.read;
	r->ops.read = read_but;
	assert_int_equal(udev_load(r->k, UDEV_HOST, &u), 0);
	udev_sysctl(u, NULL, "vm/swappiness", &acts);
	assert_string_equal(acts.unread, "/" RULES ": Permission denied");
	r->ops.read = plain_read;
	snprintf(path, sizeof(path), "%s/" RULES, r->dir);
	for (int i = 0; i < 5000; i++)
		text_add(&many, "SYSCTL{vm/swappiness}=\"1\"\n");
	f = fopen(path, "w");
	assert_true(f && fputs(text_str(&many), f) >= 0 && fclose(f) == 0);
	kernel_renew(r->k);
	acts = (struct udev_acts){ 0 };
	assert_int_equal(udev_load(r->k, UDEV_HOST, &u), 0);
	udev_sysctl(u, NULL, "vm/swappiness", &acts);
	assert_string_equal(acts.unread, "/" RULES ": it holds more than is looked at");
	assert_int_equal(acts.n, 4096);
	root_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_rule), cmocka_unit_test(dumps), cmocka_unit_test(without_sysfs), cmocka_unit_test(files_in_order), cmocka_unit_test(keys),
		cmocka_unit_test(keys_of_a_netdev), cmocka_unit_test(parameters), cmocka_unit_test(what_is_not_read_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
