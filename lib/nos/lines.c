/* SPDX-License-Identifier: Apache-2.0 */
/* Words of commands, lists of numbers, ranges of ports. */
#include "nos/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

enum { SHORTEST = 3 };

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
	if (args)
		args->n = 0;
	while (*pattern) {
		size_t want = word_of(pattern), n = word_of(line);
		bool may = *pattern == '[';

		if (!strncmp(pattern, "...", 3)) {
			keep(args, line, strlen(line));
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

/* Names of RFC 2474, 2597 and 3246. */
static bool dscp_name(const char *s, size_t n, unsigned *dscp)
{
	if (n == 2 && (!strncasecmp(s, "ef", 2) || !strncasecmp(s, "be", 2))) {
		*dscp = tolower((unsigned char)*s) == 'e' ? 46 : 0;
		return true;
	}
	if (n == 3 && !strncasecmp(s, "cs", 2) && s[2] >= '0' && s[2] <= '7') {
		*dscp = (unsigned)(s[2] - '0') * 8;
		return true;
	}
	if (n == 4 && !strncasecmp(s, "af", 2) && s[2] >= '1' && s[2] <= '4' && s[3] >= '1' && s[3] <= '3') {
		*dscp = (unsigned)(s[2] - '0') * 8 + (unsigned)(s[3] - '0') * 2;
		return true;
	}
	return false;
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
		if (dscp_name(item, n, &one))
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

static size_t letters(const char *s)
{
	size_t n = 0;

	while (isalpha((unsigned char)s[n]))
		n++;
	return n;
}

bool port_same(const char *pattern, const char *port)
{
	size_t n = letters(pattern), whole = letters(port);
	const char *star = strchr(pattern, '*');

	if (star)
		return !strncmp(pattern, port, (size_t)(star - pattern)) && strlen(star + 1) <= strlen(port) - (size_t)(star - pattern) &&
		       !strcmp(star + 1, port + strlen(port) - strlen(star + 1));
	if (!strcmp(pattern, port))
		return true;
	return n >= 2 && n <= whole && !strncasecmp(pattern, port, n) && !strcmp(pattern + n + strspn(pattern + n, " "), port + whole);
}
