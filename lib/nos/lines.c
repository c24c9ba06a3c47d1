/* SPDX-License-Identifier: Apache-2.0 */
/* Words of commands, lists of numbers, ranges of ports. */
#include "nos/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "model/dscp.h"

enum { SHORTEST = 3, LISTS_LONG = 1024 };

static size_t word_of(const char *s)
{
	return strcspn(s, " ");
}

static const char *behind(const char *s)
{
	s += word_of(s);
	return s + (*s == ' ');
}

static bool abbreviates(const char *s, size_t n, const char *word, size_t whole)
{
	return n <= whole && (n == whole || n >= SHORTEST) && !strncasecmp(s, word, n);
}

static void keep(struct line_args *args, const char *s, size_t n)
{
	if (args && args->n < LINE_ARGS)
		snprintf(args->at[args->n++], LINE_ARG, "%.*s", (int)n, s);
}

bool line_match(const char *line, const char *pattern, struct line_args *args)
{
	if (args) {
		args->n = 0;
		args->rest = "";
	}
	while (*pattern) {
		size_t want = word_of(pattern), n = word_of(line);
		bool may = *pattern == '[';

		if (!strncmp(pattern, "...", 3)) {
			keep(args, line, strlen(line));
			if (args)
				args->rest = line;
			return true;
		}
		if (may && !(n && abbreviates(line, n, pattern + 1, want - 2))) {
			pattern = behind(pattern);
			continue;
		}
		if (!n)
			return false;
		if (*pattern == '%')
			keep(args, line, n);
		else if (!may && !abbreviates(line, n, pattern, want))
			return false;
		line = behind(line);
		pattern = behind(pattern);
	}
	return !*line;
}

static bool agree(const char *s, size_t n, const char *word, size_t m)
{
	return *word == '%' || !strncasecmp(s, word, n < m ? n : m);
}

bool line_touches(const char *rest, const char *pattern)
{
	while (*rest && *pattern) {
		size_t n = word_of(rest), m = word_of(pattern);

		if (!strncmp(pattern, "...", 3))
			return true;
		if (*pattern == '[' && !agree(rest, n, pattern + 1, m - 2)) {
			pattern = behind(pattern);
			continue;
		}
		if (*pattern != '[' && !agree(rest, n, pattern, m))
			return false;
		rest = behind(rest);
		pattern = behind(pattern);
	}
	return true;
}

bool line_number(const char *s, uint64_t max, uint64_t *n)
{
	return text_u64(s, n) && *n <= max;
}

bool line_set(const char *s, unsigned max, uint64_t *mask)
{
	uint64_t all = 0;

	while (*s) {
		unsigned long first = 0, last;

		if (!isdigit((unsigned char)*s))
			return false;
		for (; isdigit((unsigned char)*s); s++)
			first = first > max ? first : first * 10 + (unsigned)(*s - '0');
		last = first;
		if (*s == '-' && isdigit((unsigned char)s[1]))
			for (last = 0, s++; isdigit((unsigned char)*s); s++)
				last = last > max ? last : last * 10 + (unsigned)(*s - '0');
		if (first > max || last > max || last < first)
			return false;
		for (; first <= last; first++)
			all |= UINT64_C(1) << first;
		if (*s && *s != ',' && *s != ' ')
			return false;
		while (*s == ',' || *s == ' ')
			s++;
	}
	*mask = all;
	return true;
}

bool line_dscps(const char *s, uint64_t *mask)
{
	uint64_t all = 0, some;
	char item[16];
	unsigned one;

	while (*s) {
		size_t n = strcspn(s, ", ");

		if (n >= sizeof(item))
			return false;
		snprintf(item, sizeof(item), "%.*s", (int)n, s);
		if (dscp_named(item, n, &one))
			all |= UINT64_C(1) << one;
		else if (line_set(item, 63, &some))
			all |= some;
		else
			return false;
		s += n;
		s += strspn(s, ", ");
	}
	*mask = all;
	return true;
}

bool line_seconds(const char *s, int64_t *ms)
{
	int64_t v = 0;
	unsigned places = 0;
	bool point = false;

	if (!*s || strlen(s) > 9)
		return false;
	for (; *s; s++) {
		if (*s == '.' && !point) {
			point = true;
			continue;
		}
		if (!isdigit((unsigned char)*s) || (point && ++places > 3))
			return false;
		v = v * 10 + (*s - '0');
	}
	for (; places < 3; places++)
		v *= 10;
	*ms = v;
	return true;
}

/* --- ports -------------------------------------------------------------------------- */

/* "swp1-32": the number before the dash, and the one behind it, which may repeat what stands before the number. */
static bool range_of(const char *item, size_t n, size_t *prefix, unsigned long *first, unsigned long *last)
{
	size_t dash = n, end;

	while (dash && item[dash - 1] != '-')
		dash--;
	if (dash < 2 || !isdigit((unsigned char)item[dash - 2]))
		return false;
	for (*prefix = dash - 1; *prefix && isdigit((unsigned char)item[*prefix - 1]); (*prefix)--)
		;
	end = dash;
	if (n - end > *prefix && !strncasecmp(item + end, item, *prefix))
		end += *prefix;
	if (end == n || n - end > 6 || dash - 1 - *prefix > 6)
		return false;
	*first = *last = 0;
	for (size_t i = *prefix; i < dash - 1; i++)
		*first = *first * 10 + (unsigned)(item[i] - '0');
	for (size_t i = end; i < n; i++) {
		if (!isdigit((unsigned char)item[i]))
			return false;
		*last = *last * 10 + (unsigned)(item[i] - '0');
	}
	return *last >= *first;
}

static void each_of(const char *item, size_t n, unsigned *left, bool (*visit)(const char *port, void *arg), void *arg)
{
	char name[LINE_ARG];
	unsigned long first, last;
	size_t prefix;

	if (!n || n > LINE_ARG - 16 || !*left)
		return;
	if (!range_of(item, n, &prefix, &first, &last)) {
		snprintf(name, sizeof(name), "%.*s", (int)n, item);
		*left = visit(name, arg) ? *left - 1 : 0;
		return;
	}
	for (; first <= last && *left; first++) {
		snprintf(name, sizeof(name), "%.*s%lu", (int)prefix, item, first);
		*left = visit(name, arg) ? *left - 1 : 0;
	}
}

void ports_each(const char *list, bool (*visit)(const char *port, void *arg), void *arg)
{
	unsigned left = PORTS_MOST;

	while (*list && left) {
		size_t n;

		list += strspn(list, ", ");
		n = strcspn(list, ", ");
		each_of(list, n, &left, visit, arg);
		list += n;
	}
}

/* --- lists that cover lists ---------------------------------------------------------- */

struct span {
	const char *prefix;
	size_t n;
	unsigned long first, last;
	bool numbers;			/* else a name, whole */
};

/* The next item of a list of numbers or ports. */
static bool next_span(const char **list, struct span *s)
{
	const char *item = *list + strspn(*list, ", ");
	size_t n = strcspn(item, ", "), digits = 0;

	if (!n)
		return false;
	*list = item + n;
	*s = (struct span){ item, n, 0, 0, false };
	while (digits < n && isdigit((unsigned char)item[n - 1 - digits]))
		digits++;
	if (range_of(item, n, &s->n, &s->first, &s->last)) {
		s->numbers = true;
	} else if (digits && digits <= 6) {
		s->numbers = true;
		s->n = n - digits;
		for (size_t i = s->n; i < n; i++)
			s->first = s->first * 10 + (unsigned)(item[i] - '0');
		s->last = s->first;
	}
	return true;
}

static enum list_covers span_covers(const struct span *a, const struct span *of)
{
	if (a->n != of->n || a->numbers != of->numbers || strncmp(a->prefix, of->prefix, a->n) != 0)
		return COVERS_NONE;
	if (!a->numbers || (a->first <= of->first && of->last <= a->last))
		return COVERS_ALL;
	return a->last < of->first || of->last < a->first ? COVERS_NONE : COVERS_SOME;
}

enum list_covers list_covers(const char *list, const char *of)
{
	size_t items = 0, covered = 0, some = 0;
	struct span x, y;

	if (strlen(list) > LISTS_LONG || strlen(of) > LISTS_LONG)
		return COVERS_SOME;	/* nobody writes such a list: let it be told, and not be counted */
	while (next_span(&of, &x)) {
		const char *at = list;
		enum list_covers most = COVERS_NONE;

		while (most != COVERS_ALL && next_span(&at, &y)) {
			enum list_covers c = span_covers(&y, &x);

			most = c > most ? c : most;
		}
		items++;
		covered += most == COVERS_ALL;
		some += most == COVERS_SOME;
	}
	return covered == items ? COVERS_ALL : covered || some ? COVERS_SOME : COVERS_NONE;
}

/* --- ports with types -------------------------------------------------------------------- */

static size_t type_letters(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (isalpha((unsigned char)s[i]) || s[i] == '-'))
		i++;
	return i;
}

int port_name(const char *const *types, const char *s, size_t n, char name[LINE_ARG])
{
	size_t letters = type_letters(s, n), to = 0, i = letters;
	int type = 0;

	while (types[type] && (!letters || letters > strlen(types[type]) || strncasecmp(s, types[type], letters) != 0))
		type++;
	if (types[type])
		to = (size_t)snprintf(name, LINE_ARG, "%s", types[type]);
	else
		i = 0;
	for (; i < n && to < LINE_ARG - 1; i++)
		if (s[i] != ' ')
			name[to++] = s[i];
	name[to] = 0;
	return types[type] ? type : -1;
}

struct typed {
	const char *const *types;
	bool (*visit)(const char *port, void *arg);
	void *arg;
	char type[LINE_ARG];		/* that of the item before: "Et1/1-4,7/1" */
	unsigned left;
};

static bool visit_one(struct typed *x, const char *name)
{
	if (!x->left)
		return false;
	x->left--;
	return x->visit(name, x->arg);
}

/* The last number of "1/1/4": where it begins, and what it is. */
static bool last_number(const char *s, size_t n, size_t *begin, unsigned long *number)
{
	size_t i = n;

	while (i && isdigit((unsigned char)s[i - 1]))
		i--;
	if (i == n || n - i > 6)
		return false;
	*begin = i;
	*number = 0;
	for (; i < n; i++)
		*number = *number * 10 + (unsigned)(s[i] - '0');
	return true;
}

/* @name is "Ethernet1/1-4" or "ethernet1/1/1-1/1/4", its range behind @type letters. */
static bool visit_range(struct typed *x, const char *name, size_t type, size_t dash)
{
	const char *right = name + dash + 1;
	size_t left = 0, begin = 0, skip = type_letters(right, strlen(right));
	unsigned long first, last;
	char port[LINE_ARG];

	right += skip;
	if (!last_number(name, dash, &left, &first) || !last_number(right, strlen(right), &begin, &last) || last < first)
		return false;
	if (begin && (begin != left - type || strncmp(right, name + type, begin) != 0))
		return false;		/* from one module to another: how many ports one has is not said */
	for (; first <= last; first++) {
		snprintf(port, sizeof(port), "%.*s%lu", (int)left, name, first);
		if (!visit_one(x, port))
			return false;
	}
	return true;
}

static bool visit_item(struct typed *x, const char *item, size_t n)
{
	char name[LINE_ARG], whole[LINE_ARG * 2];
	size_t letters = type_letters(item, n), type;
	const char *dash;

	if (n > LINE_ARG / 2)
		return false;
	if (letters)
		snprintf(x->type, sizeof(x->type), "%.*s", (int)letters, item);
	snprintf(whole, sizeof(whole), "%s%.*s", letters ? "" : x->type, (int)n, item);
	port_name(x->types, whole, strlen(whole), name);
	type = type_letters(name, strlen(name));
	dash = strchr(name + type, '-');
	return dash ? visit_range(x, name, type, (size_t)(dash - name)) : visit_one(x, name);
}

bool ports_typed(const char *const *types, const char *list, bool (*visit)(const char *port, void *arg), void *arg)
{
	struct typed x = { types, visit, arg, "", PORTS_MOST };

	while (*list) {
		size_t n;

		list += strspn(list, ", ");
		n = strcspn(list, ",");
		while (n && list[n - 1] == ' ')
			n--;
		if (n && !visit_item(&x, list, n))
			return false;
		list += strcspn(list, ",");
	}
	return true;
}

/* --- patterns ------------------------------------------------------------------------------ */

bool port_matches(const char *pattern, const char *port)
{
	const char *star = NULL, *from = NULL;

	while (*port) {
		if (*pattern == '*') {
			star = ++pattern;
			from = port;
		} else if (*pattern == *port) {
			pattern++;
			port++;
		} else if (star) {	/* the last star takes one more */
			pattern = star;
			port = ++from;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}
