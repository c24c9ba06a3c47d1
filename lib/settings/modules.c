/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modules.MODULE: options, load, blacklist. Speaks to /sys/module and, for the next boot, to modprobe.d, modules-load.d
 * and the kernel command line. Nothing is written to the running kernel, not even to parameters that would take it
 * (mode 0644): options belong to the moment of loading, and a value that holds only till then is no fix.
 *
 * What surprised us: a boolean reads as Y or N whatever was written; a parameter with permission 0 has no file at all,
 * just as one that does not exist, and an option that does not exist does not fail the load. Unloading a NIC's driver
 * is an outage, so what differs is pending until the module is loaded anew. modinfo would tell which options exist, and
 * costs more than all of drift: `lint` and `explain` may ask it, this file does not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/text.h"
#include "boot/modload.h"
#include "boot/modprobe.h"
#include "kernel/files.h"
#include "kernel/kernel.h"
#include "settings/homes.h"

enum { OPTIONS, LOAD, BLACKLIST };

/* --- options: values ------------------------------------------------------------ */

/* The words of the kernel's kstrtobool() that are no numbers. */
static bool boolean_word(const char *s, int *value)
{
	static const struct { const char *word; int value; } words[] = {
		{ "Y", 1 }, { "y", 1 }, { "true", 1 },	{ "on", 1 },
		{ "N", 0 }, { "n", 0 }, { "false", 0 }, { "off", 0 },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, s)) {
			*value = words[i].value;
			return true;
		}
	return false;
}

static bool boolean(const char *s, int *value)
{
	if ((*s == '0' || *s == '1') && !s[1]) {
		*value = *s - '0';
		return true;
	}
	return boolean_word(s, value);
}

/* One element: equal, or the same number, or, if either is written as a boolean only is, the same boolean. */
static bool same_element(const char *a, const char *b)
{
	int p, q, unused;

	if (!strcmp(a, b) || (!*a && !strcmp(b, "(null)")))
		return true;
	if (boolean_word(a, &unused) || boolean_word(b, &unused))
		return boolean(a, &p) && boolean(b, &q) && p == q;
	return homes_same_number(a, strlen(a), b, strlen(b));
}

/* Cuts the next element off a list of them; empty ones count. False: none left, or longer than @room. */
static bool next_element(const char **s, char *out, size_t room)
{
	size_t n;

	if (!*s)
		return false;
	n = strcspn(*s, ",");
	if (n >= room)
		return false;
	memcpy(out, *s, n);
	out[n] = 0;
	*s = (*s)[n] ? *s + n + 1 : NULL;
	return true;
}

static bool option_same(const struct field *f, const struct value *want, const struct value *have,
			const struct record *observed)
{
	const char *a = want->text, *b = have->text;
	char x[256], y[256];

	(void)f;
	(void)observed;
	if (!strcmp(a, b))
		return true;
	while (next_element(&a, x, sizeof(x)) && next_element(&b, y, sizeof(y)))
		if (!same_element(x, y))
			return false;
		else if (!a && !b)
			return true;
	return false;
}

static int option_parse(const struct field *f, const char *text, struct value *v, struct arena *a, const char **why)
{
	(void)f;
	if (!homes_value_ok(text, true)) {
		*why = "has quotes, a backslash or control characters, which a line of modprobe.d cannot hold";
		return -EINVAL;
	}
	v->text = arena_strdup(a, text);
	return 0;
}

/* --- live ----------------------------------------------------------------------- */

/* Parameters that exist with permission 0, and so have no file. */
static const struct { const char *module, *param; } hidden[] = {
	{ "ib_core", "force_mr" },
	{ "hns3", "debug" },
};

static bool is_hidden(const char *module, const char *param)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (!strcmp(hidden[i].module, module) && !strcmp(hidden[i].param, param))
			return true;
	return false;
}

static bool nothing_runs(struct part *p, unsigned i, enum module_state state)
{
	if (state == MODULE_UNKNOWN)
		part_reason(p, i, REASON_NOT_RECORDED, NULL, "nothing runs here: there is no /sys/module");
	return state == MODULE_UNKNOWN;
}

static void option_absent(struct part *p, unsigned i, enum module_state state, const char *module, const char *param,
			  const char *via)
{
	if (nothing_runs(p, i, state))
		return;
	if (state == MODULE_ABSENT)
		part_reason(p, i, REASON_MODULE_NOT_LOADED, via, "%s not loaded: it takes its options when it is",
			    module);
	else if (is_hidden(module, param))
		part_reason(p, i, REASON_WRITE_ONLY, via, "the module shows this parameter to nobody (permission 0)");
	else
		part_reason(p, i, REASON_DRIVER_LACKS, via,
			    "%s has no parameter of this name that can be read: it does not exist, and then the kernel "
			    "ignores the option, or has permission 0; `modinfo -p %s` tells",
			    module, module);
}

static const char *why_other(const struct part *p, const char *module)
{
	return arena_printf(p->arena, "%s was loaded with another value; it takes options only when it is loaded",
			    module);
}

static bool is_wanted(const struct part *p, unsigned i, const struct value *have)
{
	const struct cell *want = p->want && i < p->want->n ? &p->want->at[i] : NULL;

	return !want || want->state != CELL_VALUE || value_same(want->field, &want->value, have, p->have);
}

static void read_option(struct kernel *k, struct part *p, unsigned i)
{
	struct cell *c = &p->have->at[i];
	const char *module = modprobe_name(p->arena, c->star[0]), *param = modprobe_name(p->arena, c->star[1]);
	const char *text, *via;
	enum module_state state;
	struct kernel_stat st;
	int r, told;

	via = arena_printf(p->arena, "/sys/module/%s/parameters/%s", module, param);
	r = files_text(k, &text, "%s", via + 1);
	if (r == 0) {
		part_text(p, i, homes_squeeze(p->arena, text), via);
		if (!is_wanted(p, i, &c->value))
			c->because = why_other(p, module);
		return;
	}
	if (r == -ENOENT || r == -ENOTDIR) {
		told = modload_state(k, p->facts ? p->facts->kernel : "", module, &state);
		if (told == 0) {
			option_absent(p, i, state, module, param, via);
			return;
		}
		r = told;
	}
	if ((r == -EACCES || r == -EPERM) && kernel_stat(k, via + 1, &st) == 0 && !(st.mode & 0444))
		part_reason(p, i, REASON_WRITE_ONLY, via, "the module lets nobody read this parameter");
	else
		part_reason(p, i, reason_of(r), via, "%s", strerror(-r));
}

/*
 * load: true is there or not; false asks only that no list names it. blacklist: true asks that the module is not
 * there; false only that nothing forbids it. The halves that say nothing about the running kernel read as wanted.
 */
static void read_presence(struct kernel *k, struct part *p, unsigned i, bool blacklist)
{
	struct cell *c = &p->have->at[i];
	const struct cell *want = p->want && i < p->want->n ? &p->want->at[i] : NULL;
	const char *module = modprobe_name(p->arena, c->star[0]);
	const char *via = arena_printf(p->arena, "/sys/module/%s", module);
	enum module_state state;
	bool there;
	int r;

	if (want && want->state == CELL_VALUE && !want->value.num) {
		part_num(p, i, 0, via);
		return;
	}
	r = modload_state(k, p->facts ? p->facts->kernel : "", module, &state);
	if (r < 0) {
		part_reason(p, i, reason_of(r), via, "%s", strerror(-r));
		return;
	}
	if (nothing_runs(p, i, state))
		return;
	there = state != MODULE_ABSENT;
	part_num(p, i, blacklist ? !there : there, via);
	c->event = "reboot";
	if (blacklist && there)
		c->because = arena_printf(p->arena, "%s is loaded; the blacklist keeps it away from the next boot on",
					  module);
	else if (!blacklist && !there)
		c->because = arena_printf(p->arena, "%s not loaded; `modprobe %s` loads it before the next boot does",
					  module, module);
}

static int modules_read(struct kernel *k, struct part *p, struct diags *d)
{
	(void)d;
	for (unsigned i = 0; i < p->have->n; i++) {
		const struct cell *c = &p->have->at[i];

		if (!part_open(p, i) || !c->star[0])
			continue;
		if (!homes_name_ok(c->star[0]) || (c->star[1] && !homes_name_ok(c->star[1])))
			part_reason(p, i, REASON_DRIVER_LACKS, NULL,
				    "that cannot be the name of a module and its parameter");
		else if (c->star[1])
			read_option(k, p, i);
		else
			read_presence(k, p, i, c->field == &p->setting->fields[BLACKLIST]);
	}
	return 0;
}

/* --- what a policy may say ------------------------------------------------------ */

static int check_names(const struct cell *c, struct diags *d)
{
	for (int i = 0; i < 2; i++)
		if (c->star[i] && !homes_name_ok(c->star[i])) {
			diag_error(d, &c->pos, "\"%s\" cannot be the name of a module%s", c->star[i],
				   i ? "'s option" : "");
			diag_hint(d, "letters, digits, _ and - make such a name");
			return -EINVAL;
		}
	return 0;
}

static bool same_star(const char *x, const char *y)
{
	return x && y ? modprobe_same(x, y) : x == y;
}

/* @b stands before @a. */
static int check_pair(const struct cell *a, const struct cell *b, struct diags *d)
{
	struct diag *one;

	if (!same_star(a->star[0], b->star[0]))
		return 0;
	if (a->field == b->field && same_star(a->star[1], b->star[1]))
		one = diag_error(d, &a->pos, "%s and %s are one: - and _ are the same in names of modules", b->name,
				 a->name);
	else if (!a->star[1] && !b->star[1] && a->field != b->field && a->value.num && b->value.num)
		one = diag_error(d, &a->pos, "%s: blacklisted modules are not loaded by name either", a->star[0]);
	else
		return 0;
	one->other = b->pos;
	one->other_what = "the other one";
	return -EINVAL;
}

/* The same of two cells that check_pair() may have something to say of: an option by its names, all else by its module. */
static uint64_t hash_of(const struct cell *c)
{
	uint64_t h = hash_seed();

	for (int i = 0; i < 2 && c->star[i]; i++) {
		for (const char *s = c->star[i]; *s; s++)
			h = hash_add(h, *s == '-' ? "_" : s, 1);
		h = hash_add(h, "", 1);
	}
	return h;
}

static int modules_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	struct hash_set seen = { 0 };
	int r = 0;

	for (size_t i = 0; i < want->n; i++) {
		if (want->at[i].state != CELL_VALUE)
			continue;
		if (check_names(&want->at[i], d) < 0)
			r = -EINVAL;
		if (hash_set_add(&seen, w->arena, hash_of(&want->at[i])))
			continue;
		for (size_t j = 0; j < i; j++)
			if (want->at[j].state == CELL_VALUE && check_pair(&want->at[i], &want->at[j], d) < 0)
				r = -EINVAL;
	}
	return r;
}

/* --- the setting ------------------------------------------------------------------ */

static const struct field fields[] = {
	[OPTIONS] = { "modules.*.options.*", KIND_TEXT, .parse = option_parse, .same = option_same,
		      .doc = "option that the module gets when it is loaded; booleans in any spelling of the kernel "
			     "(0, 1, Y, N, true, false), arrays with commas; `modinfo -p MODULE` lists what exists" },
	[LOAD] = { "modules.*.load", KIND_BOOL,
		   .doc = "true: loaded by name at boot (modules-load.d, or /etc/rdma/modules once there is hardware); "
			  "false: no list names it, though hardware or another module may still bring it" },
	[BLACKLIST] = { "modules.*.blacklist", KIND_BOOL,
			.doc = "true: loaded neither for its hardware nor by name at boot, though another module may "
			       "still need it; false: no file blacklists it" },
	{ 0 },
};

static const struct key_row rows[] = {
	{ OPTIONS, "*", .kind = KEY_OPTION },
	{ LOAD, "*", .kind = KEY_LOAD },
	{ BLACKLIST, "*", .kind = KEY_BLACKLIST },
	{ 0 },
};

const struct setting setting_modules = {
	.name = "modules",
	.scope = SCOPE_NODE,
	.fields = fields,
	.derive = modules_derive,
	.why = "An option in modprobe.d may be beaten by a later file, misspelled, older in the initramfs, or not a "
	       "line at all: the module loads all the same, with its own values. Only the running module tells.",
	.live = { .read = modules_read, .effective = EFFECTIVE_RELOAD, .interface = "/sys/module" },
	.boot = { .read = boot_read, .files = boot_files, .weigh = boot_weigh, .table = rows, .object = BOOT_FILES,
		  .effective = EFFECTIVE_REBOOT, .interface = "modprobe.d, modules-load.d" },
};
