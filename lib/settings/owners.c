/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who else owns the DCB of a port. lldpad sets HOST mode and rewrites ETS, PFC and APP after every link event: it is
 * known by its abstract socket. Firmware that runs DCBX shows in the dcbx byte of an IEEE_GET. A willing flag alone is
 * no owner: ice shows it by default, and without an agent nobody acts on it. lldpd does not touch DCB.
 */
#include "settings/owners.h"

#include <string.h>

#include "kernel/dcbnl.h"
#include "kernel/files.h"
#include "settings/dcb.h"

#define LLDPAD "@/com/intel/lldpad"

/* A whole word at the end of a line: other programs have sockets below the same name. */
static bool lldpad_runs(struct kernel *k)
{
	const char *text, *at;

	if (files_text(k, &text, "proc/net/unix") < 0)
		return false;
	for (at = text; (at = strstr(at, LLDPAD)); at += strlen(LLDPAD)) {
		char behind = at[strlen(LLDPAD)];

		if (at > text && at[-1] == ' ' && (behind == '\n' || behind == '\0'))
			return true;
	}
	return false;
}

static bool firmware_owns(struct kernel *k, struct change *c)
{
	const char *remedy = dcb_manners_of(c->target)->dcbx_remedy;
	const struct dcb *dcb;

	if (dcbnl_get(k, c->target->ifname, &dcb) < 0 || !dcb->has_dcbx)
		return false;
	if (dcb->dcbx & DCB_CAP_DCBX_HOST && !(dcb->dcbx & DCB_CAP_DCBX_LLD_MANAGED))
		return false;
	change_refuse(c, REFUSED_OTHER_OWNER,
		      "the adapter's firmware runs DCBX and owns DCB here (dcbx mode 0x%02x%s): %s", dcb->dcbx,
		      dcb->dcbx & DCB_CAP_DCBX_LLD_MANAGED ? ", LLD_MANAGED" : ", no HOST bit",
		      remedy ? remedy : "give DCB to the host with `dcb dcbx set dev IFNAME host ieee`");
	return true;
}

bool owners_dcb(struct kernel *k, struct change *c)
{
	if (lldpad_runs(k)) {
		change_refuse(c, REFUSED_OTHER_OWNER,
			      "lldpad runs (" LLDPAD ") and rewrites ETS, PFC and APP after every link event: "
			      "take %s out of its hands, or stop it",
			      c->target->ifname);
		return true;
	}
	return firmware_owns(k, c);
}
