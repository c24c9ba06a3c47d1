/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of udev, taken apart. A rule is a line of KEY{attribute} OP "value", commas and blanks between; a backslash at the
 * end joins lines, comments among them are skipped. One mistake and udev passes over the whole line, so a mistake here is
 * one as well. Held against `udevadm test` on random files.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/udev_parts.h"

enum { LINE_MAX_BYTES = 16384, RULES_MAX = 4096 };	/* the first is udev's own */

#define BLANKS " \t\n\r"

enum takes { MATCHES = 1, ASSIGNS = 2, REMOVES = 4, ALWAYS_MATCHES = 8, ASSIGNS_ONCE = 16 };
enum attr { ATTR_NONE, ATTR_MAY, ATTR_MUST };

static const struct key {
	const char *name;
	enum udev_key key;
	enum attr attr;
	unsigned takes;
} keys[] = {
	{ "ACTION", UDEV_ACTION, ATTR_NONE, MATCHES },
	{ "KERNEL", UDEV_KERNEL, ATTR_NONE, MATCHES },
	{ "SUBSYSTEM", UDEV_SUBSYSTEM, ATTR_NONE, MATCHES },
	{ "DRIVER", UDEV_DRIVER, ATTR_NONE, MATCHES },
	{ "ENV", UDEV_ENV, ATTR_MUST, MATCHES | ASSIGNS },
	{ "ATTR", UDEV_ATTR, ATTR_MUST, MATCHES | ASSIGNS },
	{ "SYSCTL", UDEV_SYSCTL, ATTR_MUST, MATCHES | ASSIGNS },
	{ "KERNELS", UDEV_KERNELS, ATTR_NONE, MATCHES },
	{ "SUBSYSTEMS", UDEV_SUBSYSTEMS, ATTR_NONE, MATCHES },
	{ "DRIVERS", UDEV_DRIVERS, ATTR_NONE, MATCHES },
	{ "ATTRS", UDEV_ATTRS, ATTR_MUST, MATCHES },
	{ "TAGS", UDEV_TAGS, ATTR_NONE, MATCHES },
	{ "RUN", UDEV_RUN, ATTR_MAY, ASSIGNS },
	{ "PROGRAM", UDEV_PROGRAM, ATTR_NONE, ALWAYS_MATCHES },
	{ "GOTO", UDEV_GOTO, ATTR_NONE, ASSIGNS_ONCE },
	{ "LABEL", UDEV_LABEL, ATTR_NONE, ASSIGNS_ONCE },
	{ "DEVPATH", UDEV_OTHER, ATTR_NONE, MATCHES },
	{ "SYMLINK", UDEV_OTHER, ATTR_NONE, MATCHES | ASSIGNS | REMOVES },
	{ "NAME", UDEV_OTHER, ATTR_NONE, MATCHES | ASSIGNS },
	{ "CONST", UDEV_OTHER, ATTR_MUST, MATCHES },
	{ "TAG", UDEV_OTHER, ATTR_NONE, MATCHES | ASSIGNS | REMOVES },
	{ "TEST", UDEV_OTHER, ATTR_MAY, MATCHES },
	{ "IMPORT", UDEV_OTHER, ATTR_MUST, ALWAYS_MATCHES },
	{ "RESULT", UDEV_OTHER, ATTR_NONE, MATCHES },
	{ "OPTIONS", UDEV_OTHER, ATTR_NONE, ASSIGNS },
	{ "OWNER", UDEV_OTHER, ATTR_NONE, ASSIGNS },
	{ "GROUP", UDEV_OTHER, ATTR_NONE, ASSIGNS },
	{ "MODE", UDEV_OTHER, ATTR_NONE, ASSIGNS },
	{ "SECLABEL", UDEV_OTHER, ATTR_MUST, ASSIGNS },
};

static const struct key *key_of(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].name) == n && !memcmp(keys[i].name, s, n))
			return &keys[i];
	return NULL;
}

/* --- one KEY{attribute} OP "value" ----------------------------------------------- */

/* The operator at *s, which moves behind it; 0: none. '=' assigns, 'm' is ==, else its first character. */
static char operator(const char **s)
{
	if ((*s)[0] && strchr("=!+-:", (*s)[0]) && (*s)[1] == '=') {
		*s += 2;
		return (*s)[-2] == '=' ? 'm' : (*s)[-2];
	}
	if (**s != '=')
		return 0;
	++*s;
	return '=';
}

static bool may(const struct key *key, char op, bool has_attr)
{
	if ((key->attr == ATTR_NONE && has_attr) || (key->attr == ATTR_MUST && !has_attr))
		return false;
	if (key->takes & ASSIGNS_ONCE)
		return op == '=';
	if (key->takes & ALWAYS_MATCHES)
		return op != '-';
	if (op == 'm' || op == '!')
		return key->takes & MATCHES;
	return key->takes & ASSIGNS && (op != '-' || key->takes & REMOVES);
}

/* From the quote on; *s moves behind the closing one. In quotes \" is ", any other backslash is itself. */
static const char *quoted(struct arena *a, const char **s)
{
	TEXT_CLEANUP struct text t = { 0 };

	if (**s != '"')
		return NULL;
	for (++*s; **s != '"'; ++*s) {
		if (!**s)
			return NULL;
		if ((*s)[0] == '\\' && (*s)[1] == '"')
			++*s;
		text_char(&t, **s);
	}
	++*s;
	return arena_strndup(a, text_str(&t), t.n);
}

/* Return: 1, 0 at the end, -1: not of that form. */
static int parse_token(struct arena *a, const char **line, struct udev_token *out)
{
	const char *s = *line + strspn(*line, BLANKS ","), *end = s, *value;
	const struct key *key;
	bool has_attr, escaped = false;
	char op;

	if (!*s)
		return 0;
	while (*end && !strchr(BLANKS "={", *end) && !(strchr("+-!:", *end) && end[1] == '='))
		end++;
	key = key_of(s, (size_t)(end - s));
	*out = (struct udev_token){ .attr = "" };
	has_attr = *end == '{';
	if (has_attr) {
		const char *close = strchr(end, '}');

		if (!close)
			return -1;
		out->attr = arena_strndup(a, end + 1, (size_t)(close - end - 1));
		end = close + 1;
	}
	end += strspn(end, BLANKS);
	op = operator(&end);
	if (!key || !op || !may(key, op, has_attr))
		return -1;
	for (end += strspn(end, BLANKS); *end == 'e' || *end == 'i'; end++) {
		escaped |= *end == 'e';
		out->fold |= *end == 'i';
	}
	value = quoted(a, &end);
	if (!value)
		return -1;
	out->key = key->key;
	out->name = key->name;
	out->value = value;
	out->match = op == 'm' || op == '!' || key->takes & ALWAYS_MATCHES;
	out->invert = op == '!';
	out->escaped = escaped && strchr(value, '\\');
	*line = end;
	return 1;
}

/* --- lines ------------------------------------------------------------------------- */

static void add_rule(struct arena *a, const char *line, const struct pos *pos, struct udev_file *out)
{
	struct udev_rule rule = { .pos = *pos };
	struct udev_token t;
	int r;

	while ((r = parse_token(a, &line, &t)) > 0) {
		if (t.key == UDEV_LABEL)
			rule.label = t.value;
		else if (t.key == UDEV_GOTO)
			rule.go = rule.go ? rule.go : t.value;
		else
			list_add(&rule, a) = t;
	}
	if (r == 0 && (rule.n || rule.label || rule.go))
		list_add(out, a) = rule;
}

/* Does a backslash end the line? confd_line() took blanks off the end, and before those it joins nothing. */
static bool goes_on(const struct confd_line *l)
{
	const char *end = l->s + l->n;
	size_t left = (size_t)(l->source->text + l->source->len - end);

	if (!l->n || end[-1] != '\\')
		return false;
	return !left || *end == '\n' || (left > 1 && end[0] == '\r' && end[1] == '\n');
}

bool udev_keep(const char *s, size_t n)
{
	static const char *const words[] = { "\n", "mtu", "parameters/", "SYSCTL", "RUN", "PROGRAM", "GOTO", "LABEL" };

	if (memchr(s, 0, n))
		return true;		/* no rule of such a file counts */
	for (; n && strchr(BLANKS, *s); s++)
		n--;
	if (n && *s == '#')
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)	/* the first: joined, maybe within a word */
		if (memmem(s, n, words[i], strlen(words[i])))
			return true;
	return false;
}

void udev_parse(struct arena *a, const struct source *s, struct udev_file *out)
{
	TEXT_CLEANUP struct text joined = { 0 };
	struct confd_line l = { .source = s };
	struct pos pos = { 0 };
	bool open = false;

	*out = (struct udev_file){ .cut = memchr(s->text, 0, s->len) != NULL };
	while (!out->cut && confd_line(&l)) {
		if (l.n && *l.s == '#')		/* also between joined lines */
			continue;
		if (!open)
			pos = confd_pos(&l, l.s, l.n);
		open = goes_on(&l);
		text_addn(&joined, l.s, l.n - open);
		if (open)
			continue;
		if (joined.n < LINE_MAX_BYTES)
			add_rule(a, text_str(&joined), &pos, out);
		text_reset(&joined);
		out->cut = out->n >= RULES_MAX;
	}
}
