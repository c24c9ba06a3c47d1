/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of bandwidth as a whole: qos.ets is one, and what it does not name takes none. */
#include <string.h>

#include "fabric/fabric.h"
#include "lint/chain.h"
#include "model/record.h"
#include "model/setting.h"

enum { TCS = 8, WHOLE = 100 };

static bool not_whole(struct lint *l)
{
	const struct cell *ets = lint_cell(l, "qos.ets");
	unsigned sum = 0, named = 0;

	if (!ets)
		return false;
	for (unsigned i = 0; i < TCS; i++)
		if (ets->value.map[i] <= WHOLE) {
			sum += ets->value.map[i];
			named++;
		}
	if (named && sum != WHOLE)
		lint_find(l, &ets->pos, "the shares of qos.ets make %u%%, not 100%%", sum);
	return true;
}

/* Priorities that go to a class, as bits. */
static uint64_t users(const struct cell *tc, unsigned class)
{
	uint64_t set = 0;

	for (unsigned i = 0; i < TCS; i++)
		set |= (uint64_t)(tc->value.map[i] == class) << i;
	return set;
}

/* One map or the other was left short: however many classes that concerns, it is one fault. */
static bool tc_without_share(struct lint *l)
{
	const struct cell *tc = lint_cell(l, "qos.tc"), *ets = lint_cell(l, "qos.ets");
	uint64_t classes = 0, priorities = 0;

	if (!tc || !ets)
		return false;
	for (unsigned i = 0; i < TCS; i++)
		if (users(tc, i) && ets->value.map[i] == VALUE_UNSET) {
			classes |= chain_bit(i);
			priorities |= users(tc, i);
		}
	if (classes & (classes - 1))
		lint_find(l, &tc->pos, "traffic classes %s are those of priorities %s, but qos.ets gives them no share",
			  lint_priorities(l, classes), lint_priorities(l, priorities));
	else if (classes)
		lint_find(l, &tc->pos, "traffic class %u is that of priorities %s, but qos.ets gives it no share", chain_first(classes),
			  lint_priorities(l, priorities));
	return true;
}

static bool class_starved(struct lint *l)
{
	bool any = false;

	for (size_t i = 0; i < l->fabric->n; i++) {
		const struct traffic_class *c = &l->fabric->at[i];

		any = any || c->bandwidth_percent >= 0;
		if (!c->bandwidth_percent)
			lint_find(l, &c->pos, "class %s has 0%% of the bandwidth: it is served when nobody else has anything to send", c->name);
	}
	return any;
}

static bool starved(struct lint *l)
{
	const struct cell *tc = lint_cell(l, "qos.tc"), *ets = lint_cell(l, "qos.ets");

	if (!tc || !ets)
		return false;
	for (unsigned i = 0; i < TCS; i++)
		if (users(tc, i) && !ets->value.map[i])
			lint_find(l, &ets->pos, "traffic class %u is that of priorities %s, and has 0%% of the bandwidth", i,
				  lint_priorities(l, users(tc, i)));
	return true;
}

/* What fills the link and is served first leaves nothing to the others. */
static bool strict_class(struct lint *l)
{
	bool any = false;

	for (size_t i = 0; i < l->fabric->n; i++) {
		const struct traffic_class *c = &l->fabric->at[i];

		any = any || c->lossless;
		if (c->lossless && c->strict && strcmp(c->name, CLASS_CNP) != 0)
			lint_find(l, &c->pos, "class %s is lossless and strict: all others wait as long as it has anything to send",
				  c->name);
	}
	return any;
}

/* One that serves strict classes alone has no others to starve. */
static bool strict_data(struct lint *l)
{
	const struct cell *tc = lint_cell(l, "qos.tc"), *ets = lint_cell(l, "qos.ets");
	unsigned dscp, cnp;
	const struct cell *map;
	bool shares = false;
	uint64_t pfc;

	if (!tc || !ets || !lint_set(l, "qos.pfc", &pfc))
		return false;
	if (chain_cnp_priority(l, &dscp, &cnp, &map))
		pfc &= ~chain_bit(cnp);	/* that they can be paused is the fault */
	for (unsigned i = 0; i < TCS; i++)
		shares = shares || ets->value.map[i] <= WHOLE;
	for (unsigned i = 0; shares && i < TCS; i++)
		if (ets->value.map[i] == SHARE_STRICT && users(tc, i) & pfc)
			lint_find(l, &ets->pos, "traffic class %u is strict, and that of lossless priorities %s: all others wait for it",
				  i, lint_priorities(l, users(tc, i) & pfc));
	return true;
}

const struct lint_rule lint_bandwidth[] = {
	{ { "ets-not-100", SEVERITY_ERROR, "The kernel refuses a whole that is not 100 %, without a word why.",
	    "IEEE 802.1Qaz; net/dcb: the bandwidths of all TSA ETS classes",
	    "make the shares of all classes that are not strict 100%", "qos.ets" },
	  .group = not_whole },
	{ { "tc-without-share", SEVERITY_WARNING,
	    "qos.ets is whole: a class that it does not name becomes strict, or the change is refused where it is in "
	    "use.",
	    "drivers refuse a class of TSA ETS with a share of 0", "name it in qos.ets, with a share or strict",
	    "qos.tc and qos.ets" },
	  AFTER("ets-not-100", "cnp-class-lossless"),
	  .group = tc_without_share },
	{ { "tc-starved", SEVERITY_WARNING,
	    "Under load its packets wait without end; some drivers refuse the 0, others make another share of it.",
	    "bnxt_en: \"rejecting ETS config starving a TC\"; mlx5: 0 % becomes 1 %",
	    "give it a share, or no priority", "classes with bandwidth; or qos.tc and qos.ets" },
	  AFTER("ets-not-100"),
	  .fabric = class_starved,
	  .group = starved },
	{ { "data-strict", SEVERITY_WARNING,
	    "A strict class takes what it wants: a transfer of RoCE starves all else, ssh and heartbeats too.",
	    "IEEE 802.1Q: strict priority is served before all shares", "give it a share: bandwidth: 60%, or a share in qos.ets",
	    "a lossless class; or qos.tc, qos.ets and qos.pfc" },
	  AFTER("cnp-class-lossless", "lossless-shares-tc"),
	  .fabric = strict_class,
	  .group = strict_data },
	{ .is.name = NULL },
};
