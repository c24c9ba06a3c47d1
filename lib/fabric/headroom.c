/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PFC headroom from what is on the wire. Sources: sonic-swss (buffer_headroom_mellanox.lua), sonic-buildimage
 * (asic_table.j2; the tables that ship with it are tests/cases/headroom.tsv), IEEE 802.3 31B.3.7 for response times,
 * Cisco's paper on PFC for bit times and interface delays.
 *
 * What surprises: the signal's speed is taken as 198000000 m/s, and bits become bytes by 8000, not 8192: only so do the
 * shipped tables come out. Those of Spectrum to Spectrum-3 leave the worst share of cells unrounded and use a fixed
 * peer; those of Spectrum-4 and -5 use IEEE response times. On 8 lanes Spectrum-3's tables have 1 KiB less xon than the
 * formula, those of Spectrum-4 have what it gives.
 */
#include "fabric/headroom.h"

#include <errno.h>
#include <string.h>

enum { SMALL = 64, QUANTUM_BYTES = 64, KIB = 1024, SIGNAL_M_PER_S = 198000000, RELIEF = 2048 };

static const double mac_phy = 0.8 * KIB;

static const struct headroom_asic asics[] = {
	{ "Spectrum", 96, 19, 3.8, false, false, 0, 20, 8192 },
	{ "Spectrum-2", 144, 19, 3.8, false, false, 0, 20, 8192 },
	{ "Spectrum-3", 144, 19, 3.8, false, false, 0, 20, 8192 },
	{ "Spectrum-4", 192, 19, 3.8, true, true, 0, 20, 8192 },
	{ "Spectrum-5", 192, 19, 3.8, true, true, 0, 20, 6144 },
	{ "Spectrum-6", 256, 42, 3.8, true, false, 18432, 20, 6144 },
	{ "Tofino-2", 176, 68, 9, false, false, 0, 0, 0 },
	{ "virtual", 128, 18, 3.8, false, false, 0, 0, 0 },
};

enum { ASICS = sizeof(asics) / sizeof(asics[0]) };

static const struct {
	unsigned mbps, quanta, delay_bits;	/* interface delay; 0: none published */
} speeds[] = {
	{ 100, 1, 0 },	      { 1000, 2, 0 },	     { 10000, 67, 8192 },  { 25000, 80, 6144 },	 { 40000, 118, 24576 },
	{ 50000, 147, 0 },    { 100000, 394, 122880 }, { 200000, 453, 0 }, { 400000, 905, 0 },	 { 800000, 905, 0 },
};

enum { SPEEDS = sizeof(speeds) / sizeof(speeds[0]) };

const struct headroom_asic *headroom_asic_at(size_t i)
{
	return i < ASICS ? &asics[i] : NULL;
}

const struct headroom_asic *headroom_asic(const char *name)
{
	for (size_t i = 0; i < ASICS; i++)
		if (!strcmp(asics[i].name, name))
			return &asics[i];
	return NULL;
}

static size_t speed_of(unsigned mbps)
{
	size_t i = 0;

	while (i < SPEEDS && speeds[i].mbps != mbps)
		i++;
	return i;
}

unsigned headroom_quanta(unsigned speed_mbps)
{
	size_t i = speed_of(speed_mbps);

	return i < SPEEDS ? speeds[i].quanta : 0;
}

uint64_t headroom_port_limit(const struct headroom_asic *a)
{
	return (uint64_t)(a->port_reserved_cells + a->port_max_cells) * a->cell;
}

/* --- what switch software computes ------------------------------------------- */

static double term(struct headroom *h, const char *name, const char *unit, const char *how, double value)
{
	h->term[h->n++] = (struct headroom_term){ name, how, value, unit };
	return value;
}

static uint64_t up(double bytes, double step)
{
	uint64_t steps = (uint64_t)(bytes / step);

	return (steps + ((double)steps * step < bytes)) * (uint64_t)step;
}

/* Small packets fill a cell each, or two where a cell is little more than they are. */
static double occupancy(struct headroom *h, unsigned cell, unsigned small_percent, unsigned lossless_mtu)
{
	double worst = cell > 2 * SMALL ? term(h, "worst", "", "cell / 64", cell / (double)SMALL)
					: term(h, "worst", "", "2 * cell / (1 + cell)", 2.0 * cell / (1 + cell));
	double average = (small_percent * SMALL + (100.0 - small_percent) * lossless_mtu) / 100;
	double bytes = small_percent >= 100 ? 100 : 100 * SMALL / average;

	term(h, "small_B", "", "100 * 64 / mean packet of small and lossless ones: their percent of bytes", bytes);
	return term(h, "occupancy", "", "(100 - small_B + small_B * worst) / 100", (100 - bytes + bytes * worst) / 100);
}

static bool by_quanta(const struct headroom_link *l)
{
	return l->peer == HEADROOM_PEER_IEEE || (l->peer == HEADROOM_PEER_ASIC && l->asic->ieee_response);
}

bool headroom_knows_response(const struct headroom_link *l)
{
	return !by_quanta(l) || headroom_quanta(l->speed_mbps);
}

static double response(struct headroom *h, const struct headroom_link *l)
{
	unsigned quanta = headroom_quanta(l->speed_mbps);

	if (l->peer == HEADROOM_PEER_BYTES)
		return term(h, "response", "bytes", "as given", l->peer_bytes);
	if (by_quanta(l) && quanta)
		return term(h, "response", "bytes", "IEEE 802.3 31B.3.7, quanta * 64", (double)quanta * QUANTUM_BYTES);
	return term(h, "response", "bytes", "the ASIC's peer, KiB * 1024", l->asic->peer_kib * KIB);
}

static double delay(struct headroom *h, const struct headroom_link *l)
{
	double speed = l->speed_mbps, sum;

	sum = term(h, "port_mtu", "bytes", "one frame that has begun", l->port_mtu);
	sum += term(h, "on_cable", "bytes", "2 * cable * speed / 198000000 m/s, there and back",
		    2.0 * l->cable_m * speed * 1e9 / SIGNAL_M_PER_S / 8000);
	if (l->gearbox_ns)
		sum += 2 * term(h, "on_gearbox", "bytes", "speed * gearbox / 8192, counted twice",
				speed * l->gearbox_ns / 8192);
	sum += term(h, "mac_phy", "bytes", "0.8 KiB", mac_phy);
	sum += response(h, l);
	if (l->asic->tile)
		sum += term(h, "tile", "bytes", "15 bytes for each Gb/s", speed / 1000 * 15);
	return term(h, "delay", "bytes", "the sum of these, on_gearbox twice", sum);
}

/* What small packets cost less than the worst case is not all taken back. */
static uint64_t relieved(const struct headroom_link *l, uint64_t xoff)
{
	struct headroom worst;
	struct headroom_link all_small = *l;

	if (l->shared_pool || l->small_percent >= 100)
		return xoff;
	all_small.small_percent = 100;
	headroom_compute(&all_small, &worst);
	return xoff + RELIEF < worst.xoff ? xoff + RELIEF : xoff;
}

void headroom_compute(const struct headroom_link *l, struct headroom *h)
{
	bool wide = l->lanes == 8;
	double share, bytes;

	*h = (struct headroom){ 0 };
	share = occupancy(h, l->asic->cell, l->small_percent, l->lossless_mtu);
	bytes = l->lossless_mtu + delay(h, l) * share;
	h->xoff = relieved(l, up(bytes, KIB) + l->asic->extra);
	h->xon = (wide ? 2 : 1) * (uint64_t)l->asic->pipeline_kib * KIB;
	h->size = l->shared_pool ? h->xon : h->xoff + h->xon + (wide ? l->port_mtu : 0);
	term(h, "xoff", "bytes", "lossless_mtu + delay * occupancy, in whole KiB", (double)h->xoff);
	term(h, "xon", "bytes", wide ? "2 * pipeline, on an 8-lane port" : "pipeline", (double)h->xon);
	term(h, "size", "bytes",
	     l->shared_pool ? "xon: xoff comes from the shared pool"
	     : wide	    ? "xoff + xon + port_mtu, on an 8-lane port"
			    : "xoff + xon",
	     (double)h->size);
}

/* --- bit times ---------------------------------------------------------------- */

/* A frame with its gap of 96 and preamble of 64. */
static double frame_bits(unsigned bytes)
{
	return 8.0 * bytes + 160;
}

int headroom_bit_times(const struct headroom_link *l, unsigned cell, struct headroom *h)
{
	size_t i = speed_of(l->speed_mbps);
	double sum, share;

	if (i == SPEEDS || !speeds[i].delay_bits)
		return -ENODATA;
	*h = (struct headroom){ 0 };
	sum = term(h, "port_frame", "bit times", "8 * port_mtu + 160", frame_bits(l->port_mtu));
	sum += term(h, "pfc_frame", "bit times", "64 bytes, gap and preamble", 672);
	sum += term(h, "interface", "bit times", "interface delay, once", speeds[i].delay_bits);
	sum += 2 * term(h, "cable", "bit times", "5 ns for each metre, counted twice",
			5.0 * l->cable_m * l->speed_mbps / 1000);
	sum += term(h, "response", "bit times", "quanta * 512", speeds[i].quanta * 512.0);
	sum += term(h, "data_frame", "bit times", "8 * lossless_mtu + 160", frame_bits(l->lossless_mtu));
	share = term(h, "cells", "", "cell / 64, at least 1", cell > SMALL ? cell / (double)SMALL : 1);
	h->xoff = up(term(h, "bytes", "bytes", "the sum / 8, the cable twice", sum / 8) * share, 1);
	term(h, "xoff", "bytes", "bytes * cells", (double)h->xoff);
	return 0;
}
