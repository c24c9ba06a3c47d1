/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of rdmactl, compared number by number; missing numbers are 0. */
#include "policy/requires.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { NUMBERS = 4, DIGITS = 6 };

/* The version at @s, up to a blank or the end; where it ends, or NULL. */
static const char *version_scan(const char *s, uint32_t v[NUMBERS])
{
	memset(v, 0, NUMBERS * sizeof(*v));
	for (unsigned i = 0; i < NUMBERS; i++, s++) {
		size_t n = strspn(s, "0123456789");

		if (!n || n > DIGITS)
			return NULL;
		for (; n; n--)
			v[i] = v[i] * 10 + (uint32_t)(*s++ - '0');
		if (!*s || *s == ' ' || *s == ',')
			return s;
		if (*s != '.')
			return NULL;
	}
	return NULL;
}

static int compare(const uint32_t *x, const uint32_t *y)
{
	for (unsigned i = 0; i < NUMBERS; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static const struct operator {
	const char *sign;
	bool less, equal, greater;
} operators[] = {
	{ ">=", false, true, true }, { "<=", true, true, false }, { ">", false, false, true },
	{ "<", true, false, false }, { "==", false, true, false }, { "=", false, true, false },
};

static const struct operator *operator_scan(const char *s)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strncmp(s, operators[i].sign, strlen(operators[i].sign)))
			return &operators[i];
	return NULL;
}

int requires_met(const char *text, const char *version, bool *met)
{
	uint32_t have[NUMBERS], want[NUMBERS];
	bool all = true;
	int order;

	if (!version_scan(version, have))
		return -EINVAL;
	text += strspn(text, " ,");
	do {
		const struct operator *op = operator_scan(text);

		if (!op)
			return -EINVAL;
		text += strlen(op->sign);
		text = version_scan(text + strspn(text, " "), want);
		if (!text)
			return -EINVAL;
		order = compare(have, want);
		all = all && (order < 0 ? op->less : order > 0 ? op->greater : op->equal);
		text += strspn(text, " ,");
	} while (*text);
	*met = all;
	return 0;
}
