/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DCB over rtnetlink, IEEE flavour (RTM_GETDCB, RTM_SETDCB). One IEEE_GET answers ETS, PFC, APP, buffer, maxrate
 * and DCBX. A set that succeeds proves nothing (interfaces.md 1.3): callers read back.
 */
#ifndef KERNEL_DCBNL_H
#define KERNEL_DCBNL_H

#include <linux/dcbnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diags;
struct kernel;

struct dcb {
	bool has_ets, has_pfc, has_maxrate, has_buffer, has_dcbx;
	struct ieee_ets ets;		/* shares in percent, TSA per TC, prio_tc[priority] */
	struct ieee_pfc pfc;		/* pfc_en: bit per priority; delay: bit times on paper, cable metres on mlx5 */
	struct ieee_maxrate maxrate;	/* kbit/s per TC, 0 none */
	struct dcbnl_buffer buffer;	/* bytes */
	uint8_t dcbx;			/* DCB_CAP_DCBX_* */
	size_t napps;
	struct dcb_app app[512];	/* all selectors; the first napps are there, and no more is kept: do not copy it whole */
};

/**
 * dcbnl_get - everything that DCB_CMD_IEEE_GET tells of a netdev, kept for this observation
 * Return: 0; -EOPNOTSUPP no DCB at all on this device; -ENODEV; -ENODATA not asked; -EBADMSG a malformed answer.
 */
int dcbnl_get(struct kernel *k, const char *ifname, const struct dcb **dcb);

/*
 * Sets; whole structs as the kernel wants them, one concern per message. Return 0 (accepted, not proven) or -errno,
 * told in @d: status byte and NLMSG_ERROR alike (interfaces.md 1.3), 244 said as what it can mean.
 */
int dcbnl_set_ets(struct kernel *k, const char *ifname, const struct ieee_ets *ets, struct diags *d);
int dcbnl_set_pfc(struct kernel *k, const char *ifname, const struct ieee_pfc *pfc, struct diags *d);
int dcbnl_set_buffer(struct kernel *k, const char *ifname, const struct dcbnl_buffer *b, struct diags *d);
int dcbnl_set_maxrate(struct kernel *k, const char *ifname, const struct ieee_maxrate *r, struct diags *d);
int dcbnl_set_dcbx(struct kernel *k, const char *ifname, uint8_t mode, struct diags *d);
/** dcbnl_add_apps, dcbnl_del_apps - DCB_CMD_IEEE_SET, IEEE_DEL of @n APP entries in one message, in order */
int dcbnl_add_apps(struct kernel *k, const char *ifname, const struct dcb_app *app, size_t n, struct diags *d);
int dcbnl_del_apps(struct kernel *k, const char *ifname, const struct dcb_app *app, size_t n, struct diags *d);

/** dcbnl_decode - one RTM_GETDCB answer; for tests and fuzzing. Return: 0 or -errno of the reply */
int dcbnl_decode(const void *reply, size_t n, struct dcb *dcb, char ifname[16]);

#endif
