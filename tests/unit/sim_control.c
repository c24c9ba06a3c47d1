/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator as a tool: faults, writes that are made to fail, snapshots, a state file that processes share, and
 * the answers that real kernels gave to the same questions.
 */
#include <linux/devlink.h>
#include <unistd.h>

#include "../sim/transcript.h"
#include "sim_test.h"

static void test_unknown_words_are_errors(void **state)
{
	static const char *const lines[] = {
		"bogus", "set bogus nic0 1", "set mtu nic9 1500", "set mtu nic0", "set mtu nic0 x", "set mtu nic0 1 2",
		"set mtu nic0 99999", "get bogus nic0", "get mtu", "get mtu nic9", "get cc nic0 bogus", "set cc nic0 bogus 1",
		"fault nic0 bogus ignore", "fault nic0 pfc bogus", "fault nic0 pfc err", "fault nic0 pfc err EBOGUS",
		"fault nic0 pfc ignore x", "fault nic0 pfc err EIO 1 2", "fault nic9 pfc ignore", "load bogus", "unload bogus",
		"reset --bogus", "reset --pairs", "reset --pairs 0", "reset --pairs 129", "reset --pairs x", "reset --release 5.10",
		"reset --manners bogus", "reset --apptrust", "deny sys EBOGUS", "user bogus", "mount bogus", "cat sys/bogus",
		"ls proc/sys/kernel/ostype", "del sys/class/net/nic0/mtu", "vanish nic9", "bond bond0", "bond bond0 nic9",
		"vlan v nic9", "unlink bogus", "count bogus", "fail-write x", "fail-write 1 EIO 0", "fail-write 1 EBOGUS", "touch etc/bogus 1", "set dscp nic0 64:1",
		"set dscp nic0 1:8", "set ets nic0 0:101%", "set ets nic0 8:1%", "set pfc nic0 8", "set pcie nic0 7 8",
		"set fw nic0 1", "set rate nic0 bogus 1", "set addr nic0 1.2.3", "set ifname nic0 nic1", "set fw_lldp nic0 on", "transcript dead",
		"set file sys/class/net/nic0/operstate x", "set file proc/sys/net/core/rmem_max 1", "reset extra",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct machine m;
		uint64_t before;

		machine_open_sim(&m, "");
		before = sim_digest(m.s);
		if (sim_do(m.s, "%s", lines[i]) >= 0)
			fail_msg("'%s' was taken", lines[i]);
		assert_true(*sim_why(m.s));
		assert_true(sim_digest(m.s) == before);
		machine_close_sim(&m);
	}
}

static void test_faults(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "fault nic0 pfc err EBUSY 2");
	assert_int_equal(dcb_set_pfc(&m, "nic0", 0x08, 0), -EBUSY);
	assert_int_equal(dcb_set_pfc(&m, "nic1", 0x08, 0), 0);
	assert_int_equal(dcb_set_pfc(&m, "nic0", 0x08, 0), -EBUSY);
	assert_int_equal(dcb_set_pfc(&m, "nic0", 0x08, 0), 0);
	DO(&m, "fault nic0 pfc ignore");
	assert_int_equal(dcb_set_pfc(&m, "nic0", 0x10, 0), 0);
	SEES(&m, "get pfc nic0", "3");
	DO(&m, "fault nic0 pfc clamp 0x10");
	assert_int_equal(dcb_set_pfc(&m, "nic0", 0x28, 0), 0);
	SEES(&m, "get pfc nic0", "4");
	DO(&m, "fault nic0 pfc none");
	DO(&m, "fault nic0 mtu clamp 2000");
	DO(&m, "set mtu nic0 9000");
	SEES(&m, "get mtu nic0", "2000");
	DO(&m, "fault nic0 app lose");
	assert_int_equal(dcb_add(&m, "nic0", 26, 3), 0);
	SEES(&m, "get pfc nic0", "");
	SEES(&m, "get dscp nic0", "26:3");
	DO(&m, "fault nic0 cc err 5");
	assert_int_equal(write_line(&m, "sys/kernel/debug/mlx5/0001:03:00.0/cc_params/np_cnp_dscp", "1"), -EIO);
	DO(&m, "fault nic0 getcc err EIO");
	READS(&m, "sys/kernel/debug/mlx5/0001:03:00.0/cc_params/np_cnp_dscp", "error -5");
	machine_close_sim(&m);
}

static void test_a_field_that_cannot_be_read(void **state)
{
	TEXT_CLEANUP struct text whole = { 0 }, less = { 0 };
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	ask_dcb(&m.ask, RTM_GETDCB, DCB_CMD_IEEE_GET, "nic0");
	assert_int_equal(verdict(&m, NETLINK_ROUTE, &whole), 0);
	DO(&m, "fault nic0 getpfc err EIO");
	assert_int_equal(verdict(&m, NETLINK_ROUTE, &less), 0);
	assert_int_equal(whole.n - less.n, NLA_HDRLEN + sizeof(struct ieee_pfc));
	machine_close_sim(&m);
}

/* Waiting takes no time here, and is time for the machine. */
static void test_time_passes(void **state)
{
	const char *counter = "sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent";
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "set counter nic0 np_cnp_sent 100");
	DO(&m, "set rate nic0 np_cnp_sent 30");
	READS(&m, counter, "100");
	assert_int_equal(kernel_wait(m.k, 500), 0);
	READS(&m, counter, "115");
	DO(&m, "set flap_ms nic0 3600000");
	assert_int_equal(dcb_set_pfc(&m, "nic0", 0x08, 0), 0);
	READS(&m, "sys/class/net/nic0/carrier", "0");
	assert_int_equal(kernel_wait(m.k, 3600000), 0);
	READS(&m, "sys/class/net/nic0/carrier", "1");
	machine_close_sim(&m);
}

static void test_vanishing(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "set pfc nic0 3");
	DO(&m, "fault nic0 ets vanish");
	assert_int_equal(dcb_set(&m, "nic0", DCB_ATTR_IEEE_ETS, &(struct ieee_ets){ .prio_tc = { 1 } }, sizeof(struct ieee_ets)),
			 -ENODEV);
	ask_dcb(&m.ask, RTM_GETDCB, DCB_CMD_IEEE_GET, "nic0");
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), -ENODEV);
	SEES(&m, "ls sys/class/net", "lo\nnic1");
	SEES(&m, "ls sys/class/infiniband", "mlx5_1");
	READS(&m, "proc/sys/net/ipv4/conf/nic0/rp_filter", "error -2");
	DO(&m, "rescan");
	SEES(&m, "ls sys/class/net", "lo\nnic0\nnic1");
	SEES(&m, "get pfc nic0", "3");		/* the card kept it */
	SEES(&m, "get link nic0", "down");
	machine_close_sim(&m);
}

static void test_pfc_lost_with_the_mtu(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "set pfc_reset_on_mtu nic0 Y");
	DO(&m, "set pfc nic0 3,4");
	SEES(&m, "get pfc nic0", "3,4");
	DO(&m, "set mtu nic0 9000");
	SEES(&m, "get pfc nic0", "");
	machine_close_sim(&m);
}

/* Each kind of set through the doors. Return: what the caller sees. */
static int set_of(struct machine *m, int kind)
{
	const uint32_t mtu = 9000;

	switch (kind) {
	case 0:
		return dcb_set_pfc(m, "nic0", 0x08, 0);
	case 1:
		return dcb_add(m, "nic0", 26, 3);
	case 2:
		ask_begin(&m->ask, RTM_SETLINK, NLM_F_ACK, &(struct ifinfomsg){ .ifi_index = 2 }, sizeof(struct ifinfomsg));
		ask_attr(&m->ask, IFLA_MTU, &mtu, sizeof(mtu));
		return verdict(m, NETLINK_ROUTE, NULL);
	case 3:
		return write_line(m, "proc/sys/net/rdma_ucm/max_backlog", "8192");
	case 4:
		return m->k->ops->replace(m->k, "etc/modprobe.d/zz.conf", "x\n", 2, 0644);
	case 5:
		return m->k->ops->remove(m->k, "etc/hostname");
	case 6:
		ask_genl(&m->ask, ask_family(&m->ask, m->k, "devlink"), DEVLINK_CMD_RELOAD, NLM_F_ACK);
		ask_str(&m->ask, DEVLINK_ATTR_BUS_NAME, "pci");
		ask_str(&m->ask, DEVLINK_ATTR_DEV_NAME, "0001:03:00.0");
		return verdict(m, NETLINK_GENERIC, NULL);
	default:
		return 1;
	}
}

static void test_the_nth_write_fails(void **state)
{
	enum { KINDS = 7 };

	(void)state;
	for (int n = 0; n < KINDS; n++) {
		struct machine m;

		machine_open_sim(&m, "");
		sim_fail_nth_write(m.s, (unsigned)n + 1, EIO);
		for (int kind = 0; kind < KINDS; kind++) {
			uint64_t before = sim_digest(m.s);

			assert_int_equal(set_of(&m, kind), kind == n ? -EIO : 0);
			assert_true((sim_digest(m.s) == before) == (kind == n));
		}
		assert_int_equal(sim_writes(m.s), KINDS);
		machine_close_sim(&m);
	}
}

static void test_all_writes_fail_from_one_on(void **state)
{
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "fail-write 2 ENOSPC all");
	assert_int_equal(set_of(&m, 3), 0);
	assert_int_equal(set_of(&m, 4), -ENOSPC);
	assert_int_equal(set_of(&m, 0), -ENOSPC);
	assert_int_equal(set_of(&m, 3), -ENOSPC);
	DO(&m, "fail-write 1 EIO 2");
	assert_int_equal(set_of(&m, 0), -EIO);
	assert_int_equal(set_of(&m, 0), -EIO);
	assert_int_equal(set_of(&m, 0), 0);
	DO(&m, "fail-write 1 EIO");
	DO(&m, "fail-write 0");
	assert_int_equal(set_of(&m, 4), 0);
	machine_close_sim(&m);
}

static void test_reading_sets_nothing(void **state)
{
	struct machine m;
	uint64_t before;

	(void)state;
	machine_open_sim(&m, "");
	before = sim_digest(m.s);
	ask_dcb(&m.ask, RTM_GETDCB, DCB_CMD_IEEE_GET, "nic0");
	assert_int_equal(verdict(&m, NETLINK_ROUTE, NULL), 0);
	READS(&m, "sys/class/net/nic0/mtu", "1500");
	assert_int_equal(sim_writes(m.s), 0);
	assert_string_equal(sim_log(m.s), "");
	assert_true(sim_digest(m.s) == before);
	machine_close_sim(&m);
}

static void test_snapshot_sees_what_can_be_read(void **state)
{
	static const char *const seen[] = {
		"set mtu nic0 9000", "set pfc nic1 3", "set dscp nic0 26:3", "set ets nic0 0:100%", "set tc nic0 0:0",
		"set pause nic0 off", "set dcbx nic0 0x09", "set cc nic0 np_cnp_dscp 46", "set roce nic0 off",
		"set roce_tos nic0 106", "set roce_mode nic0 v1", "set link nic0 down", "vanish nic1", "load ib_ipoib",
		"set file proc/sys/net/core/rmem_max 300000", "put etc/x y", "del etc/hostname",
	};
	static const char *const unseen[] = {	/* what nobody set, and rdmactl's own notes */
		"set counter nic0 rx_discards_phy 5", "put var/lib/rdmactl/journal x", "fault nic0 pfc ignore",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		struct machine m;
		uint64_t before;

		machine_open_sim(&m, "");
		before = sim_digest(m.s);
		DO(&m, "%s", seen[i]);
		if (sim_digest(m.s) == before)
			fail_msg("not seen: %s", seen[i]);
		machine_close_sim(&m);
	}
	for (size_t i = 0; i < sizeof(unseen) / sizeof(unseen[0]); i++) {
		struct machine m;
		uint64_t before;

		machine_open_sim(&m, "");
		before = sim_digest(m.s);
		DO(&m, "%s", unseen[i]);
		assert_true(sim_digest(m.s) == before);
		machine_close_sim(&m);
	}
}

/* There and back: the same digest, though the hidden map and the link's counts are other ones. */
static void test_snapshot_of_what_was_undone(void **state)
{
	struct machine m;
	uint64_t before;

	(void)state;
	machine_open_sim(&m, "");
	before = sim_digest(m.s);
	assert_int_equal(dcb_add(&m, "nic0", 26, 3), 0);
	DO(&m, "set pfc nic0 3");
	assert_true(sim_digest(m.s) != before);
	assert_int_equal(dcb_del(&m, "nic0", 26, 3), 0);
	DO(&m, "set pfc nic0 none");
	DO(&m, "set pause nic0 on");
	assert_true(sim_digest(m.s) == before);
	machine_close_sim(&m);
}

static void test_one_machine_for_two_processes(void **state)
{
	char file[] = "/tmp/sim-test-XXXXXX";
	struct arena *a = arena_new();
	struct sim *one, *two;
	struct kernel *k;
	TEXT_CLEANUP struct text text = { 0 };
	int fd = mkstemp(file);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_null(sim_open(a, file, false));	/* empty: no machine */
	assert_int_equal(errno, EINVAL);
	one = sim_open(a, file, true);
	assert_non_null(one);
	assert_int_equal(sim_do(one, "reset --pairs 1"), 0);
	two = sim_open(a, file, false);
	assert_non_null(two);
	k = sim_kernel(two);
	assert_int_equal(k->ops->read(k, "sys/class/net/nic1/mtu", &text), -ENOENT);
	assert_int_equal(sim_do(one, "reset --pairs 2"), 0);	/* other paths now, also for those who looked before */
	assert_int_equal(sim_do(one, "set mtu nic1 9000"), 0);
	assert_int_equal(k->ops->read(k, "sys/class/net/nic1/mtu", &text), 0);
	assert_string_equal(text_str(&text), "9000\n");
	assert_int_equal(k->ops->replace(k, "etc/x", "y\n", 2, 0644), 0);
	assert_int_equal(sim_writes(one), 1);
	assert_true(sim_digest(one) == sim_digest(two));
	sim_close(two);
	sim_close(one);
	unlink(file);
	arena_free(a);
}

static void test_many_files(void **state)
{
	char *big = malloc(1 << 20);
	struct machine m;

	(void)state;
	assert_non_null(big);
	memset(big, 'x', 1 << 20);
	machine_open_sim(&m, "");
	for (int round = 0; round < 400; round++) {	/* 60 MB, more than the heap holds: it is packed */
		big[0] = (char)('a' + round % 26);
		assert_int_equal(m.k->ops->replace(m.k, "var/a", big, 100 + (size_t)round, 0644), 0);
		assert_int_equal(m.k->ops->replace(m.k, "var/b", big, 100000 + (size_t)round * 250, 0644), 0);
	}
	assert_int_equal(strlen(read_file(&m, "var/a")), 499);
	assert_int_equal(read_file(&m, "var/b")[0], big[0]);
	assert_int_equal(strlen(read_file(&m, "var/b")), 199750);
	READS(&m, "etc/hostname", "node1");
	READS(&m, "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456");
	for (int i = 0; i < 16; i++)
		m.k->ops->replace(m.k, arena_printf(m.a, "var/%d", i), big, 1 << 20, 0644);
	assert_int_equal(m.k->ops->replace(m.k, "var/last", big, 1 << 20, 0644), -ENOSPC);
	assert_int_equal(m.k->ops->replace(m.k, "var/huge", big, KERNEL_FILE_MAX + 1, 0644), -EFBIG);
	READS(&m, "var/last", "error -2");
	assert_int_equal(m.k->ops->replace(m.k, "var/a", big, 1 << 20, 0644), -ENOSPC);
	assert_int_equal(strlen(read_file(&m, "var/a")), 499);	/* the old one stays */
	machine_close_sim(&m);
	free(big);
}

/*
 * What Linux 6.1 and 6.12 with tests/vm/fabricsim answered to the same conversation (`simctl FILE transcript live` in
 * the virtual machine), byte by byte.
 */
static void test_answers_of_real_kernels(void **state)
{
	static const struct { const char *options, *file; } rows[] = {
		{ "--release 6.1", "tests/sim/answers-6.1.txt" },
		{ "--release 6.12", "tests/sim/answers-6.12.txt" },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		TEXT_CLEANUP struct text got = { 0 };
		struct machine m;
		FILE *f = fopen(rows[i].file, "r");
		char line[8192];
		const char *at;
		int n = 0;

		assert_non_null(f);
		machine_open_sim(&m, rows[i].options);
		transcript(m.k, &got);
		at = text_str(&got);
		while (fgets(line, sizeof(line), f)) {
			size_t len = strlen(line);

			n++;
			if (strncmp(at, line, len))
				fail_msg("%s:%d: the kernel said\n%sand the simulator\n%.*s", rows[i].file, n, line,
					 (int)strcspn(at, "\n"), at);
			at += len;
		}
		assert_string_equal(at, "");
		assert_true(n > 800);
		fclose(f);
		machine_close_sim(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_words_are_errors),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_a_field_that_cannot_be_read),
		cmocka_unit_test(test_time_passes),
		cmocka_unit_test(test_vanishing),
		cmocka_unit_test(test_pfc_lost_with_the_mtu),
		cmocka_unit_test(test_the_nth_write_fails),
		cmocka_unit_test(test_all_writes_fail_from_one_on),
		cmocka_unit_test(test_reading_sets_nothing),
		cmocka_unit_test(test_snapshot_sees_what_can_be_read),
		cmocka_unit_test(test_snapshot_of_what_was_undone),
		cmocka_unit_test(test_one_machine_for_two_processes),
		cmocka_unit_test(test_many_files),
		cmocka_unit_test(test_answers_of_real_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
