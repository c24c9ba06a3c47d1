/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devlink over generic netlink. An info answer repeats its version attributes: it is walked, not indexed. A
 * boolean parameter is true by the mere presence of its value, in answers and in requests. A dump ends at the first
 * device that fails; then each device is asked alone, so that one dead card does not hide the others.
 */
#include "kernel/devlink.h"

#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/kernel.h"
#include "kernel/netlink.h"

#define TYPE_BOOL   6 /* the kernel's NLA_FLAG */
#define DEVICES_MAX 65536u

struct infos {
	struct devlink_info *at;
	size_t n, room, last;		/* the one found last: ports are asked about in the order of their devices */
	int err;
	struct arena *arena;
};

struct params {
	struct devlink_param *at;
	size_t n, room;
	int err;
	struct arena *arena;
};

struct versions {
	struct devlink_info_version *at;
	size_t n, room;
};

static int take_version(struct arena *a, const struct nlattr *nest, enum devlink_version kind, struct versions *v)
{
	const struct nlattr *tb[DEVLINK_ATTR_INFO_VERSION_VALUE + 1];

	if (netlink_nest(nest, tb, DEVLINK_ATTR_INFO_VERSION_VALUE + 1) < 0)
		return -EBADMSG;
	list_add(v, a) = (struct devlink_info_version){
		.kind = kind,
		.name = netlink_string(a, tb[DEVLINK_ATTR_INFO_VERSION_NAME]),
		.value = netlink_string(a, tb[DEVLINK_ATTR_INFO_VERSION_VALUE]),
	};
	return 0;
}

static int take_versions(struct arena *a, const struct nlmsghdr *n, struct versions *v)
{
	const struct nlattr *at;
	int r = 0;

	mnl_attr_for_each(at, n, GENL_HDRLEN) {
		unsigned type = mnl_attr_get_type(at);

		if (type >= DEVLINK_ATTR_INFO_VERSION_FIXED && type <= DEVLINK_ATTR_INFO_VERSION_STORED)
			r = take_version(a, at, DEVLINK_FIXED + (type - DEVLINK_ATTR_INFO_VERSION_FIXED), v);
		if (r < 0)
			return r;
	}
	return 0;
}

static int on_info(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[DEVLINK_ATTR_INFO_SERIAL_NUMBER + 1];
	struct infos *l = arg;
	struct versions v = { 0 };

	if (netlink_payload(n, GENL_HDRLEN, tb, DEVLINK_ATTR_INFO_SERIAL_NUMBER + 1) < 0 ||
	    !tb[DEVLINK_ATTR_DEV_NAME] || l->n == DEVICES_MAX || take_versions(l->arena, n, &v) < 0)
		return -EBADMSG;
	list_add(l, l->arena) = (struct devlink_info){
		.bdf = netlink_string(l->arena, tb[DEVLINK_ATTR_DEV_NAME]),
		.driver = netlink_string(l->arena, tb[DEVLINK_ATTR_INFO_DRIVER_NAME]),
		.serial = netlink_string(l->arena, tb[DEVLINK_ATTR_INFO_SERIAL_NUMBER]),
		.version = v.at,
		.nversions = v.n,
	};
	return 0;
}

static int take_value(const struct nlattr *nest, struct devlink_param *p)
{
	const struct nlattr *tb[DEVLINK_ATTR_PARAM_VALUE_CMODE + 1];
	uint8_t cmode;

	if (netlink_nest(nest, tb, DEVLINK_ATTR_PARAM_VALUE_CMODE + 1) < 0)
		return -EBADMSG;
	cmode = netlink_u8(tb[DEVLINK_ATTR_PARAM_VALUE_CMODE], DEVLINK_CMODES);
	if (cmode >= DEVLINK_CMODES)
		return 0; /* a later kernel's */
	p->has[cmode] = true;
	p->value[cmode] = tb[DEVLINK_ATTR_PARAM_VALUE_DATA] != NULL;
	return 0;
}

static int take_values(const struct nlattr *list, struct devlink_param *p)
{
	const struct nlattr *at;

	if (netlink_nest(list, NULL, 0) < 0)
		return -EBADMSG;
	mnl_attr_for_each_nested(at, list)
		if (mnl_attr_get_type(at) == DEVLINK_ATTR_PARAM_VALUE && take_value(at, p) < 0)
			return -EBADMSG;
	return 0;
}

static int on_param(const struct nlmsghdr *n, void *arg)
{
	const struct nlattr *tb[DEVLINK_ATTR_PARAM + 1], *in[DEVLINK_ATTR_PARAM_VALUES_LIST + 1];
	struct params *l = arg;
	struct devlink_param p = { 0 };

	if (netlink_payload(n, GENL_HDRLEN, tb, DEVLINK_ATTR_PARAM + 1) < 0 || !tb[DEVLINK_ATTR_DEV_NAME] ||
	    !tb[DEVLINK_ATTR_PARAM] || netlink_nest(tb[DEVLINK_ATTR_PARAM], in, DEVLINK_ATTR_PARAM_VALUES_LIST + 1) < 0)
		return -EBADMSG;
	if (netlink_u8(in[DEVLINK_ATTR_PARAM_TYPE], 0) != TYPE_BOOL)
		return 0;
	if (l->n == DEVICES_MAX ||
	    (in[DEVLINK_ATTR_PARAM_VALUES_LIST] && take_values(in[DEVLINK_ATTR_PARAM_VALUES_LIST], &p) < 0))
		return -EBADMSG;
	p.bdf = netlink_string(l->arena, tb[DEVLINK_ATTR_DEV_NAME]);
	p.name = netlink_string(l->arena, in[DEVLINK_ATTR_PARAM_NAME]);
	list_add(l, l->arena) = p;
	return 0;
}

/* PCI functions have addresses; what else has devlink (sub-functions) hangs on the auxiliary bus. */
static void put_handle(struct nlmsghdr *h, const char *bdf)
{
	mnl_attr_put_strz(h, DEVLINK_ATTR_BUS_NAME, strchr(bdf, ':') ? "pci" : "auxiliary");
	mnl_attr_put_strz(h, DEVLINK_ATTR_DEV_NAME, bdf);
}

/* @bdf NULL: a dump of all devices; @name: of one parameter */
static int ask(struct kernel *k, uint8_t cmd, const char *bdf, const char *name, netlink_each *each, void *arg)
{
	struct netlink_request r;
	struct nlmsghdr *h;
	uint16_t family;
	int err = netlink_family(k, "devlink", &family);

	if (err < 0)
		return err;
	if (bdf && strlen(bdf) + (name ? strlen(name) : 0) > 256)
		return -ENODEV;
	h = netlink_begin_genl(&r, family, cmd, bdf ? 0 : NLM_F_DUMP);
	if (bdf)
		put_handle(h, bdf);
	if (name)
		mnl_attr_put_strz(h, DEVLINK_ATTR_PARAM_NAME, name);
	return netlink_get(k, NETLINK_GENERIC, h, each, arg);
}

static struct infos *infos(struct kernel *k, const char *key, const char *bdf)
{
	void **slot = kernel_memo(k, key);
	struct infos *l = *slot;

	if (!l) {
		*slot = l = arena_new_of(k->arena, struct infos);
		l->arena = k->arena;
		l->err = ask(k, DEVLINK_CMD_INFO_GET, bdf, NULL, on_info, l);
	}
	return l;
}

static struct params *params(struct kernel *k, const char *key, const char *bdf, const char *name)
{
	void **slot = kernel_memo(k, key);
	struct params *l = *slot;

	if (!l) {
		*slot = l = arena_new_of(k->arena, struct params);
		l->arena = k->arena;
		l->err = ask(k, DEVLINK_CMD_PARAM_GET, bdf, name, on_param, l);
	}
	return l;
}

int devlink_infos(struct kernel *k, const struct devlink_info **info, size_t *n)
{
	const struct infos *l = infos(k, "devlink:infos", NULL);

	if (l->err < 0)
		return l->err;
	*info = l->at;
	*n = l->n;
	return 0;
}

int devlink_params(struct kernel *k, const struct devlink_param **param, size_t *n)
{
	const struct params *l = params(k, "devlink:params", NULL, NULL);

	if (l->err < 0)
		return l->err;
	*param = l->at;
	*n = l->n;
	return 0;
}

/* Did a dump fail over one device, so that asking for one alone may do better? */
static bool may_ask_alone(int err)
{
	static const int general[] = { 0, -ENOENT, -ENODATA, -EPERM, -EACCES, -EPROTONOSUPPORT, -EROFS };

	for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++)
		if (err == general[i])
			return false;
	return true;
}

const struct devlink_info *devlink_info(struct kernel *k, const char *bdf, int *err)
{
	struct infos *l = infos(k, "devlink:infos", NULL);
	char key[320];

	if (may_ask_alone(l->err)) {
		snprintf(key, sizeof(key), "devlink:info:%.256s", bdf);
		l = infos(k, key, bdf);
	}
	*err = l->err < 0 ? l->err : -EOPNOTSUPP;
	for (size_t i = 0; l->err == 0 && i < l->n; i++) {
		size_t at = (l->last + i) % l->n;

		if (strcmp(l->at[at].bdf, bdf))
			continue;
		l->last = at;
		*err = 0;
		return &l->at[at];
	}
	return NULL;
}

const struct devlink_param *devlink_param(struct kernel *k, const char *bdf, const char *name, int *err)
{
	const struct params *l = params(k, "devlink:params", NULL, NULL);
	char key[320];

	if (may_ask_alone(l->err)) {
		snprintf(key, sizeof(key), "devlink:param:%.128s:%.128s", bdf, name);
		l = params(k, key, bdf, name);
	}
	*err = l->err < 0 ? l->err : -EOPNOTSUPP;
	for (size_t i = 0; l->err == 0 && i < l->n; i++)
		if (!strcmp(l->at[i].bdf, bdf) && !strcmp(l->at[i].name, name)) {
			*err = 0;
			return &l->at[i];
		}
	return NULL;
}

int devlink_set_bool(struct kernel *k, const char *bdf, const char *name, enum devlink_cmode cmode, bool v,
		     struct diags *d)
{
	struct netlink_request r;
	struct nlmsghdr *h;
	uint16_t family;
	int err = netlink_family(k, "devlink", &family);

	if (err == 0 && strlen(bdf) + strlen(name) > 256)
		err = -ENODEV;
	if (err == 0) {
		h = netlink_begin_genl(&r, family, DEVLINK_CMD_PARAM_SET, NLM_F_ACK);
		put_handle(h, bdf);
		mnl_attr_put_strz(h, DEVLINK_ATTR_PARAM_NAME, name);
		mnl_attr_put_u8(h, DEVLINK_ATTR_PARAM_TYPE, TYPE_BOOL);
		mnl_attr_put_u8(h, DEVLINK_ATTR_PARAM_VALUE_CMODE, cmode);
		if (v)
			mnl_attr_put(h, DEVLINK_ATTR_PARAM_VALUE_DATA, 0, NULL);
		err = netlink_set(k, NETLINK_GENERIC, h, NULL, NULL);
	}
	return netlink_tell(k, d, err, bdf, "devlink PARAM_SET", "set %s to %s", name, v ? "true" : "false");
}

int devlink_reload(struct kernel *k, const char *bdf, struct diags *d)
{
	struct netlink_request r;
	struct nlmsghdr *h;
	uint16_t family;
	int err = netlink_family(k, "devlink", &family);

	if (err == 0 && strlen(bdf) > 256)
		err = -ENODEV;
	if (err == 0) {
		h = netlink_begin_genl(&r, family, DEVLINK_CMD_RELOAD, NLM_F_ACK);
		put_handle(h, bdf);
		mnl_attr_put_u8(h, DEVLINK_ATTR_RELOAD_ACTION, DEVLINK_RELOAD_ACTION_DRIVER_REINIT);
		err = netlink_set(k, NETLINK_GENERIC, h, NULL, NULL);
	}
	return netlink_tell(k, d, err, bdf, "devlink RELOAD driver_reinit", "reload the device");
}
