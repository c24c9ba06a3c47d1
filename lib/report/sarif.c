/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SARIF 2.1.0 (OASIS), so that a merge request shows each finding at its line. The standard wants columns in UTF-16
 * code units, ends behind the last character, URIs relative to the checkout where that is possible, and an empty list
 * of suppressions where it is known that nothing is suppressed.
 */
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "report/findings.h"
#include "report/words.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* Starts of the lines of one source: findings do not come in the order of lines. */
struct lines {
	const struct source *source;
	size_t *at, n, room;
};

struct sarif {
	struct json j;
	const struct findings *f;
	struct arena *a;
	struct lines lines;
};

static const char *level(enum severity s)
{
	return severity_name(s);	/* the standard's words are the same: note, warning, error */
}

static void message(struct json *j, const char *key, const char *text)
{
	json_object_open(j, key);
	json_string(j, "text", text);
	json_object_close(j);
}

/* --- rules -------------------------------------------------------------------- */

/* What is wrong with the language itself has no rule of lint, but results are read by their rule. */
static const struct rule language = {
	.name = "policy-language",
	.severity = SEVERITY_ERROR,
	.reason = "The policy is refused before any rule can judge it.",
	.source = "the language of policies",
	.fix = "see the message; `rdmactl explain KEY` knows each key",
	.needs = "a policy",
};

static void descriptor(struct json *j, const struct rule *r)
{
	json_object_open(j, NULL);
	json_string(j, "id", r->name);
	message(j, "shortDescription", r->reason);
	message(j, "fullDescription", r->source);
	message(j, "help", r->fix ? r->fix : r->reason);
	json_object_open(j, "defaultConfiguration");
	json_string(j, "level", level(r->severity));
	json_object_close(j);
	json_object_close(j);
}

static void driver(struct sarif *s)
{
	struct json *j = &s->j;

	json_object_open(j, "tool");
	json_object_open(j, "driver");
	json_string(j, "name", "rdmactl");
	json_string(j, "version", VERSION);
	json_array_open(j, "rules");
	descriptor(j, &language);
	for (size_t i = 0; i < s->f->nrules; i++)
		descriptor(j, s->f->rule[i]);
	json_array_close(j);
	json_object_close(j);
	json_object_close(j);
}

/* Place among the driver's rules. */
static size_t index_of(const struct findings *f, const char *name)
{
	for (size_t i = 0; name && i < f->nrules; i++)
		if (!strcmp(f->rule[i]->name, name))
			return i + 1;
	return 0;
}

/* --- places ------------------------------------------------------------------- */

static bool unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~/", c));
}

static void artifact(struct sarif *s, const char *name)
{
	TEXT_CLEANUP struct text uri = { 0 };
	size_t n = strlen(s->f->folder);
	bool below = *name == '/' && !strncmp(name, s->f->folder, n) && name[n] == '/';
	bool relative = *name != '/' || below;

	if (!relative)
		text_add(&uri, "file://");
	for (const char *c = below ? name + n + 1 : name; *c; c++) {
		if (unreserved(*c))
			text_char(&uri, *c);
		else
			text_printf(&uri, "%%%02X", (unsigned char)*c);
	}
	json_object_open(&s->j, "artifactLocation");
	json_string(&s->j, "uri", text_str(&uri));
	if (relative)
		json_string(&s->j, "uriBaseId", "%SRCROOT%");
	json_object_close(&s->j);
}

static void index_lines(struct sarif *s, const struct source *source)
{
	struct lines *l = &s->lines;

	if (l->source == source)
		return;
	*l = (struct lines){ .source = source };
	list_add(l, s->a) = 0;
	for (const char *c = source->text, *end = c + source->len; (c = memchr(c, '\n', (size_t)(end - c))) != NULL;
	     c++)
		list_add(l, s->a) = (size_t)(c + 1 - source->text);
}

/* Column in UTF-16 units, from 1, of the character before which @characters stand in the line. */
static size_t utf16_column(const char *line, size_t n, size_t characters)
{
	size_t units = 1;
	uint32_t cp;

	for (size_t i = 0, len; i < n && characters; i += len, characters--) {
		len = text_utf8(line + i, n - i, &cp);
		units += len && cp > 0xffff ? 2 : 1;
		len = len ? len : 1;
	}
	return units + characters;
}

static void columns(struct sarif *s, const struct pos *pos)
{
	const char *line = "";
	size_t n = 0;

	if (pos->source->text) {
		index_lines(s, pos->source);
		if (pos->line <= s->lines.n) {
			line = pos->source->text + s->lines.at[pos->line - 1];
			n = (pos->line < s->lines.n ? s->lines.at[pos->line] - 1 : pos->source->len) -
			    s->lines.at[pos->line - 1];
		}
	}
	json_int(&s->j, "startColumn", (int64_t)utf16_column(line, n, pos->col - 1));
	if (pos->len)
		json_int(&s->j, "endColumn", (int64_t)utf16_column(line, n, (size_t)pos->col - 1 + pos->len));
}

static void physical(struct sarif *s, const struct pos *pos)
{
	json_object_open(&s->j, "physicalLocation");
	artifact(s, pos->source->name);
	if (pos->line) {
		json_object_open(&s->j, "region");
		json_int(&s->j, "startLine", pos->line);
		if (pos->col)
			columns(s, pos);
		json_object_close(&s->j);
	}
	json_object_close(&s->j);
}

static void locations(struct sarif *s, const char *key, const struct pos *pos, const char *what)
{
	if (!pos->source)
		return;
	json_array_open(&s->j, key);
	json_object_open(&s->j, NULL);
	physical(s, pos);
	if (what)
		message(&s->j, "message", what);
	json_object_close(&s->j);
	json_array_close(&s->j);
}

/* --- results ------------------------------------------------------------------ */

static const char *words(struct sarif *s, const struct diag *d)
{
	TEXT_CLEANUP struct text t = { 0 };

	text_printf(&t, "%s%s%s", d->object ? d->object : "", d->object ? ": " : "", d->what);
	words_errno(d, &t);
	if (d->hint)
		text_printf(&t, "\n%s", d->hint);
	return arena_strdup(s->a, text_str(&t));
}

static void suppressions(struct json *j, const char *because)
{
	json_array_open(j, "suppressions");
	if (because) {
		json_object_open(j, NULL);
		json_string(j, "kind", "inSource");
		json_string(j, "justification", because);
		json_object_close(j);
	}
	json_array_close(j);
}

static void result(struct sarif *s, const struct diag *d)
{
	size_t index = index_of(s->f, d->rule);
	const struct rule *rule = index ? s->f->rule[index - 1] : &language;
	const struct pos use = diag_use(&d->pos);
	struct json *j = &s->j;

	json_object_open(j, NULL);
	json_string(j, "ruleId", rule->name);
	json_int(j, "ruleIndex", (int64_t)index);
	json_string(j, "level", level(d->allowed ? rule->severity : d->severity));
	message(j, "message", words(s, d));
	locations(s, "locations", &d->pos, NULL);
	if (d->other.source || !use.source)
		locations(s, "relatedLocations", &d->other, d->other_what ? d->other_what : "see here");
	else
		locations(s, "relatedLocations", &use, "used here");
	suppressions(j, d->allowed);
	json_object_close(j);
}

static void invocation(struct sarif *s)
{
	json_array_open(&s->j, "invocations");
	json_object_open(&s->j, NULL);
	json_boolean(&s->j, "executionSuccessful", true);
	json_int(&s->j, "exitCode", s->f->exit_code);
	json_object_close(&s->j);
	json_array_close(&s->j);
}

void findings_sarif(const struct findings *f, struct text *out)
{
	struct sarif s = { .f = f, .a = arena_new() };

	json_init(&s.j, out, true);
	json_object_open(&s.j, NULL);
	json_string(&s.j, "$schema", SCHEMA);
	json_string(&s.j, "version", "2.1.0");
	json_array_open(&s.j, "runs");
	json_object_open(&s.j, NULL);
	driver(&s);
	json_string(&s.j, "columnKind", "utf16CodeUnits");
	invocation(&s);
	json_array_open(&s.j, "results");
	for (size_t i = 0; i < f->diags->n; i++)
		result(&s, &f->diags->at[i]);
	json_array_close(&s.j);
	json_object_close(&s.j);
	json_array_close(&s.j);
	json_object_close(&s.j);
	text_char(out, '\n');
	arena_free(s.a);
}
