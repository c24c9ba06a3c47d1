/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headroom of ASICs whose formula nobody published: what images of SONiC ship for them (sonic-buildimage, device/.../
 * pg_profile_lookup.ini, commit 086b03bd70f9). Values to compare with, not computed: they hold for the cables and speeds
 * listed, and for the MTUs that the image's maker had in mind.
 */
#include "fabric/headroom.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static const struct headroom_reference table[] = {
	{ "Tomahawk", 10000, 5, 1248, 2288, 35776 },
	{ "Tomahawk", 25000, 5, 1248, 2288, 53248 },
	{ "Tomahawk", 40000, 5, 1248, 2288, 66560 },
	{ "Tomahawk", 50000, 5, 1248, 2288, 90272 },
	{ "Tomahawk", 100000, 5, 1248, 2288, 165568 },
	{ "Tomahawk", 10000, 40, 1248, 2288, 37024 },
	{ "Tomahawk", 25000, 40, 1248, 2288, 53248 },
	{ "Tomahawk", 40000, 40, 1248, 2288, 71552 },
	{ "Tomahawk", 50000, 40, 1248, 2288, 96096 },
	{ "Tomahawk", 100000, 40, 1248, 2288, 177632 },
	{ "Tomahawk", 10000, 300, 1248, 2288, 46176 },
	{ "Tomahawk", 25000, 300, 1248, 2288, 79040 },
	{ "Tomahawk", 40000, 300, 1248, 2288, 108160 },
	{ "Tomahawk", 50000, 300, 1248, 2288, 141856 },
	{ "Tomahawk", 100000, 300, 1248, 2288, 268736 },
	{ "Tomahawk2", 100000, 5, 1248, 1248, 54080 },
	{ "Tomahawk2", 100000, 40, 1248, 1248, 59696 },
	{ "Tomahawk2", 100000, 300, 1248, 1248, 101088 },
	{ "Tomahawk2", 50000, 5, 1248, 1248, 54080 },
	{ "Tomahawk2", 50000, 40, 1248, 1248, 59696 },
	{ "Tomahawk2", 50000, 300, 1248, 1248, 101088 },
	{ "Tomahawk2", 40000, 5, 1248, 1248, 29536 },
	{ "Tomahawk2", 40000, 40, 1248, 1248, 31616 },
	{ "Tomahawk2", 40000, 300, 1248, 1248, 48256 },
	{ "Tomahawk3", 100000, 5, 2540, 2540, 68580 },
	{ "Tomahawk3", 100000, 40, 2540, 2540, 74422 },
	{ "Tomahawk3", 100000, 300, 2540, 2540, 117348 },
	{ "Tomahawk3", 100000, 1000, 2540, 2540, 233172 },
	{ "Tomahawk3", 100000, 2000, 2540, 2540, 398526 },
	{ "Tomahawk3", 400000, 5, 2540, 2540, 178562 },
	{ "Tomahawk3", 400000, 40, 2540, 2540, 201930 },
	{ "Tomahawk3", 400000, 300, 2540, 2540, 373888 },
	{ "Tomahawk3", 400000, 1000, 2540, 2540, 836676 },
	{ "Tomahawk3", 400000, 2000, 2540, 2540, 1498092 },
	{ "Tomahawk4", 10000, 5, 9144, 9144, 75438 },
	{ "Tomahawk4", 25000, 5, 9144, 9144, 75438 },
	{ "Tomahawk4", 40000, 5, 9144, 9144, 91694 },
	{ "Tomahawk4", 50000, 5, 9144, 9144, 91694 },
	{ "Tomahawk4", 100000, 5, 9144, 9144, 129032 },
	{ "Tomahawk4", 200000, 5, 9144, 9144, 214122 },
	{ "Tomahawk4", 400000, 5, 9144, 9144, 371348 },
	{ "Tomahawk4", 10000, 40, 9144, 9144, 78740 },
	{ "Tomahawk4", 25000, 40, 9144, 9144, 78740 },
	{ "Tomahawk4", 40000, 40, 9144, 9144, 98298 },
	{ "Tomahawk4", 50000, 40, 9144, 9144, 98298 },
	{ "Tomahawk4", 100000, 40, 9144, 9144, 142240 },
	{ "Tomahawk4", 200000, 40, 9144, 9144, 240792 },
	{ "Tomahawk4", 400000, 40, 9144, 9144, 424434 },
	{ "Tomahawk4", 10000, 300, 9144, 9144, 103378 },
	{ "Tomahawk4", 25000, 300, 9144, 9144, 103378 },
	{ "Tomahawk4", 40000, 300, 9144, 9144, 147574 },
	{ "Tomahawk4", 50000, 300, 9144, 9144, 147574 },
	{ "Tomahawk4", 100000, 300, 9144, 9144, 240538 },
	{ "Tomahawk4", 200000, 300, 9144, 9144, 437134 },
	{ "Tomahawk4", 400000, 300, 9144, 9144, 817372 },
	{ "Tomahawk5", 10000, 5, 1248, 2288, 35776 },
	{ "Tomahawk5", 25000, 5, 1248, 2288, 53248 },
	{ "Tomahawk5", 40000, 5, 1248, 2288, 66560 },
	{ "Tomahawk5", 50000, 5, 1248, 2288, 90272 },
	{ "Tomahawk5", 100000, 5, 1248, 2288, 165568 },
	{ "Tomahawk5", 400000, 5, 1248, 2288, 307848 },
	{ "Tomahawk5", 800000, 5, 1248, 2288, 572516 },
	{ "Tomahawk5", 10000, 40, 1248, 2288, 37024 },
	{ "Tomahawk5", 25000, 40, 1248, 2288, 53248 },
	{ "Tomahawk5", 40000, 40, 1248, 2288, 71552 },
	{ "Tomahawk5", 50000, 40, 1248, 2288, 96096 },
	{ "Tomahawk5", 100000, 40, 1248, 2288, 177632 },
	{ "Tomahawk5", 400000, 40, 1248, 2288, 330200 },
	{ "Tomahawk5", 800000, 40, 1248, 2288, 614172 },
	{ "Tomahawk5", 10000, 300, 1248, 2288, 46176 },
	{ "Tomahawk5", 25000, 300, 1248, 2288, 79040 },
	{ "Tomahawk5", 40000, 300, 1248, 2288, 108160 },
	{ "Tomahawk5", 50000, 300, 1248, 2288, 141856 },
	{ "Tomahawk5", 100000, 300, 1248, 2288, 268736 },
	{ "Tomahawk5", 400000, 300, 1248, 2288, 499618 },
	{ "Tomahawk5", 800000, 300, 1248, 2288, 929132 },
};

enum { ROWS = sizeof(table) / sizeof(table[0]) };

bool headroom_has_reference(const char *asic)
{
	for (size_t i = 0; i < ROWS; i++)
		if (!strcasecmp(table[i].asic, asic))
			return true;
	return false;
}

/* "spectrum 4" is Spectrum-4, before it is Spectrum with a letter more. */
static bool same_letters(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "- _");
		b += strspn(b, "- _");
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

const char *headroom_like(const char *name)
{
	const char *names[64] = { NULL };
	const struct headroom_asic *a;
	size_t n = 0;

	for (size_t i = 0; (a = headroom_asic_at(i)) != NULL && n < 63; i++)
		names[n++] = a->name;
	for (size_t i = 0; i < ROWS && n < 63; i++)
		if (!i || strcmp(table[i].asic, table[i - 1].asic) != 0)
			names[n++] = table[i].asic;
	for (size_t i = 0; i < n; i++)
		if (same_letters(names[i], name))
			return names[i];
	return text_nearest(name, names);
}

/* The shortest length that is listed and is long enough. */
const struct headroom_reference *headroom_reference(const char *asic, unsigned speed_mbps, unsigned cable_m)
{
	const struct headroom_reference *best = NULL;

	for (size_t i = 0; i < ROWS; i++) {
		const struct headroom_reference *r = &table[i];

		if (strcasecmp(r->asic, asic) != 0 || r->speed_mbps != speed_mbps || r->cable_m < cable_m)
			continue;
		if (!best || r->cable_m < best->cable_m)
			best = r;
	}
	return best;
}
