/* SPDX-License-Identifier: Apache-2.0 */
/* Generic netlink: the controller that tells family numbers, and the way to devlink and ethtool. */
#include "message.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>

static const struct policy ctrl_policy[] = {
	{ CTRL_ATTR_FAMILY_ID, WANT_U16, 0 },
	{ CTRL_ATTR_FAMILY_NAME, WANT_NUL_STRING, GENL_NAMSIZ - 1 },
	{ .want = WANT_END },
};

static const struct genl_family *const families[] = { &family_devlink, &family_ethtool };
#define FAMILIES (sizeof(families) / sizeof(families[0]))

static bool there(const struct sim *s, const struct genl_family *f)
{
	return f != &family_devlink || s->st->devlink;
}

static const struct genl_family *by_id(const struct sim *s, uint16_t id)
{
	for (size_t i = 0; i < FAMILIES; i++)
		if (families[i]->id == id && there(s, families[i]))
			return families[i];
	return NULL;
}

size_t genl_begin(struct request *r, uint8_t cmd)
{
	const struct genl_family *f = by_id(r->sim, r->h->nlmsg_type);
	const struct genlmsghdr g = { .cmd = cmd, .version = f ? f->version : 2 };

	return message_begin(r, r->h->nlmsg_type, request_dump(r) ? NLM_F_MULTI : 0, &g, sizeof(g));
}

static void put_family(struct request *r, const struct genl_family *f)
{
	size_t at = genl_begin(r, CTRL_CMD_NEWFAMILY);

	put_str(r->reply, CTRL_ATTR_FAMILY_NAME, f->name);
	put_u16(r->reply, CTRL_ATTR_FAMILY_ID, f->id);
	put_u32(r->reply, CTRL_ATTR_VERSION, f->version);
	put_u32(r->reply, CTRL_ATTR_HDRSIZE, 0);
	message_end(r, at);
}

static int get_family(struct request *r, const struct attr tb[ATTRS_MAX])
{
	char name[GENL_NAMSIZ];

	if (!tb[CTRL_ATTR_FAMILY_NAME].data)
		return tb[CTRL_ATTR_FAMILY_ID].data ? sim_untaught(r->sim, "CTRL_CMD_GETFAMILY by number") : -EINVAL;
	attr_str(&tb[CTRL_ATTR_FAMILY_NAME], name, sizeof(name));
	for (size_t i = 0; i < FAMILIES; i++) {
		if (strcmp(families[i]->name, name) || !there(r->sim, families[i]))
			continue;
		put_family(r, families[i]);
		return 0;
	}
	return -ENOENT;
}

static const struct genl_command ctrl_commands[] = {
	{ CTRL_CMD_GETFAMILY, false, false, ctrl_policy, get_family },
	{ 0 },
};

static const struct genl_family family_ctrl = {
	.name = "nlctrl", .id = GENL_ID_CTRL, .version = 2, .commands = ctrl_commands,
};

static const struct genl_command *command_of(const struct genl_family *f, uint8_t cmd, bool dump)
{
	for (const struct genl_command *c = f->commands; c->cmd; c++)
		if (c->cmd == cmd && c->dump == dump)
			return c;
	return NULL;
}

int genl_talk(struct request *r)
{
	uint16_t id = r->h->nlmsg_type;
	const struct genl_family *f = id == GENL_ID_CTRL ? &family_ctrl : by_id(r->sim, id);
	const struct genl_command *c;
	struct attr tb[ATTRS_MAX];
	struct genlmsghdr g;
	int err;

	if (id < NLMSG_MIN_TYPE)
		return sim_untaught(r->sim, "generic netlink message type %u", id);
	if (!f)
		return -ENOENT;
	if (!request_header(r, &g, sizeof(g)))
		return -EINVAL;
	c = command_of(f, g.cmd, request_dump(r));
	if (!c)
		return command_of(f, g.cmd, !request_dump(r)) ?
			       -EOPNOTSUPP : sim_untaught(r->sim, "%s command %u", f->name, g.cmd);
	if (c->admin && r->sim->st->unprivileged)
		return -EPERM;
	err = request_attrs(r, sizeof(g), c->policy, STRICT, tb);
	return err < 0 ? err : c->run(r, tb);
}
