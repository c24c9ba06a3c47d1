/* SPDX-License-Identifier: Apache-2.0 */
/* The doors of the machine that runs the tests: whatever it is, it has a name, links and no DCB on its loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/ethtool.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "kernel/dcbnl.h"
#include "kernel/files.h"
#include "kernel/live.h"
#include "kernel/kernel.h"
#include "kernel/rdmanl.h"
#include "kernel/rtnl.h"

struct here {
	struct arena *a;
	struct kernel *k;
};

static void here_open(struct here *h)
{
	h->a = arena_new();
	h->k = kernel_live(h->a, NULL);
	assert_non_null(h->k);
	assert_string_equal(h->k->kind, "live");
}

static void here_close(struct here *h)
{
	kernel_close(h->k);
	arena_free(h->a);
}

static void a_name(void **state)
{
	char want[256];
	const char *name;
	struct here h;

	(void)state;
	here_open(&h);
	assert_int_equal(gethostname(want, sizeof(want)), 0);
	assert_int_equal(files_text(h.k, &name, "proc/sys/kernel/hostname"), 0);
	assert_string_equal(name, want);
	here_close(&h);
}

static void links_as_libc_sees_them(void **state)
{
	struct if_nameindex *want = if_nameindex();
	const struct rtnl_link *links;
	size_t n, wanted = 0;
	struct here h;

	(void)state;
	here_open(&h);
	assert_non_null(want);
	assert_int_equal(rtnl_links(h.k, &links, &n), 0);
	for (; want[wanted].if_index; wanted++) {
		const struct rtnl_link *link = rtnl_link(h.k, want[wanted].if_name);

		assert_non_null(link);
		assert_int_equal(link->ifindex, want[wanted].if_index);
	}
	assert_int_equal(n, wanted);
	assert_true(rtnl_link(h.k, "lo")->loopback);
	if_freenameindex(want);
	here_close(&h);
}

static void no_dcb_on_loopback(void **state)
{
	const struct dcb *dcb;
	struct here h;

	(void)state;
	here_open(&h);
	assert_int_equal(dcbnl_get(h.k, "lo", &dcb), -EOPNOTSUPP);
	assert_int_equal(dcbnl_get(h.k, "no-such-netdev", &dcb), -ENODEV);
	here_close(&h);
}

/* Nothing is loaded by asking. */
static void rdma_only_where_it_is(void **state)
{
	const struct rdma_port *port;
	struct here h;
	bool before;
	size_t n;

	(void)state;
	here_open(&h);
	before = files_exist(h.k, "sys/module/ib_core");
	assert_int_equal(rdmanl_ports(h.k, &port, &n), before ? 0 : -EPROTONOSUPPORT);
	assert_int_equal(files_exist(h.k, "sys/module/ib_core"), before);
	here_close(&h);
}

static void ethtool_ioctl(void **state)
{
	struct ethtool_value link = { .cmd = ETHTOOL_GLINK };
	struct here h;

	(void)state;
	here_open(&h);
	assert_int_equal(kernel_ethtool(h.k, "lo", &link, sizeof(link), false), 0);
	assert_int_equal(kernel_ethtool(h.k, "no-such-netdev", &link, sizeof(link), false), -ENODEV);
	assert_int_equal(kernel_ethtool(h.k, "longer-than-a-name-may-be", &link, sizeof(link), false), -ENODEV);
	here_close(&h);
}

static void requests_that_are_none(void **state)
{
	struct text t = { 0 };
	char big[20000] = { 0 };
	struct here h;

	(void)state;
	here_open(&h);
	assert_int_equal(kernel_talk(h.k, 0, big, 4, false, &t), -EINVAL);
	assert_int_equal(kernel_talk(h.k, 0, big, sizeof(big), false, &t), -EINVAL);
	assert_int_equal(kernel_talk(h.k, 99, big, 16, false, &t), -EPROTONOSUPPORT);
	assert_int_equal(t.n, 0);
	text_done(&t);
	here_close(&h);
}

/* A datagram larger than the room is asked for again, with more. */
static void a_room_too_small(void **state)
{
	const struct rtnl_link *links;
	struct here h;
	size_t n;

	(void)state;
	here_open(&h);
	((struct live *)h.k->self)->receive_room = 64;
	assert_int_equal(rtnl_links(h.k, &links, &n), 0);
	assert_true(n >= 1);
	assert_true(((struct live *)h.k->self)->receive_room > 64);
	here_close(&h);
}

/* procfs gives a long file in pieces, each shorter than what was asked for. */
static void a_file_in_pieces(void **state)
{
	struct text t = { 0 };
	struct here h;

	(void)state;
	here_open(&h);
	assert_int_equal(kernel_read(h.k, "proc/self/smaps", &t), 0);
	assert_true(t.n > 8192);
	assert_int_equal(t.s[t.n - 1], '\n');
	assert_non_null(strstr(text_str(&t), "[stack]"));
	text_done(&t);
	here_close(&h);
}

static void put(const char *path, const char *content)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

static void reads(struct here *h, const char *path, const char *want)
{
	TEXT_CLEANUP struct text t = { 0 };

	assert_int_equal(kernel_read(h->k, path + 1, &t), 0);
	assert_string_equal(text_str(&t), want);
}

/* Files of one directory are opened from there, until it has gone or something is set. */
static void a_directory_that_is_replaced(void **state)
{
	char dir[64] = "/tmp/rdmactl-near-XXXXXX", path[4][96];
	static const char *const names[] = { "d/one", "d/two", "d/three", "d" };
	TEXT_CLEANUP struct text t = { 0 };
	struct here h;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < 4; i++)
		snprintf(path[i], sizeof(path[i]), "%s/%s", dir, names[i]);
	assert_int_equal(mkdir(path[3], 0700), 0);
	put(path[0], "1");
	put(path[1], "2");
	here_open(&h);
	reads(&h, path[0], "1");
	reads(&h, path[1], "2");
	assert_int_equal(kernel_read(h.k, path[2] + 1, &t), -ENOENT);
	assert_int_equal(unlink(path[0]) | unlink(path[1]) | rmdir(path[3]) | mkdir(path[3], 0700), 0);
	put(path[0], "other 1");
	put(path[2], "other 3");
	reads(&h, path[0], "other 1");
	reads(&h, path[2], "other 3");
	snprintf(path[1], sizeof(path[1]), "%s/away", dir);
	reads(&h, path[0], "other 1");
	assert_int_equal(rename(path[3], path[1]) | mkdir(path[3], 0700), 0);
	put(path[0], "third");
	assert_int_equal(kernel_write(h.k, path[0] + 1, "x", 1), 0);
	reads(&h, path[0], "xhird");
	here_close(&h);
	assert_int_equal(unlink(path[0]) | rmdir(path[3]) | rename(path[1], path[3]), 0);
	assert_int_equal(unlink(path[0]) | unlink(path[2]) | rmdir(path[3]) | rmdir(dir), 0);
}

static void waiting(void **state)
{
	struct timespec from, to;
	struct here h;

	(void)state;
	here_open(&h);
	clock_gettime(CLOCK_MONOTONIC, &from);
	assert_int_equal(kernel_wait(h.k, 20), 0);
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec >= 20000000);
	here_close(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name),
		cmocka_unit_test(links_as_libc_sees_them),
		cmocka_unit_test(no_dcb_on_loopback),
		cmocka_unit_test(rdma_only_where_it_is),
		cmocka_unit_test(ethtool_ioctl),
		cmocka_unit_test(requests_that_are_none),
		cmocka_unit_test(a_room_too_small),
		cmocka_unit_test(a_file_in_pieces),
		cmocka_unit_test(a_directory_that_is_replaced),
		cmocka_unit_test(waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
