/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cell can hold: kinds of value, and reasons why there is none. One comparison, one printer and one
 * JSON form for each kind serve every setting.
 */
#ifndef MODEL_VALUE_H
#define MODEL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct diags;
struct field;
struct json;
struct record;
struct text;

enum kind {
	KIND_BOOL,		/* num 0 or 1; "true", JSON true */
	KIND_UINT,		/* num, min..max, in field->unit */
	KIND_WORD,		/* num indexes field->words */
	KIND_TEXT,		/* text */
	KIND_SET,		/* num: bit mask of 0..max (max <= 63); "3,4", "none", JSON [3,4] */
	KIND_MAP,		/* map[field->span] of 0..max; VALUE_UNSET: no entry; "0-25,27-63:0 26:3", JSON {"26":3} */
	KIND_SHARES,		/* map[8] of TC shares: 0..100 percent or SHARE_*; "0:40% 3:60% 6:strict" */
	KIND_TEXTS,		/* texts: list of strings; JSON ["a","b"] */
	KIND_AMOUNTS,		/* amount[8] of min..max, in field->unit; "0:128KiB 1:96KiB", JSON {"0":131072} */
};

#define VALUE_UNSET 255		/* in a map: the policy is silent about this key, or the kernel has no entry */
enum { AMOUNTS = 8, AMOUNT_UNSET = -1 };	/* likewise, of an amount */
enum { SHARE_STRICT = 101, SHARE_CBS = 102, SHARE_VENDOR = 103, SHARE_UNKNOWN = 104 };

struct value {
	int64_t num;
	const char *text;
	const uint8_t *map;		/* value_span() entries */
	const char *const *texts;	/* NULL at the end */
	const int64_t *amount;		/* AMOUNTS entries */
};

/* Why there is no value; the later, the nearer to one. When no home has a field, the nearest reason is told. */
enum reason {
	REASON_NONE,
	REASON_DRIVER_LACKS,		/* unsupported: drift if asked for, unless optional */
	REASON_FIRMWARE_LACKS,
	REASON_NOT_RECORDED,		/* from here on: unknown, but for module-not-loaded and stale-initramfs */
	REASON_NOT_MOUNTED,
	REASON_STALE_INITRAMFS,		/* at boot: drift, mended by a command that rdmactl does not run */
	REASON_MODULE_NOT_LOADED,	/* drift; pending once boot is right */
	REASON_WRITE_ONLY,
	REASON_LOCKED_DOWN,
	REASON_NOT_PERMITTED,
	REASON_BUSY,
	REASON_VANISHED,
	REASON_LLDPCTL_MISSING,		/* from here on: what the switch says could not be heard … */
	REASON_LLDPD_NOT_RUNNING,
	REASON_LLDPD_TOO_OLD,
	REASON_LLDPD_OTHER_VERSION,
	REASON_LLDPD_HANGS,
	REASON_LLDPD_NOT_ON_PORT,
	REASON_NO_NEIGHBOR,
	REASON_NEIGHBOR_EXPIRED,
	REASON_NEIGHBOR_SHUTDOWN,
	REASON_TWO_NEIGHBORS,
	REASON_CEE_PEER,		/* … or is not understood */
	REASON_MALFORMED,
	REASON_NOT_ADVERTISED,		/* it does not say it: no fault of a wish that only follows from the fabric */
	REASON_UNREADABLE,		/* anything else: the answer could not be understood, EIO, … */
};

/** reason_name - "module-not-loaded"; "" for REASON_NONE */
const char *reason_name(enum reason r);
bool reason_is_unknown(enum reason r);	/* rows get status unknown */
bool reason_is_lack(enum reason r);	/* driver-lacks, firmware-lacks */
bool reason_is_by_hand(enum reason r);	/* what we write is right, and a command that we do not run must carry it on */
/** reason_of - for a door's negative errno, where nothing better is known */
enum reason reason_of(int err);

/**
 * value_parse - a scalar of a policy or of a kernel file in the field's own kind (not SET, MAP, SHARES, TEXTS, AMOUNTS of
 *	YAML collections: those are built by the policy's decoder from entries parsed with value_parse_entry)
 * @why: set on failure to a sentence without position ("is 5000000, but at most 65535 fits")
 * Return: 0 or -EINVAL.
 */
int value_parse(const struct field *f, const char *s, struct value *v, struct arena *a, const char **why);
/** value_parse_entry - one value inside a map or set: "3", "40%", "strict" */
int value_parse_entry(const struct field *f, const char *s, uint8_t *v, struct arena *a, const char **why);
/** value_parse_amount - one value of AMOUNTS: "128KiB" */
int value_parse_amount(const struct field *f, const char *s, int64_t *v, struct arena *a, const char **why);
/** value_parse_keys - keys of a map: "26", "0-63"; sets *first and *last */
int value_parse_keys(const struct field *f, const char *s, unsigned *first, unsigned *last, const char **why);

/** value_print - for people, in one line, safe for a terminal */
void value_print(const struct field *f, const struct value *v, struct text *out);
/** value_span - entries of the map or amounts of a field; 0: it has none */
unsigned value_span(const struct field *f);
/** value_json - the same value for programs */
void value_json(const struct field *f, const struct value *v, struct json *j, const char *key);
/**
 * value_same - does @have satisfy @want: field->same where given, else the kind's own rule
 * (MAP, SHARES, AMOUNTS: each entry that @want names)
 */
bool value_same(const struct field *f, const struct value *want, const struct value *have, const struct record *observed);

#endif
