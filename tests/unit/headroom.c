/* SPDX-License-Identifier: Apache-2.0 */
/* PFC headroom against tables that ship with switch images (tests/cases/headroom.tsv), and against sums done by hand.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/headroom.h"

enum { COLUMNS = 17, LINE = 512 };
enum {
	ASIC,
	SPEED,
	CABLE,
	SIZE,
	XON,
	XOFF,
	XON_OFFSET,
	DYNAMIC_TH,
	SHP,
	CELL,
	LOSSLESS_MTU,
	SMALL_PCT,
	PORT_MTU,
	PEER,
	TILE
};

static size_t cut(char *line, char *column[COLUMNS])
{
	size_t n = 0;

	line[strcspn(line, "\n")] = 0;
	for (char *s = line; n < COLUMNS; s = NULL) {
		column[n] = strtok(s, "\t");
		if (!column[n])
			break;
		n++;
	}
	return n;
}

static unsigned num(const char *s)
{
	return (unsigned)strtoul(s, NULL, 10);
}

/* The row's own inputs are those of our table of ASICs: the formula is not told what it must come to. */
static void check_inputs(char *const *row, const struct headroom_asic *a)
{
	assert_int_equal(num(row[CELL]), a->cell);
	assert_int_equal(!strcmp(row[PEER], "quanta"), a->ieee_response);
	assert_int_equal(!strcmp(row[TILE], "yes"), a->tile);
	if (!a->ieee_response)
		assert_true(atof(row[PEER]) == a->peer_kib * 1024);
}

/* 400 Gb/s of Spectrum-3 and 800 Gb/s of Spectrum-4 are eight lanes. */
static unsigned lanes(char *const *row)
{
	return (!strcmp(row[ASIC], "Spectrum-3") && num(row[SPEED]) == 400000) ||
			       (!strcmp(row[ASIC], "Spectrum-4") && num(row[SPEED]) == 800000) ? 8 : 4;
}

struct counts {
	unsigned xoff, xon, size;
};

static void check_row(char *const *row, const struct headroom_asic *a, struct counts *exact)
{
	const struct headroom_link l = {
		.asic = a,
		.speed_mbps = num(row[SPEED]),
		.cable_m = num(row[CABLE]),
		.port_mtu = num(row[PORT_MTU]),
		.lossless_mtu = num(row[LOSSLESS_MTU]),
		.small_percent = num(row[SMALL_PCT]),
		.shared_pool = !strcmp(row[SHP], "yes"),
		.lanes = lanes(row),
	};
	struct headroom h;

	headroom_compute(&l, &h);
	if (h.xoff != num(row[XOFF]))
		fail_msg("%s %s Mb/s %s m: xoff %ju, not %s", row[ASIC], row[SPEED], row[CABLE], (uintmax_t)h.xoff,
			 row[XOFF]);
	exact->xoff++;
	exact->xon += h.xon == num(row[XON]);
	exact->size += h.size == num(row[SIZE]);
}

static void shipped_tables(void **state)
{
	struct counts exact = { 0 };
	unsigned rows = 0;
	char line[LINE], *row[COLUMNS];
	FILE *f = fopen("tests/cases/headroom.tsv", "r");

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		const struct headroom_asic *a;

		if (*line == '#' || cut(line, row) < TILE + 1)
			continue;
		rows++;
		a = headroom_asic(row[ASIC]);
		if (!a)
			continue;
		check_inputs(row, a);
		check_row(row, a, &exact);
	}
	fclose(f);
	printf("headroom: %u of 114 rows exact in xoff, %u in xon, %u in size\n", exact.xoff, exact.xon, exact.size);
	assert_int_equal(exact.xoff, 114);
	assert_int_equal(rows - exact.xoff, 1 + 76);	/* the heading, and vendors that publish no inputs */
	assert_int_equal(exact.xon, 114 - 3);		/* Spectrum-3 at 400 Gb/s: 1 KiB less */
	assert_int_equal(exact.size,
			 114 - 3 - 3); /* these, Spectrum-4 at 40 Gb/s over 5 m, at 800 over 5 and 300: 1 KiB less */
}

static const struct headroom_term *term_of(const struct headroom *h, const char *name)
{
	for (size_t i = 0; i < h->n; i++)
		if (!strcmp(h->term[i].name, name))
			return &h->term[i];
	fail_msg("no term %s", name);
	return NULL;
}

static void near(const struct headroom *h, const char *name, double value)
{
	double have = term_of(h, name)->value;

	if (have < value - 0.01 || have > value + 0.01)
		fail_msg("%s is %f, not %f", name, have, value);
}

static void terms_by_hand(void **state)
{
	struct headroom_link l = {
		.asic = headroom_asic("Spectrum-5"),
		.speed_mbps = 400000,
		.cable_m = 40,
		.port_mtu = 9216,
		.lossless_mtu = 4096,
		.small_percent = 50,
		.shared_pool = true,
	};
	struct headroom h;

	(void)state;
	headroom_compute(&l, &h);
	near(&h, "worst", 3);
	near(&h, "small_B", 3.0769);
	near(&h, "on_cable", 20202.02);
	near(&h, "response", 57920);
	near(&h, "tile", 6000);
	near(&h, "mac_phy", 819.2);
	near(&h, "delay", 94157.22);
	assert_int_equal(h.xoff, 104448);
	assert_int_equal(h.xon, 19456);
	assert_int_equal(h.size, 19456);
	for (size_t i = 0; i < h.n; i++) {
		assert_true(*h.term[i].how);
		assert_non_null(h.term[i].unit);
	}

	l.asic = headroom_asic("Spectrum-4");
	l.lossless_mtu = 1024;
	l.small_percent = 100;
	l.shared_pool = false;
	headroom_compute(&l, &h);
	assert_int_equal(h.xoff, 283648);
	assert_int_equal(h.size, 303104);

	l = (struct headroom_link){ .asic = headroom_asic("Spectrum-3"),
				    .speed_mbps = 100000,
				    .cable_m = 300,
				    .port_mtu = 9216,
				    .lossless_mtu = 1024,
				    .small_percent = 100 };
	headroom_compute(&l, &h);
	near(&h, "delay", 51805.19);
	assert_int_equal(h.xoff, 117760);
	assert_int_equal(h.size, 137216);
}

/* Eight lanes double xon and add a frame; a gearbox delays twice; a given peer beats the ASIC's. */
static void variants(void **state)
{
	struct headroom_link l = { .asic = headroom_asic("Spectrum-3"),
				   .speed_mbps = 400000,
				   .cable_m = 5,
				   .port_mtu = 9216,
				   .lossless_mtu = 1024,
				   .small_percent = 100 };
	struct headroom four, h;

	(void)state;
	headroom_compute(&l, &four);
	l.lanes = 8;
	headroom_compute(&l, &h);
	assert_int_equal(h.xon, 2 * four.xon);
	assert_int_equal(h.size, h.xoff + h.xon + 9216);
	l.gearbox_ns = 400;
	headroom_compute(&l, &h);
	near(&h, "on_gearbox", 19531.25);
	near(&h, "delay", term_of(&four, "delay")->value + 2 * 19531.25);
	l.peer = HEADROOM_PEER_BYTES;
	l.peer_bytes = 10000;
	headroom_compute(&l, &h);
	near(&h, "response", 10000);
	l.peer = HEADROOM_PEER_IEEE;
	headroom_compute(&l, &h);
	near(&h, "response", 57920);
	l.speed_mbps = 12345;			/* no response time is published */
	headroom_compute(&l, &h);
	near(&h, "response", 3891.2);
}

/* By hand: (301 + 15) * 100 + 24480 is 56080 bytes, 9216 for a frame and 128 for a cell, 65424 or 512 cells; 40Gb/s is the least. */
static void receive_buffers(void **state)
{
	static const struct { struct headroom_receive in; uint64_t xoff, size; } rows[] = {
		{ { 100000, 7, 9000, 9000 }, 56080, 512 * 128 },
		{ { 100000, 7, 9000, 9978 }, 56080, 518 * 128 },
		{ { 400000, 30, 9000, 9978 }, (301 + 64) * 400 + 24480, 1411 * 128 },
		{ { 25000, 30, 1500, 0 }, 365 * 40 + 4080, 219 * 128 },
		{ { 0, 0, 0, 0 }, 12040, 168 * 128 },
		{ { UINT32_MAX, 999, UINT32_MAX, UINT32_MAX }, UINT64_C(22239340653), UINT64_C(26534308096) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct headroom h;
		double sum = 0;

		headroom_receive(&rows[i].in, &h);
		for (size_t k = 0; k < h.n; k++)
			sum += h.term[k].value;
		assert_int_equal(h.xoff, rows[i].xoff);
		assert_int_equal(h.size, rows[i].size);
		assert_int_equal((uint64_t)sum, h.size);
	}
}

/* Without a shared pool, what fewer small packets save is not taken back whole. */
static void relief(void **state)
{
	struct headroom_link l = { .asic = headroom_asic("Spectrum-5"),
				   .speed_mbps = 400000,
				   .cable_m = 40,
				   .port_mtu = 9216,
				   .lossless_mtu = 4096,
				   .small_percent = 50,
				   .shared_pool = true };
	struct headroom shared, own;

	(void)state;
	headroom_compute(&l, &shared);
	l.shared_pool = false;
	headroom_compute(&l, &own);
	assert_int_equal(own.xoff, shared.xoff + 2048);
	l.small_percent = 100;
	headroom_compute(&l, &own);
	l.shared_pool = true;
	headroom_compute(&l, &shared);
	assert_int_equal(own.xoff, shared.xoff);
}

static void bit_times(void **state)
{
	static const struct {
		unsigned cable, bytes;
	} rows[] = { { 5, 54741 }, { 40, 59116 }, { 100, 66616 }, { 300, 91616 } };
	struct headroom_link l = { .speed_mbps = 100000, .port_mtu = 9216, .lossless_mtu = 4200 };
	struct headroom h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		l.cable_m = rows[i].cable;
		assert_int_equal(headroom_bit_times(&l, 64, &h), 0);
		assert_int_equal(h.xoff, rows[i].bytes);
	}
	assert_int_equal(headroom_bit_times(&l, 128, &h), 0);
	assert_int_equal(h.xoff, 2 * 91616);
	l.speed_mbps = 400000;
	assert_int_equal(headroom_bit_times(&l, 64, &h), -ENODATA);
	l.speed_mbps = 1;
	assert_int_equal(headroom_bit_times(&l, 64, &h), -ENODATA);
}

static void limits(void **state)
{
	struct headroom_link l = { .asic = headroom_asic("Spectrum-6"), .speed_mbps = UINT32_MAX, .cable_m = UINT32_MAX,
				   .port_mtu = UINT32_MAX, .lossless_mtu = UINT32_MAX, .small_percent = UINT32_MAX,
				   .lanes = UINT32_MAX, .gearbox_ns = UINT32_MAX };
	struct headroom h;

	(void)state;
	assert_int_equal(headroom_port_limit(headroom_asic("Spectrum-5")), 1183488);
	assert_int_equal(headroom_port_limit(headroom_asic("Tofino-2")), 0);
	assert_null(headroom_asic("spectrum-4"));
	for (size_t i = 0; headroom_asic_at(i); i++) {
		l.asic = headroom_asic_at(i);
		headroom_compute(&l, &h);
		assert_true(h.n <= HEADROOM_TERMS);
		assert_true(h.xoff > UINT32_MAX);
	}
	assert_int_equal(headroom_quanta(400000), 905);
	assert_int_equal(headroom_quanta(3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_tables), cmocka_unit_test(terms_by_hand), cmocka_unit_test(variants),
		cmocka_unit_test(receive_buffers),
		cmocka_unit_test(relief),	  cmocka_unit_test(bit_times),	   cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
