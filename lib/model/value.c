/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of value: parsing, comparing, printing; reasons why there is none. */
#include "model/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "model/setting.h"

static const struct {
	const char *name;
	bool unknown;
} reasons[] = {
	[REASON_NONE] = { "", false },
	[REASON_DRIVER_LACKS] = { "driver-lacks", false },
	[REASON_FIRMWARE_LACKS] = { "firmware-lacks", false },
	[REASON_NOT_RECORDED] = { "not-recorded", true },
	[REASON_NOT_MOUNTED] = { "not-mounted", true },
	[REASON_STALE_INITRAMFS] = { "stale-initramfs", false },
	[REASON_MODULE_NOT_LOADED] = { "module-not-loaded", false },
	[REASON_WRITE_ONLY] = { "write-only", true },
	[REASON_LOCKED_DOWN] = { "locked-down", true },
	[REASON_NOT_PERMITTED] = { "not-permitted", true },
	[REASON_BUSY] = { "busy", true },
	[REASON_VANISHED] = { "vanished", true },
	[REASON_LLDPCTL_MISSING] = { "lldpctl-missing", true },
	[REASON_LLDPD_NOT_RUNNING] = { "lldpd-not-running", true },
	[REASON_LLDPD_TOO_OLD] = { "lldpd-too-old", true },
	[REASON_LLDPD_OTHER_VERSION] = { "lldpd-other-version", true },
	[REASON_LLDPD_HANGS] = { "lldpd-hangs", true },
	[REASON_LLDPD_NOT_ON_PORT] = { "lldpd-not-on-port", true },
	[REASON_NO_NEIGHBOR] = { "no-neighbor", true },
	[REASON_NEIGHBOR_EXPIRED] = { "neighbor-expired", true },
	[REASON_NEIGHBOR_SHUTDOWN] = { "neighbor-shutdown", true },
	[REASON_TWO_NEIGHBORS] = { "two-neighbors", true },
	[REASON_CEE_PEER] = { "cee-peer", true },
	[REASON_MALFORMED] = { "malformed", true },
	[REASON_NOT_ADVERTISED] = { "not-advertised", true },
	[REASON_UNREADABLE] = { "unreadable", true },
};

const char *reason_name(enum reason r)
{
	return reasons[r].name;
}

bool reason_is_unknown(enum reason r)
{
	return reasons[r].unknown;
}

bool reason_is_lack(enum reason r)
{
	return r == REASON_DRIVER_LACKS || r == REASON_FIRMWARE_LACKS;
}

bool reason_is_by_hand(enum reason r)
{
	return r == REASON_STALE_INITRAMFS;
}

enum reason reason_of(int err)
{
	static const struct { int err; enum reason reason; } of[] = {
		{ ENODATA, REASON_NOT_RECORDED }, { EOPNOTSUPP, REASON_DRIVER_LACKS }, { ENOENT, REASON_DRIVER_LACKS },
		{ EPERM, REASON_NOT_PERMITTED },  { EACCES, REASON_NOT_PERMITTED },    { EBUSY, REASON_BUSY },
		{ EAGAIN, REASON_BUSY },	  { ENODEV, REASON_VANISHED },	       { ENXIO, REASON_NOT_MOUNTED },
		{ EPROTONOSUPPORT, REASON_MODULE_NOT_LOADED },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (of[i].err == -err)
			return of[i].reason;
	return REASON_UNREADABLE;
}

/* --- parsing ---------------------------------------------------------------- */

/* What YAML 1.1 calls a boolean in lower case; where another kind is due, "on" is a word. */
static int parse_bool(const char *s, struct value *v, const char **why)
{
	if (!strcmp(s, "true") || !strcmp(s, "on") || !strcmp(s, "yes")) {
		v->num = 1;
	} else if (!strcmp(s, "false") || !strcmp(s, "off") || !strcmp(s, "no")) {
		v->num = 0;
	} else {
		*why = "is not a boolean: write true or false";
		return -EINVAL;
	}
	return 0;
}

static int parse_word(const struct field *f, const char *s, struct value *v, struct arena *a, const char **why)
{
	TEXT_CLEANUP struct text words = { 0 };
	const char *near;

	for (int64_t i = 0; f->words[i]; i++) {
		if (!strcmp(f->words[i], s)) {
			v->num = i;
			return 0;
		}
		text_printf(&words, "%s%s", i == 0 ? "" : f->words[i + 1] ? ", " : " or ", f->words[i]);
	}
	near = text_nearest(s, f->words);
	*why = arena_printf(a, near ? "is not one of %s; did you mean %s?" : "is not one of %s", text_str(&words), near);
	return -EINVAL;
}

/* "24-31" */
static bool is_range(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n && s[n] == '-' && s[n + 1] && !s[n + 1 + strspn(s + n + 1, "0123456789")];
}

static int parse_num(const char *s, const char *unit, int64_t min, int64_t max, int64_t *num, struct arena *a,
		     const char **why)
{
	TEXT_CLEANUP struct text least = { 0 }, most = { 0 };

	switch (units_parse(s, unit, num)) {
	case UNITS_OK:
		break;
	case UNITS_LEADING_ZERO:
		*why = "has a leading zero: one reader takes it for octal, another for decimal; write it without";
		return -EINVAL;
	case UNITS_TOO_LARGE:
		units_print(max, unit, &most);
		*why = arena_printf(a, "is too large even for 64 bits; the largest here is %s", text_str(&most));
		return -EINVAL;
	case UNITS_WRONG_UNIT:
		units_suffixes(unit, ", ", &most);
		*why = most.n ? arena_printf(a, "has a unit that is not one of this key's: %s", text_str(&most)) :
						      "is not a plain number; this key has no unit";
		return -EINVAL;
	case UNITS_NOT_WHOLE:
		*why = arena_printf(a, "is not a whole number of %s", unit ? unit : "units");
		return -EINVAL;
	case UNITS_POINT:
		*why = "has a decimal point, and a whole number is due: write it without";
		return -EINVAL;
	case UNITS_NOT_A_NUMBER:
		*why = is_range(s) ? "is a range: write its numbers one by one" : "is not a whole decimal number";
		return -EINVAL;
	}
	if (*num >= min && *num <= max)
		return 0;
	units_print(min, unit, &least);
	units_print(max, unit, &most);
	*why = arena_printf(a, "is out of range: %s to %s", text_str(&least), text_str(&most));
	return -EINVAL;
}

int value_parse(const struct field *f, const char *s, struct value *v, struct arena *a, const char **why)
{
	*why = NULL;
	if (f->parse)
		return f->parse(f, s, v, a, why);
	switch (f->kind) {
	case KIND_BOOL:
		return parse_bool(s, v, why);
	case KIND_UINT:
		return parse_num(s, f->unit, f->min, f->max, &v->num, a, why);
	case KIND_WORD:
		return parse_word(f, s, v, a, why);
	case KIND_TEXT:
		if (!*s) {
			*why = "is empty";
			return -EINVAL;
		}
		v->text = arena_strdup(a, s);
		return 0;
	case KIND_SET:
		*why = "must be a list, such as [3]; [] is none";
		return -EINVAL;
	case KIND_MAP:
	case KIND_SHARES:
	case KIND_AMOUNTS:
		*why = "must be a map, such as {3: …}";
		return -EINVAL;
	case KIND_TEXTS:
		*why = "must be a list, such as [one, two]";
		return -EINVAL;
	}
	return -EINVAL;
}

unsigned value_span(const struct field *f)
{
	return f->kind == KIND_SHARES ? 8 : f->kind == KIND_AMOUNTS ? AMOUNTS : f->span;
}

static const char *const share_words[] = { "strict", "cbs", "vendor" };

int value_parse_entry(const struct field *f, const char *s, uint8_t *v, struct arena *a, const char **why)
{
	int64_t num;
	int r;

	*why = NULL;
	if (f->kind == KIND_SHARES) {
		if (!strcmp(s, "strict") || !strcmp(s, "vendor")) {
			*v = *s == 's' ? SHARE_STRICT : SHARE_VENDOR;
			return 0;
		}
		r = parse_num(s, "%", 0, 100, &num, a, why);
		if (r < 0)
			*why = arena_printf(a, "%s (a share of bandwidth such as 40%%, strict, or vendor)", *why);
	} else {
		r = parse_num(s, NULL, 0, f->max, &num, a, why);
	}
	if (r == 0)
		*v = (uint8_t)num;
	return r;
}

int value_parse_amount(const struct field *f, const char *s, int64_t *v, struct arena *a, const char **why)
{
	*why = NULL;
	return parse_num(s, f->unit, f->min, f->max, v, a, why);
}

int value_parse_keys(const struct field *f, const char *s, unsigned *first, unsigned *last, const char **why)
{
	unsigned span = value_span(f);
	const char *dash = strchr(s, '-');
	char low[24];
	uint64_t from, to;

	*why = NULL;
	if (!dash) {
		if (!text_u64(s, &from)) {
			*why = "is not a number or a range such as 0-7";
			return -EINVAL;
		}
		to = from;
	} else {
		if ((size_t)(dash - s) >= sizeof(low)) {
			*why = "is too long for a number";
			return -EINVAL;
		}
		memcpy(low, s, (size_t)(dash - s));
		low[dash - s] = 0;
		if (!text_u64(low, &from) || !text_u64(dash + 1, &to)) {
			*why = "is not a number or a range such as 0-7";
			return -EINVAL;
		}
	}
	if (from > to) {
		*why = "is a range that ends before it begins";
		return -EINVAL;
	}
	if (to >= span) {
		*why = span == 64 ? "is out of range: 0 to 63" : "is out of range: 0 to 7";
		return -EINVAL;
	}
	*first = (unsigned)from;
	*last = (unsigned)to;
	return 0;
}

/* --- printing --------------------------------------------------------------- */

static void print_share(uint8_t share, struct text *out)
{
	if (share <= 100)
		text_printf(out, "%u%%", share);
	else
		text_add(out, share <= SHARE_VENDOR ? share_words[share - SHARE_STRICT] : "unknown");
}

static void print_map(const struct field *f, const uint8_t *map, struct text *out)
{
	unsigned span = value_span(f);
	bool any = false;

	for (unsigned i = 0, to; i < span; i = to + 1) {
		for (to = i; to + 1 < span && map[to + 1] == map[i]; to++)
			;
		if (map[i] == VALUE_UNSET)
			continue;
		text_printf(out, any ? " %u" : "%u", i);
		if (to > i)
			text_printf(out, "-%u", to);
		text_char(out, ':');
		if (f->kind == KIND_SHARES)
			print_share(map[i], out);
		else
			text_uint(out, map[i]);
		any = true;
	}
	if (!any)
		text_add(out, "none");
}

static void print_amounts(const struct field *f, const int64_t *amount, struct text *out)
{
	bool any = false;

	for (unsigned i = 0, to; i < AMOUNTS; i = to + 1) {
		for (to = i; to + 1 < AMOUNTS && amount[to + 1] == amount[i]; to++)
			;
		if (amount[i] == AMOUNT_UNSET)
			continue;
		text_printf(out, to > i ? "%s%u-%u:" : "%s%u:", any ? " " : "", i, to);
		units_print(amount[i], f->unit, out);
		any = true;
	}
	if (!any)
		text_add(out, "none");
}

static void print_set(uint64_t set, struct text *out)
{
	bool any = false;

	for (unsigned i = 0; i < 64; i++)
		if (set >> i & 1) {
			text_printf(out, any ? ",%u" : "%u", i);
			any = true;
		}
	if (!any)
		text_add(out, "none");
}

void value_print(const struct field *f, const struct value *v, struct text *out)
{
	if (f->print) {
		f->print(f, v, out);
		return;
	}
	switch (f->kind) {
	case KIND_BOOL:
		text_add(out, v->num ? "true" : "false");
		break;
	case KIND_UINT:
		units_print(v->num, f->unit, out);
		break;
	case KIND_WORD:
		text_add(out, f->words[v->num]);
		break;
	case KIND_TEXT:
		text_add_safe(out, v->text, strlen(v->text));
		break;
	case KIND_SET:
		print_set((uint64_t)v->num, out);
		break;
	case KIND_MAP:
	case KIND_SHARES:
		print_map(f, v->map, out);
		break;
	case KIND_AMOUNTS:
		print_amounts(f, v->amount, out);
		break;
	case KIND_TEXTS:
		for (size_t i = 0; v->texts[i]; i++) {
			text_add(out, i ? ", " : "");
			text_add_safe(out, v->texts[i], strlen(v->texts[i]));
		}
		break;
	}
}

static void json_map(const struct field *f, const uint8_t *map, struct json *j, const char *key)
{
	static const char digits[] = "0123456789";

	json_object_open(j, key);
	for (unsigned i = 0; i < value_span(f); i++) {
		char name[3] = { digits[i / 10], digits[i % 10], 0 };
		const char *k = i < 10 ? name + 1 : name;

		if (map[i] == VALUE_UNSET)
			continue;
		if (f->kind == KIND_SHARES) {
			TEXT_CLEANUP struct text t = { 0 };

			print_share(map[i], &t);
			json_string(j, k, text_str(&t));
		} else {
			json_int(j, k, map[i]);
		}
	}
	json_object_close(j);
}

static void json_amounts(const struct field *f, const int64_t *amount, struct json *j, const char *key)
{
	json_object_open(j, key);
	for (unsigned i = 0; i < AMOUNTS; i++) {
		const char name[2] = { (char)('0' + i), 0 };
		TEXT_CLEANUP struct text t = { 0 };

		if (amount[i] == AMOUNT_UNSET)
			continue;
		units_print(amount[i], f->unit, &t);
		if (units_suffixed(f->unit))
			json_string(j, name, text_str(&t));
		else
			json_int(j, name, amount[i]);
	}
	json_object_close(j);
}

void value_json(const struct field *f, const struct value *v, struct json *j, const char *key)
{
	TEXT_CLEANUP struct text t = { 0 };
	uint64_t plain;

	switch (f->kind) {
	case KIND_BOOL:
		json_boolean(j, key, v->num);
		return;
	case KIND_UINT:
		if (f->print || units_suffixed(f->unit))
			break;
		json_int(j, key, v->num);
		return;
	case KIND_TEXT:
		if (f->print)
			break;
		json_string(j, key, v->text);
		return;
	case KIND_SET:
		json_array_open(j, key);
		for (unsigned i = 0; i < 64; i++)
			if ((uint64_t)v->num >> i & 1)
				json_int(j, NULL, i);
		json_array_close(j);
		return;
	case KIND_MAP:
	case KIND_SHARES:
		json_map(f, v->map, j, key);
		return;
	case KIND_AMOUNTS:
		json_amounts(f, v->amount, j, key);
		return;
	case KIND_TEXTS:
		json_array_open(j, key);
		for (size_t i = 0; v->texts[i]; i++)
			json_string(j, NULL, v->texts[i]);
		json_array_close(j);
		return;
	case KIND_WORD:
		break;
	}
	value_print(f, v, &t);
	if (f->kind == KIND_UINT && text_u64(text_str(&t), &plain))	/* what a field's own print leaves a number */
		json_int(j, key, (int64_t)plain);
	else
		json_string(j, key, text_str(&t));
}

/* --- comparing -------------------------------------------------------------- */

static bool same_map(const struct field *f, const uint8_t *want, const uint8_t *have)
{
	bool empty = true;

	for (unsigned i = 0; i < value_span(f); i++) {
		if (want[i] == VALUE_UNSET)
			continue;
		empty = false;
		if (want[i] != have[i])
			return false;
	}
	if (!empty)
		return true;
	for (unsigned i = 0; i < value_span(f); i++)	/* an empty map is a value: no entries at all */
		if (have[i] != VALUE_UNSET)
			return false;
	return true;
}

static bool same_amounts(const int64_t *want, const int64_t *have)
{
	for (unsigned i = 0; i < AMOUNTS; i++)
		if (want[i] != AMOUNT_UNSET && want[i] != have[i])
			return false;
	return true;
}

static bool same_texts(const char *const *a, const char *const *b)
{
	for (; *a && *b; a++, b++)
		if (strcmp(*a, *b) != 0)
			return false;
	return !*a && !*b;
}

bool value_same(const struct field *f, const struct value *want, const struct value *have, const struct record *observed)
{
	if (f->same)
		return f->same(f, want, have, observed);
	switch (f->kind) {
	case KIND_BOOL:
	case KIND_UINT:
	case KIND_WORD:
	case KIND_SET:
		return want->num == have->num;
	case KIND_TEXT:
		return !strcmp(want->text, have->text);
	case KIND_MAP:
	case KIND_SHARES:
		return same_map(f, want->map, have->map);
	case KIND_AMOUNTS:
		return same_amounts(want->amount, have->amount);
	case KIND_TEXTS:
		return same_texts(want->texts, have->texts);
	}
	return false;
}
