/* SPDX-License-Identifier: Apache-2.0 */
/* What the switch systems make of a tier: watchdogs, ranges of theirs, values that they cannot take. */
#include "base/text.h"
#include "base/units.h"
#include "fabric/fabric.h"
#include "lint/lint.h"
#include "model/record.h"
#include "model/setting.h"

enum { PAUSE_QUANTA_MOST = 65535, QUANTUM_BITS = 512 };

/* Ranges of each system, in ms and bytes; 0: no bound is known. tests/unit/lint_systems.c holds them against lib/nos. */
static const struct {
	int64_t detect[2], restore[2];
	bool no_restore, drops_only, no_watchdog;
	int64_t threshold[2];
	bool percent;			/* marks in percent of the queue's buffer */
} systems[] = {
	[NOS_SONIC] = { .detect = { 100, 5000 }, .restore = { 100, 60000 } },
	[NOS_CUMULUS] = { .detect = { 100, 0 }, .no_restore = true, .drops_only = true },
	[NOS_EOS] = { .detect = { 10, 60000 }, .restore = { 10, 60000 }, .drops_only = true, .threshold = { 0, 256000000 } },
	[NOS_NXOS] = { .detect = { 100, 0 }, .restore = { 100, 0 }, .drops_only = true, .threshold = { 1024, 0 } },
	[NOS_JUNOS] = { .detect = { 100, 0 }, .percent = true },
	[NOS_OS10] = { .no_watchdog = true, .threshold = { 1024, 12480 * 1024 } },
};

static const struct cell *says(const struct lint *l, unsigned field)
{
	return fabric_says(l->link->has, field);
}

static const char *word(const struct cell *c)
{
	return c->field->words[c->value.num];
}

/* --- watchdog ----------------------------------------------------------------- */

static bool restore_short(struct lint *l)
{
	const struct cell *detect = says(l, FABRIC_WATCHDOG_DETECT), *restore = says(l, FABRIC_WATCHDOG_RESTORE);

	if (!detect || !restore)
		return false;
	if (restore->value.num < detect->value.num)
		lint_find(l, &restore->pos, "watchdog.restore %jdms is less than detect %jdms",
			  (intmax_t)restore->value.num, (intmax_t)detect->value.num);
	return true;
}

/* One pause frame stops for at most 65535 quanta. */
static bool detect_short(struct lint *l)
{
	const struct cell *detect = says(l, FABRIC_WATCHDOG_DETECT), *speed = says(l, FABRIC_SPEED);
	int64_t us;

	if (!detect || !speed)
		return false;
	us = (int64_t)PAUSE_QUANTA_MOST * QUANTUM_BITS / speed->value.num;
	if (detect->value.num * 1000 <= us)
		lint_find(l, &detect->pos,
			  "watchdog.detect %jdms is not longer than one pause can be at this speed, %jdus",
			  (intmax_t)detect->value.num, (intmax_t)us);
	return true;
}

static bool no_watchdog(struct lint *l)
{
	if (!fabric_pfc(l->fabric))
		return false;
	if (!says(l, FABRIC_WATCHDOG_DETECT))
		lint_find(l, &l->tier->pos, "lossless classes, and no watchdog");
	return true;
}

static bool outside(const struct cell *c, const int64_t range[2])
{
	return c && ((range[0] && c->value.num < range[0]) || (range[1] && c->value.num > range[1]));
}

/* Told as "10ms to 60s", "100ms or more" or "at most 256000000 bytes". */
static void judge_range(struct lint *l, const struct cell *c, const struct cell *nos, const int64_t range[2])
{
	TEXT_CLEANUP struct text t = { 0 };

	if (!outside(c, range))
		return;
	units_print(c->value.num, c->field->unit, &t);
	text_printf(&t, "; %s takes %s", word(nos), range[0] ? "" : "at most ");
	if (range[0])
		units_print(range[0], c->field->unit, &t);
	if (range[0])
		text_add(&t, range[1] ? " to " : " or more");
	if (range[1])
		units_print(range[1], c->field->unit, &t);
	lint_find(l, &c->pos, "%s is %s", c->name, text_str(&t));
}

static bool watchdog_of_nos(struct lint *l)
{
	const struct cell *nos = says(l, FABRIC_NOS), *detect = says(l, FABRIC_WATCHDOG_DETECT),
			  *restore = says(l, FABRIC_WATCHDOG_RESTORE), *action = says(l, FABRIC_WATCHDOG_ACTION);
	const struct cell *any = detect ? detect : restore ? restore : action;
	int64_t i;

	if (!nos || !any)
		return false;
	i = nos->value.num;
	if (systems[i].no_watchdog) {
		lint_find(l, &any->pos, "no PFC watchdog of %s is known", word(nos));
		return true;
	}
	judge_range(l, detect, nos, systems[i].detect);
	judge_range(l, restore, nos, systems[i].restore);
	if (restore && systems[i].no_restore)
		lint_find(l, &restore->pos, "%s restores after one interval without pause, and takes no time for it",
			  word(nos));
	if (action && systems[i].drops_only && action->value.num != ACTION_DROP)
		lint_find(l, &action->pos, "of the watchdog of %s only drop is known", word(nos));
	return true;
}

/* --- thresholds --------------------------------------------------------------- */

static bool ecn_of_nos(struct lint *l)
{
	const struct cell *nos = says(l, FABRIC_NOS);
	const int64_t *range = nos ? systems[nos->value.num].threshold : NULL;
	bool judged = false;

	if (!range || (!range[0] && !range[1]))
		return false;
	for (size_t i = 0; i < l->fabric->n; i++)
		for (unsigned field = FABRIC_ECN_KMIN; field <= FABRIC_ECN_KMAX; field++) {
			const struct cell *c = fabric_ecn(l->link, l->fabric->at[i].name, field);

			judged = judged || c;
			judge_range(l, c, nos, range);
		}
	return judged;
}

static bool no_queue_buffer(struct lint *l)
{
	const struct cell *nos = says(l, FABRIC_NOS), *kmin = NULL;

	if (!nos || !systems[nos->value.num].percent)
		return false;
	for (size_t i = 0; i < l->fabric->n && !kmin; i++)
		kmin = fabric_ecn(l->link, l->fabric->at[i].name, FABRIC_ECN_KMIN);
	if (kmin && !says(l, FABRIC_QUEUE_BUFFER))
		lint_find(l, &kmin->pos, "%s marks in percent of a queue's buffer, and queue_buffer is not said",
			  word(nos));
	return kmin;
}

const struct lint_rule lint_switches[] = {
	{ { "watchdog-restore-short", SEVERITY_WARNING,
	    "A queue that is still stuck would be let go, caught again, and so on.",
	    "SONiC and EOS: restore is not below detect", "make restore at least as long as detect",
	    "watchdog.detect and watchdog.restore" },
	  .link = restore_short },
	{ { "watchdog-detect-short", SEVERITY_WARNING,
	    "A pause of a healthy node would be taken for a storm, and its traffic dropped.",
	    "IEEE 802.1Qbb: a pause lasts at most 65535 quanta of 512 bit times",
	    "take 200ms, or what the system has as default", "watchdog.detect and speed" },
	  .link = detect_short },
	{ { "watchdog-missing", SEVERITY_NOTE,
	    "One card that pauses for ever then stops all that share a switch with it.",
	    "\"RDMA over Commodity Ethernet at Scale\" (SIGCOMM 2016), PFC storms",
	    "add watchdog: {detect: 200ms, restore: 400ms}", "a lossless class and a tier" },
	  .link = no_watchdog },
	{ { "watchdog-not-of-nos", SEVERITY_WARNING,
	    "The switch refuses it or has no such thing: no configuration is made of this tier, or one without it.",
	    "SONiC's YANG models, Cumulus, EOS, NX-OS and Junos command references", "take what the system has, or leave it out",
	    "nos and watchdog" },
	  AFTER("watchdog-restore-short", "watchdog-detect-short"),
	  .link = watchdog_of_nos },
	{ { "ecn-not-of-nos", SEVERITY_WARNING,
	    "The switch refuses it, so that no configuration can be made of this tier.",
	    "command references: EOS at most 256000000 bytes, NX-OS whole kbytes, OS10 1 to 12480 KB",
	    "take what the system has", "nos (eos, nxos, os10), kmin and kmax" },
	  AFTER("ecn-kmin-above-kmax", "ecn-kmax-above-share"),
	  .link = ecn_of_nos },
	{ { "queue-buffer-missing", SEVERITY_WARNING,
	    "Bytes cannot become the percents that this system wants, and nothing is guessed.",
	    "Junos: drop-profiles have fill levels of the queue's buffer",
	    "say queue_buffer: the buffer of one egress queue, in bytes", "nos (junos) and ecn" },
	  .link = no_queue_buffer },
	{ .is.name = NULL },
};
