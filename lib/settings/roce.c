/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roce.enabled: does RoCE run on this PCI function. Set by the devlink parameter enable_roce: on mlx5 a driverinit
 * value, which a reload puts into effect (netdev and RDMA device vanish and come back, and with them MTU and DCB); on
 * ice a runtime value; on bnxt a permanent one, which waits for a reboot and is not set here.
 *
 * What surprises: a driverinit value reads back as soon as it is set, so it says what the next reload gives, not what
 * runs. What runs is an RDMA device of the protocol roce on this function; mlx5 keeps one without RoCE, too.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "kernel/devlink.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "model/change.h"
#include "settings/cm.h"
#include "settings/dscp.h"
#include "settings/ecn.h"
#include "settings/ets.h"
#include "settings/mtu.h"
#include "settings/pause.h"
#include "settings/pfc.h"
#include "settings/writing.h"

#define VIA	"devlink param enable_roce, RDMA device"
#define PARAM	"enable_roce"

enum { ROCE_ENABLED };

extern const struct setting setting_roce;

static const struct field fields[] = {
	[ROCE_ENABLED] = { "roce.enabled", KIND_BOOL, .doc = "RoCE runs on this function; a change reloads the device" },
	{ 0 },
};

/* --- reading ---------------------------------------------------------------- */

/* A device that nldev gives no protocol to has raw Ethernet only, or is too old a kernel's: its first GID tells. */
static bool has_gid(struct kernel *k, const struct port *port)
{
	const char *gid;

	if (!files_component(port->ibdev) ||
	    files_text(k, &gid, "sys/class/infiniband/%s/ports/%u/gids/0", port->ibdev, port->ibport) < 0)
		return false;
	return gid[strspn(gid, "0:")] != '\0';
}

static bool running(struct kernel *k, const struct port *port)
{
	if (!*port->ibdev)
		return false;
	return *port->protocol ? !strcmp(port->protocol, "roce") : has_gid(k, port);
}

static const char *pending(const struct devlink_param *param, bool runs)
{
	bool next = param->value[DEVLINK_DRIVERINIT];

	if (!param->has[DEVLINK_DRIVERINIT] || next == runs)
		return NULL;
	return next ? PARAM " is set to true, but RoCE does not run: it waits for a devlink reload, or the RDMA module "
			    "is not loaded"
		    : PARAM " is set to false and waits for a devlink reload";
}

/* Return: was a reason given */
static bool no_roce_here(struct part *p)
{
	const struct port *port = p->target->port;

	if (port->link_layer == LINK_LAYER_INFINIBAND)
		part_reasons(p, REASON_DRIVER_LACKS, VIA, "an InfiniBand port has no RoCE");
	else if (!p->facts->rdma)
		part_reasons(p, part_no_rdma(p), VIA, "%s",
			     p->facts->rdma_why ? p->facts->rdma_why : "ib_core is not loaded");
	else if (!*port->bdf)
		part_reasons(p, REASON_DRIVER_LACKS, VIA, "a software device has no " PARAM);
	return !part_open(p, ROCE_ENABLED);
}

static int roce_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct port *port = p->target->port;
	const struct devlink_param *param;
	int err = 0;
	bool runs;

	(void)d;
	if (!part_open(p, ROCE_ENABLED) || no_roce_here(p))
		return 0;
	param = devlink_param(k, port->bdf, PARAM, &err);
	runs = running(k, port);
	if (param || (err == -ENODATA && runs)) {
		part_num(p, ROCE_ENABLED, runs, VIA);
		p->have->at[ROCE_ENABLED].because =
			param ? pending(param, runs) : "whether a change is pending was not recorded";
	} else if (err == -ENODATA) {
		part_reasons(p, REASON_NOT_RECORDED, VIA, "netlink was not asked");
	} else if (err == 0 || err == -ENOENT || err == -EOPNOTSUPP) {
		part_reasons(p, REASON_DRIVER_LACKS, VIA, "%s has no devlink parameter " PARAM "; RoCE %s%s", port->bdf,
			     runs ? "runs on " : "does not run", runs ? port->ibdev : "");
	} else {
		part_reasons(p, reason_of(err), VIA, "%s", strerror(-err));
	}
	return 0;
}

/* --- writing ---------------------------------------------------------------- */

static int cmode_of(const struct devlink_param *param)
{
	if (!param)
		return -1;
	if (param->has[DEVLINK_DRIVERINIT])
		return DEVLINK_DRIVERINIT;
	return param->has[DEVLINK_RUNTIME] ? DEVLINK_RUNTIME : -1;
}

/*
 * Does RoCE run at this moment? The port's own facts are of the time before the change: a reload may have made a device
 * of another name since.
 */
static bool runs_now(struct kernel *k, const char *bdf)
{
	struct names names = { 0 };
	struct port port = { .ibport = 1 };
	char path[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/infiniband", bdf);
	if (!files_component(bdf) || kernel_list(k, path, &names) < 0 || !names.n)
		return false;
	port.ibdev = names.at[0];
	return has_gid(k, &port);
}

static int roce_write(struct kernel *k, const struct change *c, struct diags *d)
{
	const struct cell *want = &change_want(c, &setting_roce)->at[ROCE_ENABLED];
	const char *bdf = c->target->port->bdf;
	size_t told = d->n;
	bool on = want->value.num != 0;
	int err = 0, r = 0, cmode;
	const struct devlink_param *param = devlink_param(k, bdf, PARAM, &err);

	cmode = cmode_of(param);
	if (cmode < 0)
		return writing_told(c, want, d, told, err < 0 ? err : -EOPNOTSUPP);
	if (param->value[cmode] != on)
		r = devlink_set_bool(k, bdf, PARAM, (enum devlink_cmode)cmode, on, d);
	if (c->undo && runs_now(k, bdf) == on)
		return writing_told(c, want, d, told, r);	/* it was refused: a reload would cost an outage for nothing */
	if (r == 0 && cmode == DEVLINK_DRIVERINIT)
		r = devlink_reload(k, bdf, d);
	return writing_told(c, want, d, told, r);
}

static int roce_weigh(struct kernel *k, struct change *c, struct diags *d)
{
	int err = 0, cmode = cmode_of(devlink_param(k, c->target->port->bdf, PARAM, &err));

	(void)d;
	if (cmode < 0)
		return change_refuse(c, REFUSED_IMPOSSIBLE,
				     "this driver keeps " PARAM " in NVRAM, for the next boot: set it with "
				     "`devlink dev param set pci/%s name " PARAM " value … cmode permanent`",
				     c->target->port->bdf);
	c->effective = cmode == DEVLINK_DRIVERINIT ? EFFECTIVE_RELOAD : EFFECTIVE_NOW;
	if (cmode == DEVLINK_DRIVERINIT)
		c->leaves = "the interface is a new one, down and without addresses: your network configuration brings them back";
	return 0;
}

/* A new netdev and a new RDMA device: all that the kernel kept with the old ones is gone. */
static const struct setting *const disturbed[] = {
	&setting_mtu, &setting_pause, &setting_ets, &setting_pfc, &setting_dscp, &setting_ecn, &setting_cm, NULL,
};

const struct setting setting_roce = {
	.name = "roce",
	.why = "With RoCE off there is no GID, and every RDMA connection of the node fails or goes by TCP.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.live = {.object = "enable_roce",
		 .read = roce_read,
		 .write = roce_write,
		 .weigh = roce_weigh,
		 .disturbs = disturbed,
		 .impact = IMPACT_RELOAD,
		 .effective = EFFECTIVE_RELOAD,
		 .interface = "devlink PARAM_GET, PARAM_SET enable_roce; RELOAD" },
};
