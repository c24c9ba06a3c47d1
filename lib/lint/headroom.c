/* SPDX-License-Identifier: Apache-2.0 */
/* PFC headroom of a tier's ports: can it be computed, and does it fit. */
#include "fabric/headroom.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "fabric/fabric.h"
#include "lint/lint.h"
#include "model/record.h"

enum { ASIC_SHOWN = 64 };		/* bytes of a name that nobody knows */

static const struct cell *says(const struct lint *l, unsigned field)
{
	return fabric_says(l->link->has, field);
}

static const char *known_asics(struct lint *l, const char *name)
{
	TEXT_CLEANUP struct text t = { 0 };
	struct { const char **at; size_t n, room; } names = { 0 };
	const struct headroom_asic *a;
	const char *near;

	for (size_t i = 0; (a = headroom_asic_at(i)) != NULL; i++) {
		list_add(&names, l->d->arena) = a->name;
		text_printf(&t, "%s%s", i ? ", " : "", a->name);
	}
	list_add(&names, l->d->arena) = NULL;
	near = text_nearest(name, names.at);
	return near ? arena_printf(l->d->arena, "did you mean %s?", near)
		    : arena_printf(l->d->arena, "known are %s", text_str(&t));
}

static bool asic_not_known(struct lint *l)
{
	const struct cell *asic = says(l, FABRIC_ASIC);
	struct diag *one;

	if (!asic)
		return false;
	if (headroom_asic(asic->value.text))
		return true;
	one = lint_find(l, &asic->pos, "headroom cannot be computed for the ASIC \"%s\"",
			text_safe(l->d->arena, asic->value.text, strlen(asic->value.text), ASIC_SHOWN));
	if (one)
		one->hint = known_asics(l, asic->value.text);
	return true;
}

static bool lossless_mtu_above_frame(struct lint *l)
{
	const struct cell *mtu = says(l, FABRIC_LOSSLESS_MTU);
	unsigned frame = fabric_frame(l->fabric, l->link);

	if (!mtu || !frame)
		return false;
	if (mtu->value.num > frame)
		lint_find(l, &mtu->pos, "lossless_mtu %u is more than the largest frame, %u", (unsigned)mtu->value.num,
			  frame);
	return true;
}

/* Only what all ports share has a limit for one of them that is published. */
static bool above_port_limit(struct lint *l)
{
	const struct cell *speed = says(l, FABRIC_SPEED), *cable = says(l, FABRIC_CABLE);
	unsigned lossless = (unsigned)__builtin_popcount(fabric_pfc(l->fabric));
	struct headroom_link link;
	struct headroom h;
	uint64_t limit;

	headroom_link_of(l->fabric, l->link->has, &link);
	if (!link.asic || !speed || !cable || !link.shared_pool || !lossless || !headroom_port_limit(link.asic))
		return false;
	headroom_compute(&link, &h);
	limit = headroom_port_limit(link.asic);
	if (lossless * h.xoff > limit)
		lint_find(l, &cable->pos,
			  "%u lossless %s of %s headroom each are more than a port may take of the pool, %s", lossless,
			  lossless == 1 ? "priority" : "priorities", lint_bytes(l, (int64_t)h.xoff),
			  lint_bytes(l, (int64_t)limit));
	return true;
}

/* The shortest cable of the links that a port of the group can be on, as far as the group says which. */
static const struct cell *shortest(const struct lint *l, const struct fabric_tier **tier, const struct fabric_link **link)
{
	const struct cell *at = lint_cell(l, "neighbor.tier"), *kind = lint_cell(l, "neighbor.link"), *speed = lint_cell(l, "link.speed");
	const struct cell *least = NULL;

	for (size_t t = 0; l->fabric && (at || speed) && t < l->fabric->ntiers; t++)
		for (size_t i = 0; i < l->fabric->tier[t].n; i++) {
			const struct fabric_link *one = &l->fabric->tier[t].link[i];
			const struct cell *cable = fabric_says(one->has, FABRIC_CABLE), *fast = fabric_says(one->has, FABRIC_SPEED);

			if ((at && strcmp(at->value.text, l->fabric->tier[t].name) != 0) ||
			    (kind && strcmp(kind->value.text, one->name) != 0) ||
			    (speed && fast && speed->value.num != fast->value.num))
				continue;
			if (!cable || (!fast && !at))
				return NULL;	/* it may be on that one, too */
			if (least && least->value.num <= cable->value.num)
				continue;
			least = cable;
			*tier = &l->fabric->tier[t];
			*link = one;
		}
	return least;
}

static bool cable_too_short(struct lint *l)
{
	const struct cell *said = lint_cell(l, "buffer.cable"), *least;
	const struct fabric_tier *tier;
	const struct fabric_link *link;
	struct diag *one;

	least = said ? shortest(l, &tier, &link) : NULL;
	if (!least)
		return false;
	if (said->value.num >= least->value.num)
		return true;
	one = lint_find(l, &said->pos, "buffer.cable is %dm, but the switch's end of it says %dm (tier %s, link %s)",
			(int)said->value.num, (int)least->value.num, tier->name, link->name);
	if (one) {
		one->other = least->pos;
		one->other_what = "the same cable";
	}
	return true;
}

const struct lint_rule lint_headroom[] = {
	{ { "asic-not-known", SEVERITY_NOTE,
	    "Headroom is then an upper bound from bit times, or what the switch computes itself.",
	    "vendors publish cell sizes and latencies of few ASICs", NULL, "asic" },
	  .link = asic_not_known },
	{ { "lossless-mtu-above-frame", SEVERITY_WARNING,
	    "Headroom would be computed for frames that the port does not let pass.",
	    "headroom holds one largest lossless frame", "make it at most the frame, or leave it out",
	    "lossless_mtu, and frame or the fabric's mtu" },
	  AFTER("switch-frame-below-mtu"),
	  .link = lossless_mtu_above_frame },
	{ { "headroom-above-port-limit", SEVERITY_WARNING,
	    "The switch refuses the buffers, or takes less, and then drops what must not be lost.",
	    "sonic-swss, buffer_check_headroom_mellanox.lua: (port_max_shp + port_reserved_shp) cells",
	    "shorten the cable, have fewer lossless classes, or say the small_packets and lossless_mtu that you have",
	    "asic, speed, cable, shared_pool: true, and a lossless class" },
	  .link = above_port_limit },
	{ { "cable-too-short", SEVERITY_WARNING,
	    "The port computes its xoff for less than is under way when it pauses, and drops the rest.",
	    "headroom grows with the length of the cable, at both of its ends", "write the longer one, or correct the link's",
	    "buffer.cable, and a cable of the links that neighbor.tier or link.speed leave" },
	  AFTER("speed-not-in-fabric"),
	  .group = cable_too_short },
	{ .is.name = NULL },
};
