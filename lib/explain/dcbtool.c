/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dcbtool of lldpad: CEE, the DCBX before IEEE. Arguments are "e:1 a:1 w:0 pfcup:00010000"; published pages have one
 * with a colon and a word that it never took.
 */
#include <string.h>

#include "base/arena.h"
#include "explain/tool.h"

/* "00010000": priority 0 first */
static void take_pfcup(struct answer *a, const char *value)
{
	if (strlen(value) != 8 || value[strspn(value, "01")]) {
		answer_wrong(a, "pfcup takes eight 0 or 1, priority 0 first, not %s", value);
		return;
	}
	answer_empty(a, "qos.pfc");
	for (int i = 0; i < 8; i++)
		if (value[i] == '1')
			answer_entry(a, "qos.pfc", NULL, arena_printf(a->arena, "%d", i));
}

static void take_up2tc(struct answer *a, const char *value)
{
	for (int i = 0; i < 8 && value[i]; i++)
		answer_entry(a, "qos.tc", arena_printf(a->arena, "%d", i), arena_printf(a->arena, "%c", value[i]));
}

#define COMMON \
	{ "e", "0|1", .does = "the feature is on" }, \
	{ "a", "0|1", .does = "it is advertised to the switch" }, \
	{ "w", "0|1", .does = "the switch's values are taken" }
static const struct fact pfc[] = {
	COMMON,
	{ "pfcup", "BITS", .does = "priorities with PFC, from 0 to 7", .effect = &effect_pfc, .take = take_pfcup },
	{ 0 },
};
static const struct fact pg[] = {
	COMMON,
	{ "pgid", "GROUPS", .does = "priority group of each priority", .effect = &effect_ets },
	{ "pgpct", "LIST", .does = "share in percent of each group", .effect = &effect_ets },
	{ "uppct", "LIST", .does = "share of each priority in its group", .effect = &effect_ets },
	{ "strict", "BITS", .does = "priorities that may take all of their group", .effect = &effect_ets },
	{ "up2tc", "CLASSES", .does = "traffic class of each priority", .effect = &effect_ets, .take = take_up2tc },
	{ 0 },
};
static const struct fact app[] = {
	COMMON, { "appcfg", "HEX", .does = "priorities of FCoE, iSCSI or FIP, as a bit mask" }, { 0 }
};
static const struct fact dcb[] = {
	{ "on", .does = "DCB of the port on" }, { "off", .does = "DCB of the port off" }, { 0 }
};

static const struct fact *feature_args(const char *feature)
{
	if (!strcmp(feature, "pfc"))
		return pfc;
	if (!strcmp(feature, "pg"))
		return pg;
	if (!strcmp(feature, "dcb"))
		return dcb;
	return !strncmp(feature, "app:", 4) ? app : NULL;
}

static void argument(struct answer *a, const struct fact *table, const char *word)
{
	const char *colon = strchr(word, ':');
	const char *name = arena_strndup(a->arena, word, colon ? (size_t)(colon - word) : strlen(word));

	for (const struct fact *f = table; f->name; f++)
		if (!strcmp(f->name, name) && (f->value != NULL) == (colon != NULL)) {
			answer_fact(a, f, colon ? colon + 1 : NULL);
			return;
		}
	answer_wrong(a, "there is no argument '%s' here", word);
	answer_instead(a, "CEE: dcbtool sc %s pfc e:1 a:1 w:0 pfcup:00010000; IEEE: lldptool -T -i %s -V PFC "
			  "enabled=3, or dcb "
			  "pfc set dev %s prio-pfc 3:on", a->device, a->device, a->device);
}

static void explain(struct answer *a, const struct tool *t)
{
	const struct simple *c = a->command;
	const struct fact *args;
	size_t first = 1;

	(void)t;
	while (first < c->n && c->word[first][0] == '-')
		first++;
	if (first + 2 >= c->n || strcmp(c->word[first], "sc") != 0) {
		answer_does(a, "shows what lldpad is configured to, does, or hears from the switch (gc, go, gp)");
		return;
	}
	a->device = c->word[first + 1];
	args = feature_args(c->word[first + 2]);
	if (!args && strncmp(c->word[first + 2], "ll:", 3) != 0)
		answer_wrong(a, "%s is no feature: dcb, pg, pfc, app:TYPE, ll:TYPE", c->word[first + 2]);
	for (size_t i = first + 3; args && i < c->n; i++)
		argument(a, args, c->word[i]);
	if (a->exists == EXISTS_PARTLY && !a->writes) {
		answer_not(a, EXISTS_NO);
	} else {
		a->lasts.n = 0;		/* lldpad keeps it, whatever the kernel does */
		answer_effect(a, &effect_lldpad);
	}
	answer_beware(a, "CEE is older than IEEE DCBX; bnxt and hns3 refuse it");
}

const struct tool tools_dcbtool[] = {
	{ .names = "dcbtool", .is = "of lldpad (open-lldp): CEE DCBX", .explain = explain,
	  .no_policy = "PFC has the key qos.pfc, classes qos.tc and qos.ets" },
	{ 0 },
};
