/* SPDX-License-Identifier: Apache-2.0 */
/* Counters by meaning: which of two names counts, ports that share an RDMA device, and statistics that cannot be. */
#include <linux/ethtool.h>

#include "sim_test.h"

#include "inventory/meters.h"
#include "kernel/ethtool.h"
#include "model/facts.h"

#define DIR "sys/devices/pci0001:00/0001:00:00.0/0001:01:00.0/0001:02:00.0/0001:03:00.0/infiniband/mlx5_0/ports/1"

static const struct port first = { .ifname = "nic0", .ibdev = "mlx5_0", .ibport = 1 };

static const struct reading *find(const struct readings *r, const char *metric, const char *own)
{
	for (size_t i = 0; i < r->list.n; i++)
		if (!strcmp(r->list.at[i].meter->metric, metric) && (!own || !strcmp(r->list.at[i].own, own)))
			return &r->list.at[i];
	return NULL;
}

static void every_name_means_one_thing(void **state)
{
	struct readings r;

	(void)state;
	meters_init(&r);
	for (size_t i = 0; i < r.nmeters; i++) {
		size_t n = strlen(r.meter[i].metric);

		assert_true(n > 6 && !strcmp(r.meter[i].metric + n - 6, "_total"));
		assert_true(r.meter[i].unit != METER_US || strstr(r.meter[i].metric, "_seconds_"));
		assert_true(r.meter[i].unit != METER_WORD || strstr(r.meter[i].metric, "_bytes_"));
		for (size_t j = 0; j < METER_NAMES && r.meter[i].called[j]; j++)
			for (size_t k = 0; k < r.nmeters; k++)
				for (size_t l = 0; l < METER_NAMES && r.meter[k].called[l]; l++)
					assert_true((k == i && l == j) || strcmp(r.meter[i].called[j], r.meter[k].called[l]) != 0);
	}
	assert_null(r.meter[r.nmeters - 1].called[0]);
}

/* Two names of one thing on one port: the better one, whichever comes first in the folder; never two series. */
static void one_of_two_names(void **state)
{
	const struct reading *one;
	struct readings r;
	struct machine m;
	size_t n = 0;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "set counter nic0 np_cnp_sent 5");
	DO(&m, "put " DIR "/hw_counters/cnpSent 6\n");
	DO(&m, "put " DIR "/hw_counters/tx_cnp_pkts 7\n");
	DO(&m, "put " DIR "/hw_counters/link_downed 8\n");	/* one name in both folders */
	DO(&m, "put " DIR "/hw_counters/strange 9\n");
	DO(&m, "put " DIR "/counters/strange 10\n");
	meters_init(&r);
	meters_port(m.k, m.a, &first, &r);
	one = find(&r, "rdmactl_rdma_cnps_sent_total", NULL);
	assert_true(one->value == 5);
	for (size_t i = 0; i < r.list.n; i++)
		for (size_t j = 0; j < i; j++)
			n += r.list.at[i].meter == r.list.at[j].meter && r.list.at[i].priority == r.list.at[j].priority &&
			     !strcmp(r.list.at[i].ifname, r.list.at[j].ifname) &&
			     (!r.list.at[i].own || !strcmp(r.list.at[i].own, r.list.at[j].own));
	assert_int_equal(n, 0);
	assert_true(find(&r, "rdmactl_rdma_driver_events_total", "strange")->value == 9);
	assert_int_equal(r.asked.n, 2);
	assert_true(r.asked.at[0].readable && r.asked.at[1].readable);
	machine_close_sim(&m);
}

/* Members of a bond have one RDMA device between them: it is asked once. */
static void a_device_of_two_interfaces(void **state)
{
	const struct port second = { .ifname = "nic1", .ibdev = "mlx5_0", .ibport = 1 }, bare = { .ifname = "nic1", .ibdev = "" };
	struct readings r;
	struct machine m;
	size_t n = 0;

	(void)state;
	machine_open_sim(&m, "");
	meters_init(&r);
	meters_port(m.k, m.a, &first, &r);
	meters_port(m.k, m.a, &second, &r);
	for (size_t i = 0; i < r.list.n; i++)
		n += !strcmp(r.list.at[i].meter->metric, "rdmactl_rdma_cnps_sent_total");
	assert_int_equal(n, 1);
	assert_int_equal(r.asked.n, 3);
	meters_init(&r);
	meters_port(m.k, m.a, &bare, &r);
	assert_int_equal(r.asked.n, 1);
	assert_null(find(&r, "rdmactl_rdma_cnps_sent_total", NULL));
	assert_non_null(find(&r, "rdmactl_interface_crc_errors_total", NULL));
	machine_close_sim(&m);
}

static void an_interface_that_is_gone(void **state)
{
	const struct port gone = { .ifname = "nic9", .ibdev = "mlx5_9", .ibport = 1 };
	struct readings r;
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	meters_init(&r);
	meters_port(m.k, m.a, &gone, &r);
	assert_int_equal(r.list.n, 0);
	assert_true(r.asked.at[0].readable);	/* no folder: no counters */
	assert_false(r.asked.at[1].readable);
	machine_close_sim(&m);
}

/* --- statistics that cannot be ---------------------------------------------------- */

enum lie { TRUTH, NONE_AT_ALL, TOO_MANY, OTHER_NUMBER, NO_END_OF_NAME, NO_SETS, STRINGS_FAIL, VALUES_FAIL };

static enum lie lie;

static int ethtool_door(struct kernel *k, const char *ifname, void *cmd, size_t n)
{
	struct ethtool_sset_info *info = cmd;
	struct ethtool_gstrings *strings = cmd;
	struct ethtool_stats *values = cmd;
	uint32_t have = lie == TOO_MANY ? 1u << 30 : lie == NONE_AT_ALL ? 0 : 2;

	(void)k;
	assert_string_equal(ifname, "eth0");
	switch (info->cmd) {
	case ETHTOOL_GSSET_INFO:
		info->sset_mask = lie == NO_SETS ? 0 : info->sset_mask;
		memcpy(info->data, &have, sizeof(have));
		return 0;
	case ETHTOOL_GSTRINGS:
		assert_true(n >= sizeof(*strings) + (size_t)have * ETH_GSTRING_LEN);
		strings->len = lie == OTHER_NUMBER ? 3 : have;
		memset(strings->data, lie == NO_END_OF_NAME ? 'x' : 0, (size_t)have * ETH_GSTRING_LEN);
		if (lie == TRUTH)
			memcpy(strings->data, "rx_prio3_pause", 14);
		return lie == STRINGS_FAIL ? -EIO : 0;
	case ETHTOOL_GSTATS:
		assert_true(n >= sizeof(*values) + have * sizeof(uint64_t));
		values->n_stats = have;
		for (uint32_t i = 0; i < have; i++)
			values->data[i] = i + 1;
		return lie == VALUES_FAIL ? -EOPNOTSUPP : 0;
	}
	return -EOPNOTSUPP;
}

static void statistics(void **state)
{
	static const struct { enum lie lie; int r; size_t n; } cases[] = {
		{ TRUTH, 0, 2 }, { NONE_AT_ALL, 0, 0 }, { TOO_MANY, -EBADMSG, 0 }, { OTHER_NUMBER, -EAGAIN, 0 },
		{ NO_END_OF_NAME, 0, 2 }, { NO_SETS, -EOPNOTSUPP, 0 }, { STRINGS_FAIL, -EIO, 0 }, { VALUES_FAIL, -EOPNOTSUPP, 0 },
	};
	struct kernel_ops ops = { .ethtool = ethtool_door };
	struct arena *a = arena_new();
	struct kernel k = { .ops = &ops, .arena = a, .kind = "fake" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ethtool_stat *stat = NULL;
		size_t n = 0;

		lie = cases[i].lie;
		assert_int_equal(ethtool_stats(&k, a, "eth0", &stat, &n), cases[i].r);
		assert_int_equal(n, cases[i].n);
		if (lie == TRUTH)
			assert_string_equal(stat[0].name, "rx_prio3_pause");
		if (lie == TRUTH)
			assert_true(stat[0].value == 1 && stat[1].value == 2);
		if (lie == NO_END_OF_NAME)
			assert_int_equal(strlen(stat[1].name), ETH_GSTRING_LEN - 1);
	}
	ops.ethtool = NULL;
	assert_int_equal(ethtool_stats(&k, a, "eth0", &(struct ethtool_stat *){ NULL }, &(size_t){ 0 }), -EOPNOTSUPP);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_means_one_thing),
		cmocka_unit_test(one_of_two_names),
		cmocka_unit_test(a_device_of_two_interfaces),
		cmocka_unit_test(an_interface_that_is_gone),
		cmocka_unit_test(statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
