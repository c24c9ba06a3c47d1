/* SPDX-License-Identifier: Apache-2.0 */
/* DCB: the recorded answer of tests/cases/netlink-*, malformed ones, and what a status byte means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake.h"
#include "kernel/dcbnl.h"
#include "kernel/netlink.h"

static size_t load_hex(const char *path, uint8_t *to, size_t room)
{
	FILE *f = fopen(path, "r");
	unsigned byte;
	size_t n = 0;

	assert_non_null(f);
	while (n < room && fscanf(f, "%2x", &byte) == 1)
		to[n++] = (uint8_t)byte;
	fclose(f);
	return n;
}

/* expected.txt of the case: PFC {3}, capability 8, delay 7; DSCP 26 to 3, 48 to 6; UDP 4791 is no DSCP; ETS identity. */
static void the_recorded_answer(void **state)
{
	static const struct dcb_app want[] = { { 5, 3, 26 }, { 5, 6, 48 }, { 3, 3, 4791 } };
	_Alignas(8) uint8_t reply[1024];
	size_t n = load_hex("tests/cases/netlink-ieee-get-dscp-pfc/reply.hex", reply, sizeof(reply));
	struct dcb dcb;
	char ifname[16];

	(void)state;
	assert_int_equal(dcbnl_decode(reply, n, &dcb, ifname), 0);
	assert_string_equal(ifname, "ens1f0np0");
	assert_true(dcb.has_ets && dcb.has_pfc && !dcb.has_buffer && !dcb.has_maxrate && !dcb.has_dcbx);
	assert_int_equal(dcb.pfc.pfc_cap, 8);
	assert_int_equal(dcb.pfc.pfc_en, 1 << 3);
	assert_int_equal(dcb.pfc.delay, 7);
	assert_int_equal(dcb.pfc.indications[3], 42);
	for (int i = 0; i < 8; i++)
		assert_int_equal(dcb.ets.prio_tc[i], i);
	assert_int_equal(dcb.napps, 3);
	assert_memory_equal(dcb.app, want, sizeof(want));
}

/* Every cut of the answer is refused or read as far as it is whole; nothing behind the cut is touched (sanitizers). */
static void every_cut_is_refused(void **state)
{
	_Alignas(8) uint8_t reply[1024];
	size_t n = load_hex("tests/cases/netlink-ieee-get-dscp-pfc/reply.hex", reply, sizeof(reply));
	struct dcb dcb;

	(void)state;
	for (size_t cut = 0; cut < n; cut++) {
		uint8_t *copy = malloc(cut ? cut : 1);

		memcpy(copy, reply, cut);
		assert_int_equal(dcbnl_decode(copy, cut, &dcb, NULL), -EBADMSG);
		if (cut >= sizeof(struct nlmsghdr)) {	/* the header says so, too: nests end early */
			uint32_t len = (uint32_t)cut;

			memcpy(copy, &len, sizeof(len));
			/* right behind the name, or in its padding, the shorter message is a whole one */
			assert_int_equal(dcbnl_decode(copy, cut, &dcb, NULL), cut >= 34 && cut <= 36 ? 0 : -EBADMSG);
		}
		free(copy);
	}
}

/* --- answers built by hand ------------------------------------------------------ */

struct dcb_answer {
	size_t apps, short_by;		/* entries; bytes that struct ieee_ets lacks */
	uint16_t app_type;
	uint8_t cmd;
	bool no_name;
};

static void put_answer(struct text *t, const struct dcb_answer *a)
{
	struct dcbmsg m = { .cmd = a->cmd ? a->cmd : DCB_CMD_IEEE_GET };
	struct ieee_ets ets = { .ets_cap = 8 };
	struct dcbnl_buffer buffer = { .total_size = 262144, .buffer_size = { 1000 } };
	size_t at = msg_begin(t, RTM_GETDCB, 0), ieee, table;

	msg_extra(t, &m, sizeof(m));
	if (!a->no_name)
		msg_str(t, DCB_ATTR_IFNAME, "nic0");
	ieee = msg_nest(t, DCB_ATTR_IEEE);
	msg_attr(t, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets) - a->short_by);
	msg_attr(t, DCB_ATTR_DCB_BUFFER, &buffer, sizeof(buffer));
	msg_u8(t, 11, 5);		/* the trust table of later kernels is skipped */
	msg_str(t, 500, "a later kernel's");
	table = msg_nest(t, DCB_ATTR_IEEE_APP_TABLE | NLA_F_NESTED);
	for (size_t i = 0; i < a->apps; i++) {
		struct dcb_app app = { 5, (uint8_t)(i % 8), (uint16_t)(i / 8) };

		msg_attr(t, a->app_type ? a->app_type : 1, &app, sizeof(app));
	}
	msg_nest_end(t, table);
	msg_nest_end(t, ieee);
	msg_u8(t, DCB_ATTR_DCBX, DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE);
	msg_end(t, at);
}

static int answer_get(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	assert_int_equal(protocol, NETLINK_ROUTE);
	assert_int_equal(request->nlmsg_type, RTM_GETDCB);
	put_answer(reply, f->arg);
	return 0;
}

static void answers_built_by_hand(void **state)
{
	static const struct { const char *name; struct dcb_answer a; int want; size_t napps; } cases[] = {
		{ "whole", { .apps = 3 }, 0, 3 },
		{ "PCP entries of later kernels", { .apps = 2, .app_type = 2 }, 0, 2 },
		{ "entries of an unknown kind", { .apps = 2, .app_type = 7 }, 0, 0 },
		{ "as many entries as there may be", { .apps = 512 }, 0, 512 },
		{ "one more", { .apps = 513 }, -EFBIG, 0 },
		{ "ETS too short", { .short_by = 1 }, -EBADMSG, 0 },
		{ "another command", { .cmd = DCB_CMD_GDCBX }, -EBADMSG, 0 },
		{ "nobody's", { .no_name = true }, -EBADMSG, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dcb *dcb;
		struct fake f;

		print_message("%s\n", cases[i].name);
		fake_open(&f, answer_get, (void *)(uintptr_t)&cases[i].a);
		assert_int_equal(dcbnl_get(&f.k, "nic0", &dcb), cases[i].want);
		assert_int_equal(dcbnl_get(&f.k, "nic0", &dcb), cases[i].want);
		assert_int_equal(f.asked, 1);
		if (cases[i].want == 0) {
			assert_int_equal(dcb->napps, cases[i].napps);
			assert_true(dcb->has_dcbx);
			assert_int_equal(dcb->dcbx, 9);
			assert_int_equal(dcb->buffer.total_size, 262144);
		}
		fake_close(&f);
	}
}

static void names_that_are_none(void **state)
{
	const struct dcb *dcb;
	struct fake f;

	(void)state;
	fake_open(&f, answer_get, NULL);
	assert_int_equal(dcbnl_get(&f.k, "", &dcb), -ENODEV);
	assert_int_equal(dcbnl_get(&f.k, "sixteen-letters-", &dcb), -ENODEV);
	assert_int_equal(dcbnl_set_dcbx(&f.k, "sixteen-letters-", 9, &f.d), -ENODEV);
	assert_int_equal(dcbnl_add_apps(&f.k, "sixteen-letters-", NULL, 0, &f.d), -ENODEV);
	assert_int_equal(dcbnl_set_pfc(&f.k, "sixteen-letters-", &(struct ieee_pfc){ 0 }, &f.d), -ENODEV);
	assert_int_equal(f.asked, 0);
	assert_int_equal(f.d.errors, 3);
	fake_close(&f);
}

static int answer_no_dcb(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	(void)protocol;
	(void)request;
	msg_error(reply, *(int *)f->arg);
	return 0;
}

static void a_device_without_dcb(void **state)
{
	int errors[] = { -EOPNOTSUPP, -ENODEV };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct dcb *dcb;
		struct fake f;

		fake_open(&f, answer_no_dcb, &errors[i]);
		assert_int_equal(dcbnl_get(&f.k, "veth0", &dcb), errors[i]);
		assert_int_equal(dcbnl_set_ets(&f.k, "veth0", &(struct ieee_ets){ 0 }, &f.d), errors[i]);
		assert_int_equal(f.d.errors, 1);
		fake_close(&f);
	}
}

/* --- status bytes ------------------------------------------------------------------ */

struct status_case {
	const char *name;
	uint8_t cmd, status;
	int want;
	const char *says;		/* a part of what is told */
	bool missing;			/* no status in the answer */
};

static int answer_set(struct fake *f, int protocol, const struct nlmsghdr *request, struct text *reply)
{
	const struct status_case *c = f->arg;
	struct dcbmsg m = { .cmd = c->cmd };
	size_t at = msg_begin(reply, RTM_SETDCB, request->nlmsg_flags);

	(void)protocol;
	msg_extra(reply, &m, sizeof(m));
	if (!c->missing)
		msg_u8(reply, c->cmd == DCB_CMD_SDCBX ? DCB_ATTR_DCBX : DCB_ATTR_IEEE, c->status);
	msg_end(reply, at);
	return 0;
}

static int run_set(struct fake *f, const struct status_case *c)
{
	struct dcb_app app = { 5, 3, 26 };

	if (c->cmd == DCB_CMD_SDCBX)
		return dcbnl_set_dcbx(&f->k, "nic0", 9, &f->d);
	if (c->cmd == DCB_CMD_IEEE_DEL)
		return dcbnl_del_apps(&f->k, "nic0", &app, 1, &f->d);
	return dcbnl_set_pfc(&f->k, "nic0", &(struct ieee_pfc){ .pfc_en = 8 }, &f->d);
}

static void status_bytes(void **state)
{
	static const struct status_case cases[] = {
		{ "done", DCB_CMD_IEEE_SET, 0, 0, NULL, false },
		{ "EINVAL", DCB_CMD_IEEE_SET, 234, -EINVAL, "cannot set PFC", false },
		{ "EOPNOTSUPP", DCB_CMD_IEEE_SET, 161, -EOPNOTSUPP, "cannot set PFC", false },
		{ "EBUSY", DCB_CMD_IEEE_SET, 240, -EBUSY, "cannot set PFC", false },
		{ "ENOENT", DCB_CMD_IEEE_DEL, 254, -ENOENT, "cannot set APP entries", false },
		{ "244 has two meanings", DCB_CMD_IEEE_SET, 244, -ENOMEM, "ENOTSUPP", false },
		{ "ice: deleted without a reset", DCB_CMD_IEEE_DEL, 2, 0, NULL, false },
		{ "mode taken", DCB_CMD_SDCBX, 0, 0, NULL, false },
		{ "mode refused, or set already", DCB_CMD_SDCBX, 1, -EINVAL, "refuses this DCBX mode", false },
		{ "no status", DCB_CMD_IEEE_SET, 0, -EBADMSG, "cannot set PFC", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake f;

		print_message("%s\n", cases[i].name);
		fake_open(&f, answer_set, (void *)(uintptr_t)&cases[i]);
		assert_int_equal(run_set(&f, &cases[i]), cases[i].want);
		assert_int_equal(f.k.writes, 1);
		assert_int_equal(f.d.errors, cases[i].want < 0);
		if (cases[i].says)
			assert_non_null(strstr(f.d.at[0].what, cases[i].says));
		fake_close(&f);
	}
}

/* What is sent: whole structs, entries in order, and each kind of entry under its own number. */
static void what_is_sent(void **state)
{
	static const struct status_case ok = { "done", DCB_CMD_IEEE_SET, 0, 0, NULL, false };
	static const struct dcb_app apps[] = { { 5, 3, 26 }, { 5, 6, 48 }, { 255, 1, 2 } };
	const struct nlattr *tb[DCB_ATTR_DCBX + 1], *ieee[DCB_ATTR_DCB_BUFFER + 1], *a;
	struct ieee_ets ets = { .prio_tc = { 0, 1, 2, 3, 4, 5, 6, 7 } };
	struct fake f;
	size_t n = 0;

	(void)state;
	fake_open(&f, answer_set, (void *)(uintptr_t)&ok);
	assert_int_equal(dcbnl_set_ets(&f.k, "nic0", &ets, &f.d), 0);
	assert_int_equal(netlink_payload((const void *)f.request, sizeof(struct dcbmsg), tb, DCB_ATTR_DCBX + 1), 0);
	assert_string_equal(mnl_attr_get_str(tb[DCB_ATTR_IFNAME]), "nic0");
	assert_int_equal(netlink_nest(tb[DCB_ATTR_IEEE], ieee, DCB_ATTR_DCB_BUFFER + 1), 0);
	assert_int_equal(mnl_attr_get_payload_len(ieee[DCB_ATTR_IEEE_ETS]), sizeof(ets));
	assert_memory_equal(mnl_attr_get_payload(ieee[DCB_ATTR_IEEE_ETS]), &ets, sizeof(ets));
	assert_int_equal(dcbnl_add_apps(&f.k, "nic0", apps, 3, &f.d), 0);
	assert_int_equal(netlink_payload((const void *)f.request, sizeof(struct dcbmsg), tb, DCB_ATTR_DCBX + 1), 0);
	assert_int_equal(netlink_nest(tb[DCB_ATTR_IEEE], ieee, DCB_ATTR_DCB_BUFFER + 1), 0);
	mnl_attr_for_each_nested(a, ieee[DCB_ATTR_IEEE_APP_TABLE]) {
		assert_int_equal(mnl_attr_get_type(a), n == 2 ? 2 : 1);
		assert_memory_equal(mnl_attr_get_payload(a), &apps[n], sizeof(apps[0]));
		n++;
	}
	assert_int_equal(n, 3);
	assert_int_equal(f.k.writes, 2);
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recorded_answer),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(answers_built_by_hand),
		cmocka_unit_test(names_that_are_none),
		cmocka_unit_test(a_device_without_dcb),
		cmocka_unit_test(status_bytes),
		cmocka_unit_test(what_is_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
