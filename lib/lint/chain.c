/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which DSCP carries data is said by roce.tos, else by the lossless classes of the fabric; which carries CNPs by
 * ecn.cnp, else by class cnp. Asked by the rules of several subjects.
 */
#include "lint/chain.h"

#include "base/dscp.h"
#include "fabric/fabric.h"
#include "model/record.h"
#include "settings/dscp.h"

const struct cell *chain_map(const struct lint *l)
{
	return chain_by_pcp(l) ? NULL : lint_cell(l, "qos.dscp");
}

bool chain_by_pcp(const struct lint *l)
{
	int64_t trust;

	return lint_num(l, "qos.trust", &trust) && trust == TRUST_PCP;
}

const struct traffic_class *chain_class(const struct lint *l, const char *name)
{
	return l->fabric ? fabric_class(l->fabric, name) : NULL;
}

uint64_t chain_data(const struct lint *l, struct pos *where)
{
	const struct fabric *f = l->fabric;
	const struct cell *tos = lint_cell(l, "roce.tos");
	uint64_t dscps = 0;

	if (tos) {
		*where = tos->pos;
		return chain_bit(dscp_of_tos(tos->value.num));
	}
	for (size_t i = 0; f && i < f->n; i++)
		if (f->at[i].lossless && f->at[i].dscp) {
			dscps |= f->at[i].dscp;
			*where = f->at[i].pos;
		}
	return dscps;
}

bool chain_cnp(const struct lint *l, unsigned *dscp)
{
	const struct traffic_class *cnp = chain_class(l, CLASS_CNP);
	int64_t num;

	if (lint_num(l, "ecn.cnp.dscp", &num)) {
		*dscp = (unsigned)num;
		return true;
	}
	if (!cnp || !cnp->dscp)
		return false;
	*dscp = chain_first(cnp->dscp);
	return true;
}

bool chain_cnp_priority(const struct lint *l, unsigned *dscp, unsigned *priority, const struct cell **map)
{
	*map = chain_map(l);
	if (!*map || !chain_cnp(l, dscp) || (*map)->value.map[*dscp] == VALUE_UNSET)
		return false;
	*priority = (*map)->value.map[*dscp];
	return true;
}
