/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's own session: found in the environment, among ancestors, by sshd's socket; and over which ports it comes. */
#include "sim_test.h"

#include <arpa/inet.h>
#include <linux/if_addr.h>

#include "base/diag.h"
#include "catalog.h"
#include "fake.h"
#include "inventory/inventory.h"
#include "inventory/session.h"
#include "kernel/rtnl.h"
#include "model/facts.h"

#define OWN "203.0.113.9 50000 198.51.100.10 22"

/* Processes: rdmactl (self) of sudo (30) of bash (20) of sshd (10) of sshd (9) of init (1). */
static void processes(struct machine *m)
{
	DO(m, "put proc/self/stat 40 (rdmactl) R 30 40 20 34816 40 4194304");
	DO(m, "put proc/30/stat 30 (sudo) S 20 30 20 34816");
	DO(m, "put proc/20/stat 20 (a) b (c) S 10 20 20 34816");
	DO(m, "put proc/10/stat 10 (sshd-session) S 9 9 9 0");
	DO(m, "put proc/9/stat 9 (sshd) S 1 9 9 0");
	for (int i = 0; i < 4; i++)
		DO(m, "put proc/%d/environ %s", (const int[]){ 30, 20, 10, 9 }[i], "PATH=/bin");
}

/* Any text, which the words of one line cannot be. */
static void put(struct machine *m, const char *path, const char *text)
{
	char *argv[] = { arena_strdup(m->a, "put"), arena_strdup(m->a, path), arena_strdup(m->a, text), NULL };
	TEXT_CLEANUP struct text out = { 0 };

	assert_int_equal(sim_command(m->s, 3, argv, &out), 0);
}

static const struct own_session *own(struct machine *m, const char *connection)
{
	kernel_renew(m->k);
	return session_own(m->k, m->a, connection);
}

static void by_the_environment(void **state)
{
	static const struct { const char *connection, *address, *ifname, *why; } rows[] = {
		{ OWN, "198.51.100.10", "nic0", NULL },
		{ "203.0.113.9 50000 ::ffff:198.51.100.10 22", "::ffff:198.51.100.10", "nic0", NULL },
		{ "fe80::2%nic1 50000 fe80::1%nic1 22", "fe80::1%nic1", "nic1", NULL },
		{ "fe80::2 50000 fe80::1%nic9 22", "fe80::1%nic9", NULL, "which interface has its address: No such device" },
		{ "203.0.113.9 50000 198.51.100.77 22", "198.51.100.77", NULL,
		  "which interface has its address: Cannot assign requested address" },
		{ "127.0.0.1 50000 127.0.0.1 22", "127.0.0.1", NULL, "its address is on the loopback, so any port may carry it" },
		{ "a b c\033 d", "c\\x1b", NULL, "which interface has its address: Invalid argument" },
		{ "203.0.113.9 50000", NULL, NULL, NULL },
		{ "", NULL, NULL, NULL },
		{ NULL, NULL, NULL, NULL },
	};
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "set addr nic0 192.0.2.1 198.51.100.10");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct own_session *s = own(&m, rows[i].connection);

		if (!s->address != !rows[i].address || !s->ifname != !rows[i].ifname || !s->why != !rows[i].why)
			fail_msg("%zu: %s %s %s", i, s->address, s->ifname, s->why);
		if (s->address)
			assert_string_equal(s->address, rows[i].address);
		if (s->ifname)
			assert_string_equal(s->ifname, rows[i].ifname);
		if (s->why)
			assert_string_equal(s->why, rows[i].why);
	}
	machine_close_sim(&m);
}

static void by_an_ancestor(void **state)
{
	struct machine m;
	const struct own_session *s;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "set addr nic1 198.51.100.10");
	processes(&m);
	assert_null(own(&m, NULL)->address);
	assert_null(own(&m, NULL)->why);	/* no session over the network */
	put(&m, "proc/20/environ", "SSH_CONNECTION=" OWN);
	s = own(&m, NULL);
	assert_string_equal(s->ifname, "nic1");
	/* the nearest counts */
	put(&m, "proc/30/environ", "SSH_CONNECTION=1.1.1.1 1 127.0.0.1 22");
	assert_string_equal(own(&m, NULL)->address, "127.0.0.1");
	/* what cannot be looked at is told, unless another tells more */
	DO(&m, "put proc/30/environ X=1");
	DO(&m, "deny proc/30/environ EACCES");
	assert_string_equal(own(&m, NULL)->ifname, "nic1");
	DO(&m, "put proc/20/environ X=1");
	assert_string_equal(own(&m, NULL)->why, "the processes above this one cannot be looked at: Permission denied");
	machine_close_sim(&m);
}

static void by_a_socket(void **state)
{
	static const char head[] = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
	struct machine m;
	char line[512];

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "set addr nic1 198.51.100.10");
	processes(&m);
	DO(&m, "symlink proc/10/fd/0 /dev/null");
	DO(&m, "symlink proc/10/fd/3 socket:[4711]");
	DO(&m, "symlink proc/10/fd/4 socket:[4712]");
	/* a listener, another's connection, ours; words in the machine's order */
	snprintf(line, sizeof(line), "%s"
		 "   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0\n"
		 "   1: 0100007F:0016 097100CB:C350 01 00000000:00000000 02:00000000 00000000     0        0 4710 2 0 20 4 30 10 -1\n"
		 "   2: %08X:0016 097100CB:C350 01 00000000:00000000 02:000AE2C5 00000000     0        0 4712 2 0 20 4 30 10 -1\n",
		 head, htonl(198u << 24 | 51 << 16 | 100 << 8 | 10));
	put(&m, "proc/net/tcp", line);
	assert_string_equal(own(&m, NULL)->address, "198.51.100.10");
	assert_string_equal(own(&m, NULL)->ifname, "nic1");
	/* IPv4 over an IPv6 socket */
	put(&m, "proc/net/tcp", head);
	snprintf(line, sizeof(line), "%s   2: 0000000000000000%08X%08X:0016 0000000000000000FFFF0000097100CB:C350 01 "
		 "00000000:00000000 02:000AE2C5 00000000     0        0 4712 2 0 20 4 30 10 -1\n",
		 head, htonl(0xffff), htonl(198u << 24 | 51 << 16 | 100 << 8 | 10));
	put(&m, "proc/net/tcp6", line);
	assert_string_equal(own(&m, NULL)->ifname, "nic1");
	/* lines that are none */
	put(&m, "proc/net/tcp6", "0: 0:1 0:1 01\n   2: ZZ:0016\n\n2: 00:0016 00:0016 01 0 0 0 0 0 4712");
	assert_null(own(&m, NULL)->address);
	DO(&m, "deny proc/10/fd EACCES");
	assert_string_equal(own(&m, NULL)->why, "the processes above this one cannot be looked at: Permission denied");
	machine_close_sim(&m);
}

static void strange_processes(void **state)
{
	static const char *const stats[] = { "", "40", "40 (", "40 )( S 1", "40 (x) S", "40 (x) S x", "40 (x) S 0", "40 (x) S 40" };
	struct machine m;

	(void)state;
	machine_open_sim(&m, "");
	for (size_t i = 0; i < sizeof(stats) / sizeof(stats[0]); i++) {
		put(&m, "proc/self/stat", stats[i]);
		put(&m, "proc/40/stat", "40 (x) S 40");	/* its own parent: the walk ends */
		assert_null(own(&m, NULL)->address);
	}
	machine_close_sim(&m);
}

static bool over(struct machine *m, const struct own_session *s, const char *name)
{
	struct diags d;
	struct facts *f;

	diags_init(&d, m->a);
	kernel_renew(m->k);
	assert_int_equal(inventory_take(m->k, m->a, catalog_default(), NULL, &f, &d), 0);
	for (size_t i = 0; i < f->nports; i++)
		if (!strcmp(f->port[i].name, name))
			return session_over(s, m->k, f, &f->port[i]);
	fail_msg("no port %s", name);
	return false;
}

static void down_to_the_port(void **state)
{
	struct machine m;
	struct facts *f;
	struct diags d;

	(void)state;
	machine_open_sim(&m, "--pairs 3");
	DO(&m, "set addr nic0 198.51.100.10");
	assert_true(over(&m, own(&m, OWN), "nic0"));
	assert_false(over(&m, own(&m, OWN), "nic1"));
	assert_false(over(&m, own(&m, "1.1.1.1 1 127.0.0.1 22"), "nic0"));
	/* a VLAN on a bond of two */
	DO(&m, "set addr nic0 none");
	DO(&m, "bond bond0 nic0 nic1");
	DO(&m, "vlan bond0.7 bond0");
	DO(&m, "set addr bond0.7 198.51.100.10");
	assert_string_equal(own(&m, OWN)->ifname, "bond0.7");
	assert_true(over(&m, own(&m, OWN), "nic0"));
	assert_true(over(&m, own(&m, OWN), "nic1"));
	assert_false(over(&m, own(&m, OWN), "nic2"));
	/* a function of the adapter */
	diags_init(&d, m.a);
	assert_int_equal(inventory_take(m.k, m.a, catalog_default(), NULL, &f, &d), 0);
	((struct port *)f->port)[0].function = FUNCTION_VF;
	((struct port *)f->port)[0].physfn = f->port[2].bdf;
	assert_true(session_over(own(&m, OWN), m.k, f, &f->port[2]));
	machine_close_sim(&m);
}

/* --- IPv6, and answers that are none --------------------------------------------------- */

static int answer_addresses(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	const struct ifaddrmsg i = { .ifa_family = 10, .ifa_index = 7 };
	const uint8_t own[16] = { 0x20, 0x01, [15] = 1 }, peer[16] = { 0x20, 0x01, [15] = 2 };
	const size_t cut = *(size_t *)f->arg;
	size_t at = msg_begin(reply, RTM_NEWADDR, NLM_F_MULTI);

	(void)protocol;
	assert_int_equal(request->nlmsg_type, RTM_GETADDR);
	msg_extra(reply, &i, sizeof(i) - cut);
	if (!cut) {
		msg_attr(reply, IFA_ADDRESS, peer, sizeof(peer));
		msg_attr(reply, IFA_LOCAL, own, sizeof(own));
	}
	msg_end(reply, at);
	msg_done(reply, 0);
	return 0;
}

static void addresses(void **state)
{
	const uint8_t own_[16] = { 0x20, 0x01, [15] = 1 }, peer[16] = { 0x20, 0x01, [15] = 2 };
	uint32_t ifindex = 0;
	size_t cut = 0;
	struct fake f;

	(void)state;
	fake_open(&f, answer_addresses, &cut);
	assert_int_equal(rtnl_address_owner(&f.k, own_, 16, &ifindex), 0);
	assert_int_equal(ifindex, 7);
	assert_int_equal(rtnl_address_owner(&f.k, peer, 16, &ifindex), -EADDRNOTAVAIL);
	assert_int_equal(rtnl_address_owner(&f.k, own_, 4, &ifindex), -EADDRNOTAVAIL);
	cut = 4;
	assert_int_equal(rtnl_address_owner(&f.k, own_, 16, &ifindex), -EBADMSG);
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_environment),
		cmocka_unit_test(by_an_ancestor),
		cmocka_unit_test(by_a_socket),
		cmocka_unit_test(strange_processes),
		cmocka_unit_test(down_to_the_port),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
