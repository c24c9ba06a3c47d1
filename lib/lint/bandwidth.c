/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of bandwidth as a whole: qos.ets is one, and what it does not name takes none. */
#include "lint/lint.h"
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

static bool tc_without_share(struct lint *l)
{
	const struct cell *tc = lint_cell(l, "qos.tc"), *ets = lint_cell(l, "qos.ets");

	if (!tc || !ets)
		return false;
	for (unsigned i = 0; i < TCS; i++)
		if (users(tc, i) && ets->value.map[i] == VALUE_UNSET)
			lint_find(l, &tc->pos,
				  "traffic class %u is that of priorities %s, but qos.ets gives it no share", i,
				  lint_priorities(l, users(tc, i)));
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
	{ .is.name = NULL },
};
