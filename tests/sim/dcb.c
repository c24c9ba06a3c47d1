/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DCB netlink, IEEE flavour. Errors come in three layers: NLMSG_ERROR before the driver is asked, a status byte in
 * a normal answer, and silence where the driver has no callback.
 */
#include "message.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define ATTR_TRUST_TABLE 11 /* DCB_ATTR_DCB_APP_TRUST_TABLE and what follows: not in 6.1's headers */
#define ATTR_REWR_TABLE	 12
#define APP_IEEE	 1
#define APP_DCB		 2
#define SELECTOR_PCP	 255

static const struct policy top_policy[] = {
	{ DCB_ATTR_IFNAME, WANT_NUL_STRING, IFNAMSIZ - 1 },
	{ DCB_ATTR_IEEE, WANT_NEST, 0 },
	{ DCB_ATTR_DCBX, WANT_U8, 0 },
	{ .want = WANT_END },
};

static const struct policy ieee_policy[] = {
	{ DCB_ATTR_IEEE_ETS, WANT_BYTES, sizeof(struct ieee_ets) },
	{ DCB_ATTR_IEEE_PFC, WANT_BYTES, sizeof(struct ieee_pfc) },
	{ DCB_ATTR_IEEE_APP_TABLE, WANT_NEST, 0 },
	{ DCB_ATTR_IEEE_MAXRATE, WANT_BYTES, sizeof(struct ieee_maxrate) },
	{ DCB_ATTR_DCB_BUFFER, WANT_BYTES, sizeof(struct dcbnl_buffer) },
	{ ATTR_TRUST_TABLE, WANT_NEST, 0 },
	{ .want = WANT_END },
};

static const struct policy ieee_policy_old[] = {	/* 6.1 skips the trust table without a word */
	{ DCB_ATTR_IEEE_ETS, WANT_BYTES, sizeof(struct ieee_ets) },
	{ DCB_ATTR_IEEE_PFC, WANT_BYTES, sizeof(struct ieee_pfc) },
	{ DCB_ATTR_IEEE_APP_TABLE, WANT_NEST, 0 },
	{ DCB_ATTR_IEEE_MAXRATE, WANT_BYTES, sizeof(struct ieee_maxrate) },
	{ DCB_ATTR_DCB_BUFFER, WANT_BYTES, sizeof(struct dcbnl_buffer) },
	{ ATTR_TRUST_TABLE, WANT_IGNORED, 0 },
	{ ATTR_REWR_TABLE, WANT_IGNORED, 0 },
	{ .want = WANT_END },
};

struct call {
	struct request *r;
	struct nic *nic;
	const struct dcb_ops *ops;
	struct attr tb[ATTRS_MAX];	/* top level */
};

static size_t begin(struct call *c, uint16_t type, uint8_t cmd)
{
	const struct dcbmsg m = { .cmd = cmd };

	return message_begin(c->r, type, c->r->h->nlmsg_flags, &m, sizeof(m));
}

static void answer_byte(struct call *c, uint8_t cmd, uint16_t attr, uint8_t v)
{
	size_t at = begin(c, cmd == DCB_CMD_GDCBX ? RTM_GETDCB : RTM_SETDCB, cmd);

	put_u8(c->r->reply, attr, v);
	message_end(c->r, at);
}

/* --- get --- */

static void put_structs(struct call *c)
{
	struct sim *s = c->r->sim;
	struct ieee_ets ets;
	struct ieee_maxrate rate;
	struct ieee_pfc pfc;
	struct dcbnl_buffer buffer;

	if (sim_fault(s, c->nic, OP_GETETS, NULL) >= 0 && c->ops->get_ets(s, c->nic, &ets) == 0)
		put(c->r->reply, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
	if (c->ops->get_maxrate && c->ops->get_maxrate(s, c->nic, &rate) == 0)
		put(c->r->reply, DCB_ATTR_IEEE_MAXRATE, &rate, sizeof(rate));
	if (sim_fault(s, c->nic, OP_GETPFC, NULL) >= 0 && c->ops->get_pfc(s, c->nic, &pfc) == 0)
		put(c->r->reply, DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	if (c->ops->get_buffer && sim_fault(s, c->nic, OP_GETBUFFER, NULL) >= 0 &&
	    c->ops->get_buffer(s, c->nic, &buffer) == 0)
		put(c->r->reply, DCB_ATTR_DCB_BUFFER, &buffer, sizeof(buffer));
}

static int ieee_get(struct call *c)
{
	struct sim *s = c->r->sim;
	struct text *t = c->r->reply;
	size_t at = begin(c, RTM_GETDCB, DCB_CMD_IEEE_GET), ieee, table;

	put_str(t, DCB_ATTR_IFNAME, c->nic->name);
	if (s->nth.late && s->nth.late--)
		c->nic = &s->late;
	ieee = nest_begin(t, DCB_ATTR_IEEE);
	put_structs(c);
	table = nest_begin(t, DCB_ATTR_IEEE_APP_TABLE);
	for (uint32_t i = 0; i < c->nic->net.napps; i++) {
		const struct dcb_app *app = &c->nic->net.app[i];

		put(t, app->selector == SELECTOR_PCP ? APP_DCB : APP_IEEE, app, sizeof(*app));
	}
	nest_end(t, table);
	if (!c->r->sim->st->old)	/* no NIC rewrites */
		nest_end(t, nest_begin(t, ATTR_REWR_TABLE | NLA_F_NESTED));
	nest_end(t, ieee);
	put_u8(t, DCB_ATTR_DCBX, c->nic->net.dcbx);
	message_end(c->r, at);
	return 0;
}

static int get_dcbx(struct call *c)
{
	answer_byte(c, DCB_CMD_GDCBX, DCB_ATTR_DCBX, c->nic->net.dcbx);
	return 0;
}

static int seen(struct call *c, struct sim_set set, int status)
{
	struct sim *s = c->r->sim;

	set.status = status;
	if (s->watch)
		s->watch(s, c->nic, &set, s->watch_arg);
	return status;
}

/* --- set: in the kernel's order, up to the first that fails, and nothing is taken back --- */

static void log_set(struct text *line, const struct attr ieee[ATTRS_MAX])
{
	struct ieee_ets ets;
	struct attr one;
	size_t at = 0;

	if (ieee[DCB_ATTR_IEEE_ETS].data) {
		memcpy(&ets, ieee[DCB_ATTR_IEEE_ETS].data, sizeof(ets));
		text_add(line, " ets");
		for (int i = 0; i < SIM_TCS; i++)
			text_printf(line, " %d:%d/%d", ets.prio_tc[i], ets.tc_tsa[i], ets.tc_tx_bw[i]);
	}
	if (ieee[DCB_ATTR_IEEE_MAXRATE].data)
		text_add(line, " maxrate");
	if (ieee[DCB_ATTR_IEEE_PFC].data)
		text_printf(line, " pfc 0x%02x", ieee[DCB_ATTR_IEEE_PFC].data[offsetof(struct ieee_pfc, pfc_en)]);
	if (ieee[DCB_ATTR_DCB_BUFFER].data)
		text_add(line, " buffer");
	if (ieee[DCB_ATTR_IEEE_APP_TABLE].data)
		text_add(line, " app");
	while (ieee[DCB_ATTR_IEEE_APP_TABLE].data && request_each(&ieee[DCB_ATTR_IEEE_APP_TABLE], &at, &one))
		if (one.len >= sizeof(struct dcb_app))
			text_printf(line, " %u:%u", one.data[2] | one.data[3] << 8, one.data[1]);
}

static int each_app(struct call *c, const struct attr *table, bool add)
{
	struct sim *s = c->r->sim;
	struct attr one;
	size_t at = 0;

	while (request_each(table, &at, &one)) {
		struct dcb_app app;
		int status;

		if (one.type != APP_IEEE && (s->st->old || one.type != APP_DCB))
			continue;	/* not known to this kernel */
		if (one.len < sizeof(app))
			return -ERANGE;
		memcpy(&app, one.data, sizeof(app));
		if (!s->st->old && (one.type == APP_IEEE) != (app.selector <= IEEE_8021QAZ_APP_SEL_DSCP))
			return -EINVAL;
		status = add ? c->ops->set_app(s, c->nic, &app) : c->ops->del_app(s, c->nic, &app);
		seen(c, (struct sim_set){ .op = add ? OP_APP : OP_DELAPP, .app = app }, status);
		if (status)		/* ice's positive ones as well */
			return status;
	}
	return 0;
}

#define COPY(type, attr) (*(type *)memcpy(&(type){ 0 }, (attr).data, sizeof(type)))

static int set_all(struct call *c, const struct attr ieee[ATTRS_MAX])
{
	struct sim *s = c->r->sim;
	const struct dcb_ops *ops = c->ops;
	int status = 0;

	if (ieee[DCB_ATTR_IEEE_ETS].data) {
		struct ieee_ets ets = COPY(struct ieee_ets, ieee[DCB_ATTR_IEEE_ETS]);

		status = seen(c, (struct sim_set){ .op = OP_ETS, .ets = ets }, ops->set_ets(s, c->nic, &ets));
	}
	if (!status && ieee[DCB_ATTR_IEEE_MAXRATE].data && ops->set_maxrate)
		status = ops->set_maxrate(s, c->nic, &COPY(struct ieee_maxrate, ieee[DCB_ATTR_IEEE_MAXRATE]));
	if (!status && ieee[DCB_ATTR_IEEE_PFC].data) {
		struct ieee_pfc pfc = COPY(struct ieee_pfc, ieee[DCB_ATTR_IEEE_PFC]);

		status = seen(c, (struct sim_set){ .op = OP_PFC, .pfc = pfc }, ops->set_pfc(s, c->nic, &pfc));
	}
	if (!status && ieee[DCB_ATTR_DCB_BUFFER].data && ops->set_buffer)
		status = ops->set_buffer(s, c->nic, &COPY(struct dcbnl_buffer, ieee[DCB_ATTR_DCB_BUFFER]));
	if (!status && ieee[DCB_ATTR_IEEE_APP_TABLE].data)
		status = each_app(c, &ieee[DCB_ATTR_IEEE_APP_TABLE], true);
	if (!status && ieee[ATTR_TRUST_TABLE].data)
		status = -EOPNOTSUPP;	/* no RDMA NIC has it */
	return status;
}

static int ieee_change(struct call *c, uint8_t cmd)
{
	TEXT_CLEANUP struct text line = { 0 };
	struct attr ieee[ATTRS_MAX];
	int err = request_need(c->r, c->tb, DCB_ATTR_IEEE), status;

	c->r->missing = 0;		/* dcbnl does not tell */
	if (err == 0)
		err = request_nest(c->r, &c->tb[DCB_ATTR_IEEE], c->r->sim->st->old ? ieee_policy_old : ieee_policy, LIBERAL,
				   ieee);
	if (err < 0) {
		c->r->ack = NULL;	/* nor does it here */
		c->r->bad = 0;
		return err;
	}
	log_set(&line, ieee);
	status = sim_set_begin(c->r->sim, "dcb %s %s%s", c->nic->name, cmd == DCB_CMD_IEEE_SET ? "set" : "del",
			       text_str(&line));
	if (!status && cmd == DCB_CMD_IEEE_SET)
		status = set_all(c, ieee);
	else if (!status && ieee[DCB_ATTR_IEEE_APP_TABLE].data)
		status = each_app(c, &ieee[DCB_ATTR_IEEE_APP_TABLE], false);
	answer_byte(c, cmd, DCB_ATTR_IEEE, (uint8_t)status);
	return 0;
}

static int ieee_set(struct call *c)
{
	return ieee_change(c, DCB_CMD_IEEE_SET);
}

static int ieee_del(struct call *c)
{
	return ieee_change(c, DCB_CMD_IEEE_DEL);
}

static int set_dcbx(struct call *c)
{
	uint8_t mode;
	int status;

	if (!c->tb[DCB_ATTR_DCBX].data)
		return -EINVAL;
	mode = attr_u8(&c->tb[DCB_ATTR_DCBX]);
	status = sim_set_begin(c->r->sim, "dcb %s dcbx 0x%02x", c->nic->name, mode);
	answer_byte(c, DCB_CMD_SDCBX, DCB_ATTR_DCBX, status < 0 ? 1 : c->ops->set_dcbx(c->r->sim, c->nic, mode));
	return 0;
}

static const struct { uint8_t cmd; uint16_t type; int (*run)(struct call *c); } commands[] = {
	{ DCB_CMD_IEEE_GET, RTM_GETDCB, ieee_get },
	{ DCB_CMD_IEEE_SET, RTM_SETDCB, ieee_set },
	{ DCB_CMD_IEEE_DEL, RTM_SETDCB, ieee_del },
	{ DCB_CMD_GDCBX, RTM_GETDCB, get_dcbx },
	{ DCB_CMD_SDCBX, RTM_SETDCB, set_dcbx },
};

static int dispatch(struct call *c, uint8_t cmd)
{
	char ifname[IFNAMSIZ];

	if (!c->tb[DCB_ATTR_IFNAME].data)
		return -EINVAL;
	attr_str(&c->tb[DCB_ATTR_IFNAME], ifname, sizeof(ifname));
	c->nic = nic_by_name(c->r->sim, ifname);
	if (!c->nic)
		return upper_by_name(c->r->sim, ifname) || !strcmp(ifname, "lo") ? -EOPNOTSUPP : -ENODEV;
	if (!c->r->sim->st->dcb)
		return -EOPNOTSUPP;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].cmd == cmd)
			return commands[i].run(c);
	return sim_untaught(c->r->sim, "DCB command %u", cmd);
}

static bool sets(uint8_t cmd)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].cmd == cmd)
			return commands[i].type == RTM_SETDCB;
	return false;
}

int dcb_talk(struct request *r)
{
	struct call c = { .r = r, .ops = &driver_of(r->sim)->dcb };
	struct dcbmsg m;
	int err;

	if (r->h->nlmsg_type == RTM_GETDCB && r->h->nlmsg_flags & NLM_F_DUMP)
		return -EOPNOTSUPP;	/* DCB has no dump */
	if (r->h->nlmsg_type == RTM_SETDCB && r->sim->st->unprivileged)
		return -EPERM;
	if (!request_header(r, &m, sizeof(m)))
		return -EINVAL;
	if (m.dcb_family)
		return sim_untaught(r->sim, "DCB with family %u", m.dcb_family);
	err = request_attrs(r, sizeof(m), top_policy, LIBERAL, c.tb);
	if (err < 0)
		return err;
	if (m.cmd > DCB_CMD_IEEE_DEL)
		return -EINVAL;
	if (sets(m.cmd) && r->sim->st->unprivileged)
		return -EPERM;
	return dispatch(&c, m.cmd);
}
