/* SPDX-License-Identifier: Apache-2.0 */
/* Headroom of a link as a policy describes it, by the best way that its ASIC allows. */
#include <errno.h>

#include "fabric/fabric.h"
#include "fabric/headroom.h"
#include "model/record.h"

void headroom_link_of(const struct fabric *f, const struct record *has, struct headroom_link *l)
{
	const struct fabric_link link = { .has = has };
	unsigned frame = fabric_frame(f, &link);
	const struct cell *asic = fabric_says(has, FABRIC_ASIC);

	*l = (struct headroom_link){
		.asic = asic ? headroom_asic(asic->value.text) : NULL,
		.speed_mbps = (unsigned)record_num(has, FABRIC_SPEED, 0),
		.cable_m = (unsigned)record_num(has, FABRIC_CABLE, 0),
		.port_mtu = frame ? frame : HEADROOM_PORT_MTU,
		.lossless_mtu = (unsigned)record_num(has, FABRIC_LOSSLESS_MTU, HEADROOM_LOSSLESS_MTU),
		.small_percent = (unsigned)record_num(has, FABRIC_SMALL_PACKETS, HEADROOM_SMALL_PERCENT),
		.lanes = (unsigned)record_num(has, FABRIC_LANES, 0),
		.shared_pool = record_num(has, FABRIC_SHARED_POOL, 0),
	};
}

int headroom_best(const struct headroom_link *l, const char *asic, struct headroom *h, enum headroom_way *way)
{
	const struct headroom_reference *r;

	if (l->asic) {
		if (!headroom_knows_response(l))
			return -ENODATA;
		headroom_compute(l, h);
		*way = HEADROOM_COMPUTED;
		return 0;
	}
	r = asic ? headroom_reference(asic, l->speed_mbps, l->cable_m) : NULL;
	if (r) {
		*h = (struct headroom){ .xoff = r->xoff, .xon = r->xon, .size = r->size };
		*way = HEADROOM_REFERENCE;
		return 0;
	}
	*way = HEADROOM_ESTIMATE;
	return headroom_bit_times(l, HEADROOM_CELL_UNKNOWN, h);
}
