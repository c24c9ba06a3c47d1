/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECN thresholds of switch queues: among themselves, and against PFC. Marking is decided on the egress queue and pause
 * on the ingress, so that marking before pause is a bound and no comparison: with dynamic thresholds, alpha, a pool of
 * B bytes, n ports and P lossless priorities it holds in the worst case below alpha * B / (n * (1 + P * alpha)), and a
 * queue that one port feeds is paused once that port holds alpha / (1 + alpha) of the pool. Headroom is not in it.
 */
#include <inttypes.h>
#include <string.h>

#include "base/dscp.h"
#include "fabric/fabric.h"
#include "lint/lint.h"
#include "model/record.h"

enum { PMAX_MOST = 100, QUEUE_MOST_US = 1000 };

#define DCQCN "\"Congestion Control for Large-Scale RDMA Deployments\" (SIGCOMM 2015)"

struct marks {				/* of one class on the link in hand; NULL: not said */
	const struct traffic_class *class;
	const struct cell *kmin, *kmax, *pmax;
};

/* Calls @judge for each class with thresholds. Return: did it find what it needs on any. */
static bool each_class(struct lint *l, bool (*judge)(struct lint *l, const struct marks *m))
{
	bool judged = false;

	for (size_t i = 0; i < l->fabric->n; i++) {
		const char *name = l->fabric->at[i].name;
		const struct marks m = {
			&l->fabric->at[i],
			fabric_ecn(l->link, name, FABRIC_ECN_KMIN),
			fabric_ecn(l->link, name, FABRIC_ECN_KMAX),
			fabric_ecn(l->link, name, FABRIC_ECN_PMAX),
		};

		if (m.kmin || m.kmax || m.pmax)
			judged = judge(l, &m) || judged;
	}
	return judged;
}

/* --- among themselves --------------------------------------------------------- */

static bool judge_order(struct lint *l, const struct marks *m)
{
	if (!m->kmin || !m->kmax)
		return false;
	if (m->kmin->value.num >= m->kmax->value.num)
		lint_find(l, &m->kmin->pos, "kmin %s of class %s is not below its kmax %s",
			  lint_bytes(l, m->kmin->value.num), m->class->name, lint_bytes(l, m->kmax->value.num));
	return true;
}

static bool judge_range(struct lint *l, const struct marks *m)
{
	if (m->pmax && m->pmax->value.num > PMAX_MOST)
		lint_find(l, &m->pmax->pos, "pmax %u of class %s is outside 0 to 100 percent",
			  (unsigned)m->pmax->value.num, m->class->name);
	return m->pmax;
}

static bool judge_extreme(struct lint *l, const struct marks *m)
{
	if (!m->pmax)
		return false;
	if (m->pmax->value.num == 0)
		lint_find(l, &m->pmax->pos, "pmax 0%% of class %s marks nothing until the queue is at kmax",
			  m->class->name);
	else if (m->pmax->value.num == PMAX_MOST)
		lint_find(l, &m->pmax->pos, "pmax 100%% of class %s is a steep slope: near kmax every packet is marked",
			  m->class->name);
	return true;
}

static bool judge_whole(struct lint *l, const struct marks *m)
{
	const struct cell *one = m->kmin ? m->kmin : m->kmax ? m->kmax : m->pmax;

	if (!m->kmin || !m->kmax || !m->pmax)
		lint_find(l, &one->pos, "ecn of class %s lacks %s", m->class->name,
			  !m->kmin ? "kmin" : !m->kmax ? "kmax" : "pmax");
	return true;
}

static bool judge_cnp(struct lint *l, const struct marks *m)
{
	if (!strcmp(m->class->name, CLASS_CNP))
		lint_find(l,
			  m->kmin   ? &m->kmin->pos
			  : m->kmax ? &m->kmax->pos
				    : &m->pmax->pos,
			  "ecn is on for class cnp");
	return true;
}

/* A faster link of the same tier, with a lower threshold; told of the slower one, whose threshold may have other
 * faults. */
static bool judge_speed(struct lint *l, const struct marks *m)
{
	const struct cell *speed = fabric_says(l->link->has, FABRIC_SPEED);
	bool judged = false;

	for (size_t i = 0; speed && m->kmin && i < l->tier->n; i++) {
		const struct fabric_link *other = &l->tier->link[i];
		const struct cell *fast = fabric_says(other->has, FABRIC_SPEED),
				  *kmin = fabric_ecn(other, m->class->name, FABRIC_ECN_KMIN);

		if (!fast || !kmin || fast->value.num <= speed->value.num)
			continue;
		judged = true;
		if (kmin->value.num < m->kmin->value.num)
			lint_find(l, &m->kmin->pos, "kmin %s of class %s is above the %s of link %s, which is faster",
				  lint_bytes(l, m->kmin->value.num), m->class->name, lint_bytes(l, kmin->value.num),
				  other->name);
	}
	return judged;
}

static bool order(struct lint *l)
{
	return each_class(l, judge_order);
}

static bool range(struct lint *l)
{
	return each_class(l, judge_range);
}

static bool extreme(struct lint *l)
{
	return each_class(l, judge_extreme);
}

static bool whole(struct lint *l)
{
	return each_class(l, judge_whole);
}

static bool on_cnp(struct lint *l)
{
	return each_class(l, judge_cnp);
}

static bool by_speed(struct lint *l)
{
	return each_class(l, judge_speed);
}

static bool missing(struct lint *l)
{
	bool lossless = false;

	for (size_t i = 0; i < l->fabric->n; i++) {
		const struct traffic_class *c = &l->fabric->at[i];

		if (!c->lossless)
			continue;
		lossless = true;
		if (!fabric_marks(l->link, c->name) &&
		    lint_find(l, &l->link->pos, "class %s is lossless, but has no ecn here", c->name))
			diag_hint(l->d, "add ecn: {%s: {kmin: …, kmax: …, pmax: …}}", c->name);
	}
	return lossless;
}

/* --- against PFC -------------------------------------------------------------- */

/* alpha / (ports * (1 + times * alpha)) of @bytes, where alpha is 2^exponent; exact, rounded down. */
static int64_t part_of(int64_t bytes, int64_t exponent, unsigned times, size_t ports)
{
	__int128 one = exponent < 0 ? (__int128)1 << -exponent : 1, alpha = exponent < 0 ? 1 : (__int128)1 << exponent;

	return (int64_t)(bytes * alpha / ((__int128)ports * (one + times * alpha)));
}

/* What a greedy port can hold of the pool before it is paused. */
static bool share_of(const struct lint *l, const struct marks *m, int64_t *share)
{
	const struct cell *pool = fabric_says(l->link->has, FABRIC_POOL),
			  *alpha = fabric_says(l->link->has, FABRIC_ALPHA);

	if (!m->class->lossless || !pool || !alpha)
		return false;
	*share = part_of(pool->value.num, alpha->value.num, 1, 1);
	return true;
}

static bool judge_kmin_share(struct lint *l, const struct marks *m)
{
	int64_t share;

	if (!m->kmin || !share_of(l, m, &share))
		return false;
	if (m->kmin->value.num > share)
		lint_find(l, &m->kmin->pos,
			  "kmin %s of class %s is above %s, at which PFC stops a port alone: it is paused before the "
			  "first mark",
			  lint_bytes(l, m->kmin->value.num), m->class->name, lint_bytes(l, share));
	return true;
}

static bool judge_kmax_share(struct lint *l, const struct marks *m)
{
	int64_t share;

	if (!m->kmax || !share_of(l, m, &share))
		return false;
	if (m->kmax->value.num > share)
		lint_find(
			l, &m->kmax->pos,
			"kmax %s of class %s is above %s, at which PFC stops a port alone: marking never gets that far",
			lint_bytes(l, m->kmax->value.num), m->class->name, lint_bytes(l, share));
	return true;
}

static bool judge_bound(struct lint *l, const struct marks *m)
{
	const struct cell *pool = fabric_says(l->link->has, FABRIC_POOL),
			  *alpha = fabric_says(l->link->has, FABRIC_ALPHA);
	size_t ports = fabric_tier_ports(l->tier);
	int64_t bound;

	if (!m->kmin || !m->class->lossless || !pool || !alpha || !ports)
		return false;
	bound = part_of(pool->value.num, alpha->value.num, (unsigned)__builtin_popcount(fabric_pfc(l->fabric)), ports);
	if (m->kmin->value.num > bound)
		lint_find(l, &m->kmin->pos,
			  "kmin %s of class %s is above %s, the bound for %zu ports: in the worst case PFC comes "
			  "before marking",
			  lint_bytes(l, m->kmin->value.num), m->class->name, lint_bytes(l, bound), ports);
	return true;
}

static bool judge_late(struct lint *l, const struct marks *m)
{
	const struct cell *speed = fabric_says(l->link->has, FABRIC_SPEED);
	int64_t us;

	if (!m->kmin || !speed)
		return false;
	us = m->kmin->value.num * 8 / speed->value.num;
	if (us > QUEUE_MOST_US)
		lint_find(l, &m->kmin->pos, "kmin %s of class %s is %jdms of the link: so long is the queue before its first mark",
			  lint_bytes(l, m->kmin->value.num), m->class->name, (intmax_t)(us / 1000));
	return true;
}

static bool judge_frame(struct lint *l, const struct marks *m)
{
	const struct cell *largest = fabric_says(l->link->has, FABRIC_LOSSLESS_MTU);
	unsigned frame = fabric_frame(l->fabric, l->link);

	if (m->class->lossless && largest && (!frame || largest->value.num < frame))
		frame = (unsigned)largest->value.num;
	if (!m->kmin || !frame)
		return false;
	if (m->kmin->value.num < frame)
		lint_find(l, &m->kmin->pos, "kmin %s of class %s is less than one frame of %u bytes", lint_bytes(l, m->kmin->value.num),
			  m->class->name, frame);
	return true;
}

static bool late(struct lint *l)
{
	return each_class(l, judge_late);
}

static bool below_frame(struct lint *l)
{
	return each_class(l, judge_frame);
}

/* The class of RoCE, by what it is marked with, and which switches mark. */
static bool data_not_marked(struct lint *l)
{
	const struct cell *tos = lint_cell(l, "roce.tos");
	const struct traffic_class *class = NULL;
	bool marked = false;

	for (size_t i = 0; tos && l->fabric && i < l->fabric->n; i++)
		if (l->fabric->at[i].dscp >> dscp_of_tos(tos->value.num) & 1)
			class = &l->fabric->at[i];
	if (!class || !l->fabric->ntiers)
		return false;
	for (size_t t = 0; t < l->fabric->ntiers; t++)
		for (size_t i = 0; i < l->fabric->tier[t].n; i++)
			marked = marked || fabric_marks(&l->fabric->tier[t].link[i], class->name);
	if (!marked)
		lint_find(l, &tos->pos, "RoCE travels in class %s, which no link of the switches marks", class->name);
	return true;
}

static bool kmin_share(struct lint *l)
{
	return each_class(l, judge_kmin_share);
}

static bool kmax_share(struct lint *l)
{
	return each_class(l, judge_kmax_share);
}

static bool bound(struct lint *l)
{
	return each_class(l, judge_bound);
}

const struct lint_rule lint_thresholds[] = {
	{ { "ecn-kmin-above-kmax", SEVERITY_ERROR,
	    "Between kmin and kmax the probability of marking rises; without that way a queue is marked all or "
	    "nothing, and switch "
	    "daemons have died of it.",
	    "RED (Floyd and Jacobson 1993); sonic-net/sonic-utilities #2448",
	    "make kmin less than kmax; on a live switch raise kmax before kmin, and lower kmin before kmax",
	    "kmin and kmax of a class" },
	  .link = order },
	{ { "ecn-pmax-range", SEVERITY_ERROR,
	    "It is a probability in percent; switches refuse it, or take what is left of it.",
	    "models of SONiC, Cumulus, EOS and NX-OS: 0 or 1 to 100", "write a percent from 1 to 100, such as 20%",
	    "pmax of a class" },
	  .link = range },
	{ { "ecn-pmax-extreme", SEVERITY_WARNING,
	    "A step marks every flow at once: all slow down together, and the queue swings between empty and full.",
	    "\"Empowering Azure Storage with RDMA\" (NSDI 2023): a small pmax", "take a small one, such as 5% or 20%",
	    "pmax of a class" },
	  .link = extreme },
	{ { "ecn-half-said", SEVERITY_WARNING, "The switch keeps, or makes up, what is not said.",
	    "three values make one curve", "say kmin, kmax and pmax", "any of kmin, kmax, pmax of a class" },
	  .link = whole },
	{ { "ecn-missing", SEVERITY_WARNING,
	    "Without marking PFC alone holds the class back, and congestion spreads from switch to switch.", DCQCN,
	    NULL, "a lossless class and a tier" },
	  AFTER("cnp-class-lossless"),
	  .link = missing },
	{ { "ecn-on-cnp", SEVERITY_WARNING,
	    "CNPs are not ECN capable: where others are marked, they are dropped, when they are needed most.",
	    "RFC 3168: a router drops what it cannot mark", "take class cnp out of ecn", "ecn of any class" },
	  .link = on_cnp },
	{ { "ecn-kmin-above-share", SEVERITY_ERROR,
	    "A queue that one port feeds is paused before its first mark, so that ECN never acts.",
	    DCQCN ", section 4: alpha / (1 + alpha) of the pool", "lower kmin, or give the class a larger alpha",
	    "kmin of a lossless class, alpha and pool" },
	  AFTER("ecn-kmin-above-kmax"),
	  .link = kmin_share },
	{ { "ecn-kmax-above-share", SEVERITY_WARNING,
	    "A queue that one port feeds never gets to pmax: marking stays faint until PFC acts.",
	    DCQCN ", section 4: alpha / (1 + alpha) of the pool", "lower kmax, or give the class a larger alpha",
	    "kmax of a lossless class, alpha and pool" },
	  AFTER("ecn-kmin-above-kmax", "ecn-kmin-above-share"),
	  .link = kmax_share },
	{ { "ecn-kmin-above-bound", SEVERITY_WARNING,
	    "With every port feeding every queue, ports are paused before the queue is marked. The bound is "
	    "pessimistic.",
	    DCQCN ", section 4: alpha * pool / (ports * (1 + alpha))",
	    "lower kmin, or allow it with the load that you know",
	    "kmin of a lossless class, alpha, pool, and ports of all links of the tier" },
	  AFTER("ecn-kmin-above-kmax", "ecn-kmin-above-share", "ecn-kmax-above-share"),
	  .link = bound },
	{ { "ecn-faster-marks-earlier", SEVERITY_NOTE,
	    "A faster link drains the same queue sooner, and would be slowed down for less.",
	    "DCQCN settings of HPCC (SIGCOMM 2019): kmin and kmax grow with the rate", "check that it is meant",
	    "speed and kmin on two links of a tier" },
	  AFTER("ecn-kmin-above-kmax", "ecn-kmin-above-share", "ecn-kmin-above-bound"),
	  .link = by_speed },
	{ { "ecn-kmin-late", SEVERITY_WARNING, "A queue of a millisecond is congestion; by the first mark buffers are full.",
	    "templates of SONiC and NX-OS: 950kB to 2MB at 100 Gb/s and more, 160us at most; HPCC: 4kB per Gb/s",
	    "write some hundred KiB; is the unit the one that was meant?", "speed, and kmin of a class" },
	  AFTER("ecn-kmin-above-kmax", "ecn-kmin-above-share", "ecn-kmin-above-bound", "ecn-faster-marks-earlier"),
	  .link = late },
	{ { "ecn-kmin-below-frame", SEVERITY_WARNING,
	    "One packet that waits is enough for a mark, so that senders slow down with hardly any queue.",
	    DCQCN ", section 4: a bound below one frame is not usable",
	    "write some hundred KiB; is the unit the one that was meant?", "kmin of a class, and frame or the fabric's mtu" },
	  AFTER("ecn-kmin-above-kmax"),
	  .link = below_frame },
	{ { "data-not-marked", SEVERITY_WARNING, "RoCE is never told of congestion, and ECN at its ports waits for marks that do not come.",
	    "one policy for both ends of the wire", "name the class under ecn of the links, or write roce: {tos: NAME} of one that is marked",
	    "roce.tos, and a fabric with tiers" },
	  AFTER("ecn-missing", "tos-taken-for-dscp", "data-with-cnp", "data-dscp-not-lossless", "data-dscp-not-mapped",
		"dscp-not-of-class", "tos-not-of-class"),
	  .group = data_not_marked },
	{ .is.name = NULL },
};
