/* SPDX-License-Identifier: Apache-2.0 */
/* Is a port in use: by contexts, queue pairs and CM IDs of the simulated kernel, by counters, and what cannot be known. */
#include "sim_test.h"

#include <rdma/rdma_netlink.h>

#include "base/diag.h"
#include "catalog.h"
#include "fake.h"
#include "inventory/counters.h"
#include "inventory/inventory.h"
#include "inventory/users.h"
#include "kernel/dump.h"
#include "kernel/rdmanl.h"
#include "model/facts.h"

#define SELF 4000

/* The machine with doors that count, or fail. */
static struct {
	const struct kernel_ops *ops;
	unsigned waits, dumps;
	unsigned cmd;			/* nldev command that fails with err */
	int err, wait_err;
} doors;

static int counting_wait(struct kernel *k, uint32_t ms)
{
	doors.waits++;
	assert_int_equal(ms, 1000);
	return doors.wait_err ? doors.wait_err : doors.ops->wait(k, ms);
}

static int counting_talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	const struct nlmsghdr *h = request;
	unsigned cmd = protocol == NETLINK_RDMA ? RDMA_NL_GET_OP(h->nlmsg_type) : 0;

	doors.dumps += cmd >= RDMA_NLDEV_CMD_RES_GET;
	if (doors.err && cmd == doors.cmd) {
		msg_done(reply, doors.err);
		return 0;
	}
	return doors.ops->talk(k, protocol, request, n, reply);
}

struct scene {
	struct machine m;
	struct kernel_ops ops;
	struct diags d;
	struct facts *f;
	struct users *u;
};

static void look_anew(struct scene *s)
{
	kernel_renew(s->m.k);
	assert_int_equal(inventory_take(s->m.k, s->m.a, catalog_default(), NULL, &s->f, &s->d), 0);
	s->u = users_new(s->m.a, SELF);
	doors.waits = doors.dumps = 0;
}

static void scene_open(struct scene *s, const char *options)
{
	machine_open_sim(&s->m, options);
	diags_init(&s->d, s->m.a);
	memset(&doors, 0, sizeof(doors));
	doors.ops = s->m.k->ops;
	s->ops = *s->m.k->ops;
	s->ops.wait = counting_wait;
	s->ops.talk = counting_talk;
	s->m.k->ops = &s->ops;
	look_anew(s);
}

static const struct use *use_of(struct scene *s, const char *name)
{
	for (size_t i = 0; i < s->f->nports; i++)
		if (!strcmp(s->f->port[i].name, name))
			return users_of(s->u, s->m.k, s->f, &s->f->port[i]);
	fail_msg("no port %s", name);
	return NULL;
}

/* NULL: it is idle, and nothing more is said */
static void is(struct scene *s, const char *name, enum use_state state, const char *why)
{
	const struct use *use = use_of(s, name);

	if (use->state != state || !use->why != !why || (why && strcmp(use->why, why)))
		fail_msg("%s: %d %s", name, use->state, use->why ? use->why : "(null)");
}

static void who_holds_what(void **state)
{
	static const struct {
		const char *orders[7];
		enum use_state state;
		const char *why;
	} rows[] = {
		{ { NULL }, USE_IDLE, NULL },
		{ { "open nic0 context python3 4711" }, USE_BUSY, "1 open context of python3 (4711)" },
		{ { "open nic0 context rdmactl 4000" }, USE_IDLE, NULL },
		{ { "open nic0 context rdmactl 4000", "open nic0 qp a 7" }, USE_BUSY, "1 queue pair of a (7)" },
		/* of one holder, what says most */
		{ { "open nic0 context python3 4711", "open nic0 qp python3 4711 2 rc 0", "open nic0 cm_id python3 4711",
		    "open nic0 qp nvme_rdma kernel" },
		  USE_BUSY, "2 queue pairs of python3 (4711), 1 of nvme_rdma (kernel)" },
		{ { "open nic0 cm_id nvmet_rdma kernel 2", "open nic0 context b 9" }, USE_BUSY,
		  "2 CM IDs of nvmet_rdma (kernel), 1 open context of b (9)" },
		{ { "open nic0 qp a 1 3", "open nic0 qp b 2 9", "open nic0 qp c 3", "open nic0 qp d 4 2", "open nic0 context e 5" },
		  USE_BUSY, "9 queue pairs of b (2), 3 of a (1), 2 of d (4); 2 more" },
		{ { "open nic0 context x 0 2" }, USE_BUSY, "2 open contexts of a process that cannot be seen from here" },
		/* the management agents' and the driver's own are nobody's */
		{ { "open nic0 qp ib_core kernel 1 smi", "open nic0 qp ib_core kernel 1 gsi" }, USE_IDLE, NULL },
		{ { "mkdir sys/module/mlx5_ib/drivers", "open nic0 qp mlx5_ib kernel 3" }, USE_IDLE, NULL },
		{ { "mkdir sys/module/mlx5_ib/drivers", "open nic0 qp mlx5_ib kernel 3", "open nic0 qp smc kernel 1 rc 0" }, USE_BUSY,
		  "1 queue pair of smc (kernel)" },
		{ { "open nic0 qp ib_ipoib kernel 1 ud" }, USE_BUSY, "1 queue pair of ib_ipoib (kernel)" },
		{ { "open nic0 context python3 4711", "close nic0 python3" }, USE_IDLE, NULL },
		/* names are the holders' own business */
		{ { "open nic0 context x 5", "put proc/5/comm a\033[2J\n" }, USE_BUSY, "1 open context of a\\x1b[2J (5)" },
		{ { "open nic0 context x 5", "deny proc/5 EACCES" }, USE_BUSY, "1 open context of process 5" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scene s;

		scene_open(&s, "");
		for (int j = 0; rows[i].orders[j]; j++)
			DO(&s.m, "%s", rows[i].orders[j]);
		is(&s, "nic0", rows[i].state, rows[i].why);
		is(&s, "nic1", USE_IDLE, NULL);
		machine_close_sim(&s.m);
	}
}

static void counters_that_move(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s, "--pairs 3");
	DO(&s.m, "set counter nic0 np_cnp_sent 7");
	DO(&s.m, "set rate nic0 np_cnp_sent 30");
	DO(&s.m, "open nic2 context a 1");
	DO(&s.m, "set rate nic2 np_cnp_sent 30");
	is(&s, "nic0", USE_BUSY, "np_cnp_sent of mlx5_0/1 moves: from 7 to 37 within a second");
	is(&s, "nic1", USE_IDLE, NULL);
	is(&s, "nic2", USE_BUSY, "1 open context of a (1)");
	assert_int_equal(doors.waits, 1);	/* once for all */
	assert_int_equal(doors.dumps, 9);
	/* and once a run: also for facts that were taken anew */
	DO(&s.m, "open nic1 context a 1");
	DO(&s.m, "reload nic1");
	kernel_renew(s.m.k);
	assert_int_equal(inventory_take(s.m.k, s.m.a, catalog_default(), NULL, &s.f, &s.d), 0);
	is(&s, "nic1", USE_IDLE, NULL);
	assert_int_equal(doors.waits, 1);
	assert_int_equal(doors.dumps, 9);
	/* nobody waits to learn what is known */
	DO(&s.m, "open nic0 context a 1");
	DO(&s.m, "open nic1 context a 1");
	look_anew(&s);
	is(&s, "nic1", USE_BUSY, "1 open context of a (1)");
	assert_int_equal(doors.waits, 0);
	machine_close_sim(&s.m);
}

/* At boot, before the network is up: a unit for each of twenty ports must not take a second. */
static void ports_that_are_down(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s, "");
	DO(&s.m, "set carrier nic0 off");
	DO(&s.m, "set carrier nic1 off");
	look_anew(&s);
	is(&s, "nic0", USE_IDLE, NULL);
	is(&s, "nic1", USE_IDLE, NULL);
	assert_int_equal(doors.waits, 0);
	DO(&s.m, "set carrier nic1 on");
	look_anew(&s);
	is(&s, "nic1", USE_IDLE, NULL);
	assert_int_equal(doors.waits, 1);
	machine_close_sim(&s.m);
}

static void what_cannot_be_known(void **state)
{
	static const struct {
		unsigned cmd;
		int err, wait_err;
		const char *order, *why;
	} rows[] = {
		{ RDMA_NLDEV_CMD_GET, -EIO, 0, NULL, "RDMA devices cannot be listed: Input/output error" },
		{ RDMA_NLDEV_CMD_RES_CTX_GET, -EINVAL, 0, NULL,
		  "open contexts of mlx5_0 cannot be listed: Invalid argument (Linux before 5.14 cannot)" },
		{ RDMA_NLDEV_CMD_RES_QP_GET, -EOPNOTSUPP, 0, NULL, "queue pairs of mlx5_0 cannot be listed: Operation not supported" },
		{ RDMA_NLDEV_CMD_RES_CM_ID_GET, -EPERM, 0, NULL, "CM IDs of mlx5_0 cannot be listed: Operation not permitted" },
		{ 0, 0, -EINTR, NULL, "counters of mlx5_0/1: Interrupted system call" },
		{ 0, 0, 0, "deny sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent EIO",
		  "counters of mlx5_0/1: Input/output error" },
		{ 0, 0, 0, "put sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent many", "counters of mlx5_0/1: Bad message" },
	};
	struct scene s;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char real[256];

		scene_open(&s, "");
		if (rows[i].order) {	/* simctl's paths are without links */
			const char *pci = "sys/devices/pci0001:00/0001:00:00.0/0001:01:00.0/0001:02:00.0/0001:03:00.0/infiniband";
			const char *at = strstr(rows[i].order, "sys/class/infiniband");

			snprintf(real, sizeof(real), "%.*s%s%s", (int)(at - rows[i].order), rows[i].order, pci, at + 20);
			DO(&s.m, "%s", real);
		}
		doors.cmd = rows[i].cmd;
		doors.err = rows[i].err;
		doors.wait_err = rows[i].wait_err;
		kernel_renew(s.m.k);
		is(&s, "nic0", USE_UNKNOWN, rows[i].why);
		machine_close_sim(&s.m);
	}
	/* what is seen all the same counts */
	scene_open(&s, "");
	DO(&s.m, "open nic0 qp smc kernel");
	doors.cmd = RDMA_NLDEV_CMD_RES_CTX_GET;
	doors.err = -EINVAL;
	is(&s, "nic0", USE_BUSY, "1 queue pair of smc (kernel)");
	machine_close_sim(&s.m);
}

static void ports_without_rdma(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s, "--no-rdma");
	is(&s, "nic0", USE_IDLE, "RDMA is not loaded");
	assert_int_equal(doors.waits, 0);
	machine_close_sim(&s.m);
	scene_open(&s, "");
	DO(&s.m, "set roce nic1 off");
	DO(&s.m, "reload nic1");
	DO(&s.m, "open nic0 context a 1");
	look_anew(&s);
	is(&s, "nic1", USE_IDLE, "it has no RDMA device");
	/* in a bond the one device is both members' */
	DO(&s.m, "bond bond0 nic0 nic1");
	look_anew(&s);
	is(&s, "nic0", USE_BUSY, "1 open context of a (1)");
	is(&s, "nic1", USE_BUSY, "1 open context of a (1)");
	DO(&s.m, "close nic0 a");
	look_anew(&s);
	is(&s, "nic1", USE_IDLE, NULL);
	assert_int_equal(doors.waits, 1);
	machine_close_sim(&s.m);
}

/* nic1 becomes a function of nic0's adapter. */
static void functions_on_one_wire(void **state)
{
	static const struct { enum function function; bool same_pci; enum use_state state; } rows[] = {
		{ FUNCTION_VF, false, USE_BUSY }, { FUNCTION_SF, true, USE_BUSY }, { FUNCTION_SF, false, USE_IDLE },
		{ FUNCTION_PF, true, USE_IDLE },
	};
	struct scene s;

	(void)state;
	scene_open(&s, "");
	DO(&s.m, "open nic1 context a 1");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct port *p;

		look_anew(&s);
		p = (struct port *)s.f->port;	/* the scene's own */
		p[1].function = rows[i].function;
		p[1].physfn = rows[i].function == FUNCTION_VF ? p[0].bdf : "";
		if (rows[i].same_pci)
			p[1].pci_path = p[0].pci_path;
		assert_int_equal(use_of(&s, "nic0")->state, rows[i].state);
		is(&s, "nic1", USE_BUSY, "1 open context of a (1)");
	}
	/* the other way round nothing follows: the function's own users are its own */
	DO(&s.m, "close nic1 a");
	DO(&s.m, "open nic0 context a 1");
	look_anew(&s);
	((struct port *)s.f->port)[1].function = FUNCTION_VF;
	((struct port *)s.f->port)[1].physfn = s.f->port[0].bdf;
	is(&s, "nic1", USE_IDLE, NULL);
	machine_close_sim(&s.m);
}

static void functions_of_guests(void **state)
{
	const char *pci = "sys/devices/pci0001:00/0001:00:00.0/0001:01:00.0/0001:02:00.0/0001:03:00.0";
	struct scene s;

	(void)state;
	scene_open(&s, "");
	DO(&s.m, "symlink %s/virtfn0 ../0001:03:00.1", pci);
	DO(&s.m, "symlink %s/virtfn1 ../0001:03:00.2", pci);
	DO(&s.m, "symlink sys/bus/pci/devices/0001:03:00.1/driver ../../../bus/pci/drivers/mlx5_core");
	is(&s, "nic0", USE_IDLE, NULL);
	DO(&s.m, "symlink sys/bus/pci/devices/0001:03:00.2/driver ../../../bus/pci/drivers/vfio-pci");
	look_anew(&s);
	is(&s, "nic0", USE_UNKNOWN, "1 of its virtual functions is handed to guests (vfio)");
	machine_close_sim(&s.m);
}

static void a_port_that_comes_later(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s, "");
	DO(&s.m, "vanish nic1");
	look_anew(&s);
	is(&s, "nic0", USE_IDLE, NULL);
	DO(&s.m, "rescan");
	kernel_renew(s.m.k);
	assert_int_equal(inventory_take(s.m.k, s.m.a, catalog_default(), NULL, &s.f, &s.d), 0);
	is(&s, "nic1", USE_UNKNOWN, "it appeared after the ports had been looked at");
	machine_close_sim(&s.m);
}

/* Both readings are in a dump, and without them nothing is known. */
static void from_a_dump(void **state)
{
	const struct dump_header h = { .hostname = "node1", .kernel = "6.12", .observed_at = "", .boot_id = "", .rdmactl = "0",
				       .observed_s = 1 };
	TEXT_CLEANUP struct text out = { 0 };
	struct dump_header got;
	struct scene s;

	(void)state;
	for (int asked = 0; asked < 2; asked++) {
		scene_open(&s, "");
		DO(&s.m, "set rate nic0 np_cnp_sent 30");
		DO(&s.m, "open nic1 context a 1");
		text_reset(&out);
		s.m.k = kernel_recording(s.m.a, s.m.k, &h, &out);
		look_anew(&s);
		if (asked)
			is(&s, "nic0", USE_BUSY, "np_cnp_sent of mlx5_0/1 moves: from 0 to 30 within a second");
		s.m.k = kernel_replay(s.m.a, "dump", text_str(&out), out.n, &got, &s.d);
		assert_non_null(s.m.k);
		look_anew(&s);
		if (asked) {
			is(&s, "nic0", USE_BUSY, "np_cnp_sent of mlx5_0/1 moves: from 0 to 30 within a second");
			is(&s, "nic1", USE_BUSY, "1 open context of a (1)");
		} else {
			is(&s, "nic0", USE_UNKNOWN, "who uses it is not recorded here");
		}
		machine_close_sim(&s.m);
	}
}

/* --- counters ---------------------------------------------------------------------- */

static void which_counters(void **state)
{
	const char *dir = "sys/devices/pci0001:00/0001:00:00.0/0001:01:00.0/0001:02:00.0/0001:03:00.0/infiniband/mlx5_0/ports/1";
	struct counters c = { 0 };
	struct machine m;
	bool lifespan = false;

	(void)state;
	machine_open_sim(&m, "");
	DO(&m, "put %s/counters/port_xmit_data 18446744073709551615\n", dir);
	DO(&m, "put %s/counters/port_rcv_data 5\n", dir);
	DO(&m, "deny %s/counters/port_rcv_data EINVAL", dir);
	DO(&m, "put %s/counters/symbol_error 5\n", dir);
	assert_int_equal(counters_read(m.k, m.a, "mlx5_0", 1, &c), 0);
	assert_int_equal(c.n, 13);
	assert_string_equal(c.at[0].name, "port_xmit_data");
	assert_true(c.at[0].value == UINT64_MAX);
	for (size_t i = 0; i < c.n; i++)
		lifespan |= !strcmp(c.at[i].name, "lifespan");
	assert_false(lifespan);
	c = (struct counters){ 0 };
	assert_int_equal(counters_read(m.k, m.a, "mlx5_0", 2, &c), 0);
	assert_int_equal(counters_read(m.k, m.a, "../mlx5_0", 1, &c), 0);
	assert_int_equal(c.n, 0);
	machine_close_sim(&m);
}

static void what_moved(void **state)
{
	struct counter was[] = { { "a", 1 }, { "b", 2 }, { "c", 3 } }, is_[] = { { "c", 3 }, { "a", 1 }, { "b", 0 } },
		       more[] = { { "a", 1 }, { "d", 0 } };
	const struct counters before = { was, 3, 3 }, same = { is_, 2, 2 }, after = { is_, 3, 3 }, other = { more, 2, 2 };
	uint64_t from = 9;

	(void)state;
	assert_null(counters_moved(&before, &before, &from));
	assert_null(counters_moved(&before, &same, &from));
	assert_string_equal(counters_moved(&before, &after, &from)->name, "b");
	assert_int_equal(from, 2);
	assert_string_equal(counters_moved(&before, &other, &from)->name, "d");
}

/* --- answers that are none ----------------------------------------------------------- */

enum broken { WHOLE, NO_TABLE, CUT_TABLE, CUT_ENTRY, OTHER_ENTRY, EMPTY_TABLE };

static int answer_broken(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	enum broken how = *(enum broken *)f->arg;
	size_t at = msg_begin(reply, request->nlmsg_type, NLM_F_MULTI), table, entry;
	uint16_t n;

	assert_int_equal(protocol, NETLINK_RDMA);
	msg_u32(reply, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	table = msg_nest(reply, how == NO_TABLE ? RDMA_NLDEV_ATTR_RES_CTX : RDMA_NLDEV_ATTR_RES_QP);
	if (how != EMPTY_TABLE) {
		entry = msg_nest(reply, how == OTHER_ENTRY ? RDMA_NLDEV_ATTR_RES_CTX_ENTRY : RDMA_NLDEV_ATTR_RES_QP_ENTRY);
		msg_u32(reply, RDMA_NLDEV_ATTR_PORT_INDEX, 2);
		msg_str(reply, RDMA_NLDEV_ATTR_RES_KERN_NAME, "smc\033");
		msg_nest_end(reply, entry);
		n = how == CUT_ENTRY ? 200 : 0;
		if (n)
			memcpy(reply->s + entry + NLA_HDRLEN, &n, sizeof(n));
	}
	msg_nest_end(reply, table);
	n = 3;
	if (how == CUT_TABLE)
		memcpy(reply->s + table + NLA_HDRLEN, &n, sizeof(n));
	msg_end(reply, at);
	msg_done(reply, 0);
	return 0;
}

static void answers_that_are_none(void **state)
{
	static const struct { enum broken how; int r; size_t n; } rows[] = {
		{ WHOLE, 0, 1 }, { NO_TABLE, -EBADMSG, 0 }, { CUT_TABLE, -EBADMSG, 0 }, { CUT_ENTRY, -EBADMSG, 0 },
		{ OTHER_ENTRY, 0, 0 }, { EMPTY_TABLE, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum broken how = rows[i].how;
		const struct rdma_holder *h = NULL;
		size_t n = 77;
		struct fake f;

		fake_open(&f, answer_broken, &how);
		assert_int_equal(rdmanl_holders(&f.k, 3, RDMA_QP, &h, &n), rows[i].r);
		assert_int_equal(n, rows[i].r ? 77 : rows[i].n);
		if (how == WHOLE) {
			assert_string_equal(h->kernel, "smc\\x1b");
			assert_int_equal(h->port, 2);
			assert_int_equal(h->pid, 0);
		}
		fake_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_holds_what),
		cmocka_unit_test(counters_that_move), cmocka_unit_test(ports_that_are_down),
		cmocka_unit_test(what_cannot_be_known),
		cmocka_unit_test(ports_without_rdma),
		cmocka_unit_test(functions_on_one_wire),
		cmocka_unit_test(functions_of_guests),
		cmocka_unit_test(a_port_that_comes_later),
		cmocka_unit_test(from_a_dump),
		cmocka_unit_test(which_counters),
		cmocka_unit_test(what_moved),
		cmocka_unit_test(answers_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
