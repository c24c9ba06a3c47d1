/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader of netlink: the first byte says which one, the rest is what the kernel answers to each request. */
#include "fuzz.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "kernel/dcbnl.h"
#include "kernel/devlink.h"
#include "kernel/ethnl.h"
#include "kernel/kernel.h"
#include "kernel/rdmanl.h"
#include "kernel/rtnl.h"

struct answer {
	const uint8_t *at;
	size_t n;
	unsigned asked;
};

/* A look-up of a family gets a good answer, so that the rest reaches its reader. */
static bool answer_family(const struct nlmsghdr *request, struct text *reply)
{
	static const struct {
		struct nlmsghdr h;
		struct genlmsghdr g;
		struct nlattr a;
		uint16_t id, pad;
	} family = { { sizeof(family), GENL_ID_CTRL, 0, 0, 0 }, { CTRL_CMD_NEWFAMILY, 1, 0 },
		     { 6, CTRL_ATTR_FAMILY_ID }, 0x15, 0 };

	if (request->nlmsg_type != GENL_ID_CTRL)
		return false;
	text_addn(reply, &family, sizeof(family));
	return true;
}

static int talk(struct kernel *k, int protocol, const void *request, size_t n, struct text *reply)
{
	struct answer *a = k->self;

	(void)protocol;
	(void)n;
	if (a->asked++ > 64)
		return -1; /* EPERM: an answer of many devices ends here */
	if (!answer_family(request, reply))
		text_addn(reply, a->at, a->n);
	return 0;
}

static void check_strings(const char *s)
{
	if (strlen(s) > 4 * 256)
		abort();
}

static void read_links(struct kernel *k)
{
	const struct rtnl_link *l;
	size_t n;

	for (size_t i = 0; rtnl_links(k, &l, &n) == 0 && i < n; i++)
		check_strings(l[i].kind);
}

static void read_devlink(struct kernel *k)
{
	const struct devlink_info *info;
	const struct devlink_param *param;
	size_t n;
	int err;

	for (size_t i = 0; devlink_infos(k, &info, &n) == 0 && i < n; i++)
		for (size_t v = 0; v < info[i].nversions; v++)
			check_strings(info[i].version[v].value);
	devlink_info(k, "0001:03:00.0", &err);
	for (size_t i = 0; devlink_params(k, &param, &n) == 0 && i < n; i++)
		check_strings(param[i].name);
	devlink_param(k, "0001:03:00.0", "enable_roce", &err);
}

static void read_rdma(struct kernel *k)
{
	const struct rdma_port *p;
	size_t n;

	for (size_t i = 0; rdmanl_ports(k, &p, &n) == 0 && i < n; i++)
		check_strings(p[i].netdev);
}

static void read_ethtool(struct kernel *k)
{
	int err;
	bool on;

	ethnl_pause(k, 2, &err);
	ethnl_mode(k, 2, &err);
	ethnl_private_flag(k, 2, "fw-lldp-agent", &on);
}

static void read_dcb(struct kernel *k)
{
	const struct dcb *dcb;

	if (dcbnl_get(k, "nic0", &dcb) == 0 && dcb->napps > 512)
		abort();
}

static void set_something(struct kernel *k)
{
	struct diags d;

	diags_init(&d, k->arena);
	rtnl_set_mtu(k, "nic0", 9000, &d);
	dcbnl_set_pfc(k, "nic0", &(struct ieee_pfc){ 0 }, &d);
	devlink_set_bool(k, "0001:03:00.0", "enable_roce", DEVLINK_DRIVERINIT, true, &d);
	ethnl_set_pause(k, "nic0", false, true, true, &d);
}

static void (*const readers[])(struct kernel *k) = {
	read_links, read_devlink, read_rdma, read_ethtool, read_dcb, set_something,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct kernel_ops ops = { .talk = talk };
	struct answer answer = { data + 1, n ? n - 1 : 0, 0 };
	struct kernel k = { .ops = &ops, .self = &answer, .arena = arena_new(), .kind = "fuzz" };

	if (n)
		readers[data[0] % (sizeof(readers) / sizeof(readers[0]))](&k);
	arena_free(k.arena);
	return 0;
}
