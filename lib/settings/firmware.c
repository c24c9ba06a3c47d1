/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firmware.version, board, deny, component.*: verified only; rdmactl does not flash. Speaks to devlink info, which
 * alone tells running from stored (mlx5: PFs only), and falls back to the RDMA device's fw_ver and board_id.
 *
 * Versions are compared field by field as numbers (28.45 is newer than 28.9), missing fields are 0, padding does not
 * count. Some interfaces add the board id in brackets, "20.35.1012 (MT_0000000228)": it is no part of the version.
 * What is empty, "N/A" or no version at all is unknown: neither old nor validated. Where the first number names the
 * card's family (mlx5), a range of another family was written for another card, and is said to be, even if it holds.
 */
#include <errno.h>
#include <string.h>

#include "settings/firmware.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "kernel/devlink.h"
#include "kernel/files.h"
#include "model/setting.h"
#include "model/vendor.h"

enum { FW_VERSION, FW_BOARD, FW_DENY, FW_COMPONENT };

/* --- versions and ranges ---------------------------------------------------- */

enum { PARTS = 8, CONSTRAINTS = 8 };

struct version {
	uint32_t part[PARTS];
	unsigned n;
};

enum op { OP_EQ, OP_GE, OP_GT, OP_LE, OP_LT };

struct constraint {
	enum op op;
	struct version version;
};

struct range {
	struct constraint at[CONSTRAINTS];
	unsigned n;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads "28.45.1000" from @s; at most 9 digits a field. Return: first character behind it, or NULL: none there */
static const char *version_scan(const char *s, struct version *v)
{
	*v = (struct version){ 0 };
	for (;;) {
		unsigned digits = 0;
		uint32_t part = 0;

		for (; is_digit(*s) && digits < 10; s++, digits++)
			part = part * 10 + (uint32_t)(*s - '0');
		if (digits == 0 || digits > 9 || v->n == PARTS)
			return NULL;
		v->part[v->n++] = part;
		if (*s != '.')
			return s;
		s++;
	}
}

/* A device's own words: what follows a blank, '-' or '(' is a board id or build name. False: no version. */
static bool version_of_device(const char *s, struct version *v)
{
	const char *end = version_scan(s, v);

	return end && (!*end || *end == ' ' || *end == '-' || *end == '(');
}

static int version_compare(const struct version *a, const struct version *b)
{
	for (unsigned i = 0; i < PARTS; i++)
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	return 0;
}

static const char *op_scan(const char *s, enum op *op)
{
	static const struct { const char *sign; enum op op; } ops[] = {
		{ ">=", OP_GE }, { "<=", OP_LE }, { ">", OP_GT }, { "<", OP_LT }, { "==", OP_EQ }, { "=", OP_EQ },
	};

	*op = OP_EQ;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t n = strlen(ops[i].sign);

		if (strncmp(s, ops[i].sign, n) != 0)
			continue;
		*op = ops[i].op;
		for (s += n; *s == ' '; s++)
			;
		break;
	}
	return s;
}

/* Does one condition end below where another begins. */
static bool range_is_empty(const struct range *r)
{
	for (unsigned i = 0; i < r->n; i++)
		for (unsigned k = 0; k < r->n; k++) {
			const struct constraint *from = &r->at[i], *to = &r->at[k];
			int order = version_compare(&from->version, &to->version);
			bool open = from->op == OP_GT || to->op == OP_LT;

			if (from->op != OP_LE && from->op != OP_LT && to->op != OP_GE && to->op != OP_GT &&
			    (order > 0 || (order == 0 && open)))
				return true;
		}
	return false;
}

/* ">=28.39.1002 <28.44": all must hold. Return: NULL, or what is wrong (static) */
static const char *range_parse(const char *s, struct range *r)
{
	*r = (struct range){ 0 };
	for (;;) {
		struct constraint *c = &r->at[r->n];

		while (*s == ' ' || *s == ',')
			s++;
		if (!*s && r->n && range_is_empty(r))
			return "is a range that no version is in: its lower end comes first, such as \">=28.39 <28.44\"";
		if (!*s)
			return r->n ? NULL : "is empty: write a version such as 28.39.1002, or a range";
		if (r->n == CONSTRAINTS)
			return "has too many conditions: at most 8";
		s = version_scan(op_scan(s, &c->op), &c->version);
		if (!s || (*s && *s != ' ' && *s != ','))
			return "is not a firmware version or range, such as 28.39.1002 or \">=28.39 <28.44\"";
		r->n++;
	}
}

static bool constraint_holds(const struct constraint *c, const struct version *have)
{
	int order = version_compare(have, &c->version);

	switch (c->op) {
	case OP_EQ:
		return order == 0;
	case OP_GE:
		return order >= 0;
	case OP_GT:
		return order > 0;
	case OP_LE:
		return order <= 0;
	case OP_LT:
		return order < 0;
	}
	return false;
}

static bool range_holds(const struct range *r, const struct version *have)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!constraint_holds(&r->at[i], have))
			return false;
	return true;
}

/* "<29" and "<29.0.0" end family 28 and name nothing of 29. */
static uint32_t constraint_family(const struct constraint *c)
{
	uint32_t rest = 0;

	for (unsigned i = 1; i < c->version.n; i++)
		rest |= c->version.part[i];
	return c->version.part[0] - (c->op == OP_LT && !rest && c->version.part[0] ? 1 : 0);
}

bool firmware_families(const char *range, uint32_t *low, uint32_t *high)
{
	struct range r;

	if (range_parse(range, &r))
		return false;
	*low = *high = constraint_family(&r.at[0]);
	for (unsigned i = 1; i < r.n; i++) {
		uint32_t family = constraint_family(&r.at[i]);

		*low = family < *low ? family : *low;
		*high = family > *high ? family : *high;
	}
	return true;
}

bool firmware_denied(const char *range, const char *deny)
{
	struct range want, denied;

	if (range_parse(range, &want) || range_parse(deny, &denied))
		return false;
	for (unsigned i = 0; i < want.n; i++)
		if (want.at[i].op == OP_EQ)
			return range_holds(&denied, &want.at[i].version);
	return false;
}

static bool range_names_family(const struct range *r, uint32_t family)
{
	for (unsigned i = 0; i < r->n; i++)
		if (constraint_family(&r->at[i]) == family)
			return true;
	return false;
}

/* --- fields ----------------------------------------------------------------- */

static int parse_range(const struct field *f, const char *text, struct value *v, struct arena *a, const char **why)
{
	struct range r;

	(void)f;
	*why = range_parse(text, &r);
	if (*why)
		return -EINVAL;
	v->text = arena_strdup(a, text);
	return 0;
}

static bool same_version(const struct field *f, const struct value *want, const struct value *have,
			 const struct record *observed)
{
	struct version version;
	struct range range;

	(void)f;
	(void)observed;
	return !range_parse(want->text, &range) && version_of_device(have->text, &version) &&
	       range_holds(&range, &version);
}

/* @have: the version that runs, as a list of one */
static bool same_deny(const struct field *f, const struct value *want, const struct value *have,
		      const struct record *observed)
{
	struct version version;
	struct range range;

	(void)f;
	(void)observed;
	if (!have->texts[0] || !version_of_device(have->texts[0], &version))
		return false;
	for (size_t i = 0; want->texts[i]; i++)
		if (range_parse(want->texts[i], &range) || range_holds(&range, &version))
			return false;
	return true;
}

static const struct field fields[] = {
	[FW_VERSION] = { "firmware.version", KIND_TEXT, .parse = parse_range, .same = same_version, .verify_only = true,
			 .doc = "firmware version that runs: exact (28.39.1002) or a range (\">=28.39.1002 <28.44\"), "
				"compared as numbers; missing fields are 0" },
	[FW_BOARD] = { "firmware.board", KIND_TEXT, .verify_only = true,
		       .doc = "board id of the card (PSID), exact: cards of other makers carry other firmware" },
	[FW_DENY] = { "firmware.deny", KIND_TEXTS, .same = same_deny, .verify_only = true, .follows = FW_VERSION + 1,
		      .doc = "firmware versions, or ranges, that must not run" },
	[FW_COMPONENT] = { "firmware.component.*", KIND_TEXT, .parse = parse_range, .same = same_version,
			   .verify_only = true,
			   .doc = "version or range of one component by its devlink name (fw.mgmt, fw.undi, …)" },
	{ 0 },
};

/* An entry that is no version could never deny anything. */
static int firmware_derive(const struct wishes *w, struct record *want, struct diags *d)
{
	const struct cell *c = &want->at[FW_DENY];
	struct range r;
	int bad = 0;

	if (!record_has(want, FW_DENY))
		return 0;
	for (size_t i = 0; c->value.texts[i]; i++) {
		const char *why = range_parse(c->value.texts[i], &r);

		if (!why)
			continue;
		diag_error(d, &c->pos, "firmware.deny: %s %s",
			   text_safe(w->arena, c->value.texts[i], strlen(c->value.texts[i]), 64), why);
		bad = -EINVAL;
	}
	return bad;
}

/* --- what the device says --------------------------------------------------- */

struct told {
	const char *running, *stored;	/* NULL: not told */
	const char *via;
};

static const char *info_value(const struct devlink_info *info, enum devlink_version kind, const char *name)
{
	for (size_t i = 0; info && i < info->nversions; i++)
		if (info->version[i].kind == kind && !strcmp(info->version[i].name, name) && *info->version[i].value)
			return info->version[i].value;
	return NULL;
}

/* A file of the RDMA device; NULL and *err if there is none. Some drivers leave it empty: "". */
static const char *device_file(struct kernel *k, const struct port *p, const char *name, int *err)
{
	const char *text;

	if (!*p->ibdev || !files_component(p->ibdev))
		return NULL;
	*err = files_text(k, &text, "sys/class/infiniband/%s/%s", p->ibdev, name);
	return *err < 0 ? NULL : text;
}

/* The one version that people mean by "the firmware": by devlink's name per driver (mlx5, bnxt and hns3, ice). */
static struct told main_version(struct kernel *k, const struct port *p, int *err)
{
	static const char *const names[] = { "fw.version", "fw", "fw.mgmt" };
	const struct devlink_info *info = *p->bdf ? devlink_info(k, p->bdf, err) : NULL;
	struct told t = { .via = "devlink info" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !t.running; i++) {
		t.running = info_value(info, DEVLINK_RUNNING, names[i]);
		t.stored = t.running ? info_value(info, DEVLINK_STORED, names[i]) : NULL;
	}
	if (t.running)
		return t;
	if (*p->fw_version)
		return (struct told){ .running = p->fw_version, .via = "rdma device" };
	return (struct told){ .running = device_file(k, p, "fw_ver", err), .via = "sysfs fw_ver" };
}

static struct told component_version(struct kernel *k, const struct port *p, const char *name, int *err)
{
	const struct devlink_info *info = *p->bdf ? devlink_info(k, p->bdf, err) : NULL;
	struct told t = { .via = "devlink info" };

	t.running = info_value(info, DEVLINK_RUNNING, name);
	if (!t.running)
		t.running = info_value(info, DEVLINK_FIXED, name);
	t.stored = info_value(info, DEVLINK_STORED, name);
	return t;
}

static struct told board_id(struct kernel *k, const struct port *p, int *err)
{
	static const char *const names[] = { "fw.psid", "board.id" };
	const struct devlink_info *info = *p->bdf ? devlink_info(k, p->bdf, err) : NULL;
	struct told t = { .via = "devlink info" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !t.running; i++)
		t.running = info_value(info, DEVLINK_FIXED, names[i]);
	if (t.running)
		return t;
	if (*p->board)
		return (struct told){ .running = p->board, .via = "rdma device" };
	return (struct told){ .running = device_file(k, p, "board_id", err), .via = "sysfs board_id" };
}

/* --- answers ---------------------------------------------------------------- */

/* Written for another card? Said once for a line of the policy, however many ports it holds for. */
static bool other_family(const struct part *p, unsigned i, const struct version *have, struct diags *d)
{
	const struct vendor *v = p->target->vendor;
	const struct cell *want = p->want && i < p->want->n ? &p->want->at[i] : NULL;
	struct range r;

	if (!v || !v->firmware_family || i != FW_VERSION || !want || want->state != CELL_VALUE)
		return false;
	if (range_parse(want->value.text, &r) || range_names_family(&r, have->part[0]))
		return false;
	for (size_t n = 0; n < d->n; n++)
		if (d->at[n].rule && !strcmp(d->at[n].rule, "firmware-family") && d->at[n].pos.line == want->pos.line &&
		    d->at[n].pos.source == want->pos.source)
			return true;
	diag_warning(d, &want->pos, "firmware.version %s was written for another card: %s runs %u.x", want->value.text,
		     p->target->name, have->part[0])
		->rule = "firmware-family";
	diag_hint(d, "the first number names the card's family: give each family a group, by match: {board: …}");
	return true;
}

static const char *version_because(const struct part *p, const struct told *t, bool other, const struct version *have)
{
	struct version stored;
	const char *family = "";

	if (other)
		family = arena_printf(p->arena, "family %u.x: the policy's range was written for another card",
				      have->part[0]);
	if (!t->stored || !version_of_device(t->stored, &stored) || !version_compare(&stored, have))
		return other ? family : NULL;
	return arena_printf(p->arena, "%s%s%s is stored, pending a reset", family, other ? "; " : "",
			    text_safe(p->arena, t->stored, strlen(t->stored), 64));
}

/* Without board id and build name: "20.35.1012 (MT_0000000228)" is 20.35.1012 */
static const char *version_text(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strcspn(s, " ("));
}

static void tell_unknown(struct part *p, unsigned i, const char *said, const char *via, int err)
{
	if (said && *said)
		part_reason(p, i, REASON_UNREADABLE, via, "\"%s\" is not a version",
			    text_safe(p->arena, said, strlen(said), 64));
	else if (err == -ENODATA)
		part_reason(p, i, REASON_NOT_RECORDED, via, "devlink was not asked, the RDMA device is silent");
	else if (err && !reason_is_lack(reason_of(err)))
		part_reason(p, i, reason_of(err), via, "%s", strerror(-err));
	else
		part_reason(p, i, REASON_UNREADABLE, via, "neither devlink nor the RDMA device tells it");
}

static const char *version_remedy(const struct part *p, unsigned i, const struct told *t)
{
	const struct cell *want = p->want && i < p->want->n ? &p->want->at[i] : NULL;
	struct version stored;
	struct range r;

	if (want && want->state == CELL_VALUE && !range_parse(want->value.text, &r) && t->stored &&
	    version_of_device(t->stored, &stored) && range_holds(&r, &stored))
		return "reset the firmware or reboot: what is stored then runs";
	return "install firmware that the policy takes, then reset it or reboot";
}

static void tell_version(struct part *p, unsigned i, const struct told *t, int err, struct diags *d)
{
	struct version have;
	struct cell *c = &p->have->at[i];

	if (!t->running || !version_of_device(t->running, &have)) {
		tell_unknown(p, i, t->running, t->via, err);
		return;
	}
	part_text(p, i, version_text(p->arena, t->running), t->via);
	c->because = version_because(p, t, other_family(p, i, &have, d), &have);
	c->remedy = version_remedy(p, i, t);
}

/* @said: the version that runs, or that is stored */
static void tell_deny(struct part *p, const char *said, const char *via, int err)
{
	struct cell *c = &p->have->at[FW_DENY];
	struct version have;
	const char **list;

	if (!said || !version_of_device(said, &have)) {
		tell_unknown(p, FW_DENY, said, via, err);
		return;
	}
	list = arena_array_of(p->arena, const char *, 2);
	list[0] = version_text(p->arena, said);
	c->state = CELL_VALUE;
	c->value = (struct value){ .texts = list };
	c->via = via;
	c->remedy = "install firmware that the policy does not deny, then reset it or reboot";
}

static void tell_board(struct kernel *k, struct part *p)
{
	int err = 0;
	struct told t = board_id(k, p->target->port, &err);

	if (t.running && *t.running)
		part_text(p, FW_BOARD, t.running, t.via);
	else
		tell_unknown(p, FW_BOARD, NULL, t.via, err);
	p->have->at[FW_BOARD].remedy = "another make of card: give it a group of its own, by match: {board: …}";
}

static void tell_component(struct kernel *k, struct part *p, unsigned i, struct diags *d)
{
	int err = 0;
	const char *name = p->have->at[i].star[0];
	struct told t = component_version(k, p->target->port, name, &err);

	if (!t.running && !err)
		part_reason(p, i, REASON_DRIVER_LACKS, t.via, "devlink info of this driver has no %s",
			    text_safe(p->arena, name, strlen(name), 64));
	else
		tell_version(p, i, &t, err, d);
}

static bool is_software(const struct part *p)
{
	return p->target->vendor && p->target->vendor->software;
}

static int firmware_read(struct kernel *k, struct part *p, struct diags *d)
{
	struct told main = { 0 };
	int err = 0;

	if (is_software(p))
		part_reasons(p, REASON_DRIVER_LACKS, NULL, "a software device has no firmware");
	if (part_open(p, FW_VERSION) || part_open(p, FW_DENY))
		main = main_version(k, p->target->port, &err);
	if (part_open(p, FW_VERSION))
		tell_version(p, FW_VERSION, &main, err, d);
	if (part_open(p, FW_DENY) && p->want)
		tell_deny(p, main.running, main.via, err);
	else if (part_open(p, FW_DENY))			/* without a list it would only repeat the version */
		p->have->at[FW_DENY].state = CELL_SILENT;
	if (part_open(p, FW_BOARD))
		tell_board(k, p);
	for (unsigned i = FW_COMPONENT; i < p->have->n; i++)
		if (part_open(p, i))
			tell_component(k, p, i, d);
	return 0;
}

/* --- after the next reset --------------------------------------------------- */

/* Left open where nothing is told to be stored: then this home does not exist. */
static int firmware_read_stored(struct kernel *k, struct part *p, struct diags *d)
{
	int err = 0;
	struct told main = main_version(k, p->target->port, &err);
	struct version have;

	(void)d;
	if (main.stored && version_of_device(main.stored, &have)) {
		part_text(p, FW_VERSION, version_text(p->arena, main.stored), main.via);
		if (part_open(p, FW_DENY))
			tell_deny(p, main.stored, main.via, 0);
	}
	for (unsigned i = FW_COMPONENT; i < p->have->n; i++) {
		struct told t;

		if (!part_open(p, i))
			continue;
		t = component_version(k, p->target->port, p->have->at[i].star[0], &err);
		if (t.stored && version_of_device(t.stored, &have))
			part_text(p, i, version_text(p->arena, t.stored), t.via);
	}
	return 0;
}

const struct setting setting_firmware = {
	.name = "firmware",
	.why = "Firmware sets defaults and bugs of congestion control, PFC and RoCE: one odd card slows the whole job.",
	.scope = SCOPE_WIRE,
	.fields = fields,
	.derive = firmware_derive,
	.live = { .read = firmware_read, .interface = "devlink info, else fw_ver and board_id of the RDMA device" },
	.boot = { .read = firmware_read_stored, .effective = EFFECTIVE_REBOOT, .interface = "devlink info, stored" },
};
