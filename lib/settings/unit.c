/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boot.unit: one row for all values that no file keeps over a boot (MTU, DCB, ECN, ToS, ...): our unit sets them again,
 * from the policy that is installed. So it must be there, be enabled, and that policy must ask the same of this node as
 * the one that is judged. Speaks to the files of systemd and udev below the root (boot/units.h).
 *
 * Without systemd, and where the policy asks for nothing that a unit would set, there is no such row. `unused` is for
 * nodes where somebody else runs apply at boot.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/units.h"
#include "model/desired.h"
#include "model/setting.h"

enum { UNIT };

enum { UNIT_ENABLED, UNIT_UNUSED, UNIT_WRONG };	/* WRONG: of what is found alone */

static const char *const words[] = { "enabled", "unused", NULL };

static void print_unit(const struct field *f, const struct value *v, struct text *out)
{
	text_add(out, v->num == UNIT_WRONG ? v->text : f->words[v->num]);
}

static const struct field fields[] = {
	[UNIT] = { "boot.unit", KIND_WORD, .words = words, .print = print_unit, .verify_only = true, .always = true,
		   .doc = "who sets again at boot what Linux forgets: enabled: rdmactl.service, from the policy that is "
			  "installed (the default); unused: somebody else, and nothing is verified" },
	{ 0 },
};

/* Does the policy ask for a value that only a unit can bring back, and does not say that somebody else does? */
static bool is_needed(const struct part *p)
{
	const struct desired *des = p->desired;

	if (record_num(p->want, UNIT, UNIT_UNUSED) == UNIT_UNUSED)
		return false;
	for (size_t i = 0; des && i < des->n; i++) {
		const struct wish *w = &des->wish[i];

		if (w->setting->boot.read)
			continue;
		for (size_t j = 0; j < w->want->n; j++)
			if (w->want->at[j].state == CELL_VALUE && !w->want->at[j].field->verify_only)
				return true;
	}
	return false;
}

static void answer(struct part *p, const char *found, const char *because, const char *remedy)
{
	struct cell *c = &p->have->at[UNIT];

	part_text(p, UNIT, found, UNITS_NODE);
	c->value.num = because ? UNIT_WRONG : UNIT_ENABLED;
	c->because = because;
	c->remedy = remedy;
}

static int unit_read(struct kernel *k, struct part *p, struct diags *d)
{
	const struct installed *in = p->desired ? p->desired->installed : NULL;
	struct units_fault f;
	int r;

	(void)d;
	if (!part_open(p, UNIT) || !p->want || !is_needed(p))
		return 0;
	r = units_exist(k);
	if (r > 0)
		r = units_fault(k, p->arena, &f);
	else if (r == 0)
		return 0;
	if (r < 0)
		part_reason(p, UNIT, reason_of(r), UNITS_NODE, "whether it runs is not known: %s", strerror(-r));
	else if (r)
		answer(p, "off", f.because, f.remedy);
	else if (in && in->why)
		answer(p, "another policy", in->why, in->remedy);
	else
		answer(p, words[UNIT_ENABLED], NULL, NULL);
	return 0;
}

const struct setting setting_unit = {
	.name = "unit",
	.scope = SCOPE_NODE,
	.fields = fields,
	.why = "Linux forgets MTU, DCB, ECN and ToS at every boot and driver reload. What runs now is lost with the next one, "
	       "unless something sets it again.",
	.boot = { .read = unit_read, .interface = "systemd units, udev rules", .effective = EFFECTIVE_REBOOT },
};
