/* SPDX-License-Identifier: Apache-2.0 */
/* Load on the wire: perftest, rping and their kind. They prove a fabric, and set nothing. */
#include <string.h>

#include "explain/tool.h"

static void check_iterations(struct answer *a, const char *value)
{
	int64_t n;

	if (tool_number(value, &n) && n < 100)
		answer_beware(a, "-n %s is %s iterations, and too few to measure; several connections are "
				 "-q", value, value);
}

static void roce_tclass(struct answer *a, const char *value)
{
	int64_t tc;

	if (tool_number(value, &tc) && tc < 256)
		answer_does(a, "--tclass %lld is DSCP %lld", (long long)tc, (long long)tc / 4);
}

static const struct fact options[] = {
	{ "-d --ib-dev", .value = "IBDEV" },
	{ "-i --ib-port", .value = "PORT" },
	{ "-s --size", "BYTES", .does = "size of a message" },
	{ "-n --iters", "N", .does = "iterations", .take = check_iterations },
	{ "-q --qp", "N", .does = "queue pairs" },
	{ "-D --duration", .value = "SECONDS" },
	{ "-x --gid-index", "INDEX", .does = "GID by its index",
	  .beware = "the index of a GID differs from node to node" },
	{ "-R --rdma_cm", .does = "connects by rdma_cm, and so with its default ToS and mode" },
	{ "--tclass", "TCLASS", .take = roce_tclass },
	{ "-T --tos", "TOS", .does = "ToS of rdma_cm connections", .take = roce_tclass },
	{ "-S --sl", .value = "SL" }, { "-m --mtu", .value = "MTU" }, { "-a --all", .does = "all sizes" },
	{ .name = "-b --bidirectional" },
	{ .name = "-F --CPU-freq" }, { "-c --connection", .value = "TYPE" }, { "-p --port", .value = "PORT" },
	{ "-t --tx-depth", .value = "N" },
	{ "-r --rx-depth", .value = "N" }, { "-Q --cq-mod", .value = "N" }, { .name = "-e --events" },
	{ .name = "-h --help" }, { .name = "-V --version" }, { .name = "-N --no peak-bw" },
	{ "-l --post_list", .value = "N" }, { "-I --inline_size", .value = "BYTES" },
	{ .name = "-U --report-unsorted" }, { .name = "-H --report-histogram" },
	{ .name = "-C --report-cycles" }, { "-o --outs", .value = "N" }, { "-u --qp-timeout", .value = "N" },
	{ .name = "-g --mcg" }, { .name = "-z --comm_rdma_cm" },
	{ .name = "--report_gbits" }, { "--use_cuda", .value = "N" }, { .name = "--use_cuda_dmabuf" },
	{ "--use_rocm", .value = "N" }, { .name = "--run_infinitely" },
	{ .name = "--out_json" }, { "--out_json_file", .value = "FILE" }, { .name = "--disable_pcie_relaxed" },
	{ "--rate_limit", .value = "N" }, { .name = "--ipv6" },
	{ "--bind_source_ip", .value = "ADDRESS" }, { .name = "--mr_per_qp" }, { .name = "--dualport" },
	{ "--output", .value = "WHAT" }, { .name = "--cpu_util" },
	{ 0 },
};

static void measure(struct answer *a, const struct tool *t)
{
	const char *name = shell_basename(a->command->word[0]);

	(void)t;
	tool_options(a, options, 1);
	a->device = answer_arg(a, "-d");
	answer_does(a, "measures %s of %s between two nodes; the other end runs the same without an address",
		    strstr(name, "_lat") ? "latency" : "bandwidth",
		    strstr(name, "send") ? "SEND, which is two-sided" : "one-sided operations");
	tool_tell(a);
	answer_effect(a, &effect_load_on_wire);
	if (strstr(name, "send") && strstr(name, "_lat"))
		answer_beware(a, "a figure near 1 µs holds for small messages over one hop");
	if (!answer_has(a, "-R"))
		answer_beware(a, "without -R it does not use rdma_cm, so roce.tos does not hold for it");
	answer_beware(a, "its last line is of dashes: tail -1 does not show the figures");
}

static const struct fact rping_options[] = {
	{ "-s", .does = "server" },
	{ "-c", .does = "client" },
	{ "-a", "ADDRESS", .does = "address of the server: where it listens, or where the client connects to" },
	{ "-I", "ADDRESS", .does = "address of the client to connect from" },
	{ "-C", .value = "COUNT" }, { "-S", .value = "BYTES" }, { "-p", .value = "PORT" }, { .name = "-v" },
	{ .name = "-V" }, { .name = "-d" }, { .name = "-P" }, { .name = "-q" },
	{ 0 },
};

static void rping(struct answer *a, const struct tool *t)
{
	const char *from;

	(void)t;
	tool_options(a, rping_options, 1);
	tool_tell(a);
	from = answer_arg(a, "-I");
	if (from && !strpbrk(from, ".:") && !shell_open_value(from))
		answer_wrong(a, "-I takes an address, not the device %s", from);
	if (answer_has(a, "-c") && !answer_has(a, "-a"))
		answer_wrong(a, "a client needs -a SERVER");
	if (a->rest.n)
		answer_wrong(a, "%s stands alone: the server's address goes behind -a", a->rest.at[0]);
	if (a->exists != EXISTS_YES)
		answer_instead(a, "server: rping -s -a ADDRESS -C 10; client: rping -c -a SERVER -C 10 [-I "
				  "SOURCE_ADDRESS]");
	answer_does(a, "proves that rdma_cm connects and that data comes back");
}

static void other(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_effect(a, &effect_load_on_wire);
}

#define PROVES "it proves, and sets nothing"
const struct tool tools_perftest[] = {
	{ .names = "ib_write_bw ib_read_bw ib_send_bw ib_atomic_bw ib_write_lat ib_read_lat ib_send_lat ib_atomic_lat "
		   "raw_ethernet_bw raw_ethernet_lat",
	  .is = "of perftest", .explain = measure, .no_policy = PROVES },
	{ .names = "rping ucmatose udaddy", .is = "of rdma-core", .explain = rping, .no_policy = PROVES },
	{ .names = "ibv_rc_pingpong ibv_ud_pingpong ibv_uc_pingpong ibv_srq_pingpong", .is = "of rdma-core",
	  .does = "proves that queue pairs connect", .explain = other,
	  .no_policy = PROVES },
	{ .names = "iperf iperf3 qperf sockperf netperf", .is = "a benchmark",
	  .does = "measures TCP and UDP (qperf RDMA as well)", .explain = other,
	  .no_policy = PROVES },
	{ .names = "all_reduce_perf all_gather_perf alltoall_perf", .is = "of nccl-tests",
	  .does = "measures collectives of GPUs", .explain = other,
	  .no_policy = PROVES },
	{ 0 },
};
