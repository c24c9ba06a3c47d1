/* SPDX-License-Identifier: Apache-2.0 */
/* NICs, and the netdevs above them: found, loaded, reloaded, their link and their MTU. */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

unsigned nic_number(const struct sim *s, const struct nic *n)
{
	return (unsigned)(n - s->st->nic);
}

static struct nic *nic_end(struct sim *s)
{
	return s->st->nic + s->st->nnics;
}

struct nic *nic_by_name(struct sim *s, const char *ifname)
{
	for (struct nic *n = s->st->nic; n < nic_end(s); n++)
		if (n->present && !strcmp(n->name, ifname))
			return n;
	return NULL;
}

struct nic *nic_by_index(struct sim *s, uint32_t ifindex)
{
	for (struct nic *n = s->st->nic; n < nic_end(s); n++)
		if (n->present && n->net.ifindex == ifindex)
			return n;
	return NULL;
}

struct nic *nic_by_bdf(struct sim *s, const char *bdf)
{
	char own[16];

	for (struct nic *n = s->st->nic; n < nic_end(s); n++) {
		nic_bdf(s, n, own);
		if (n->present && !strcmp(own, bdf))
			return n;
	}
	return NULL;
}

struct nic *nic_by_ibdev(struct sim *s, const char *ibdev)
{
	for (struct nic *n = s->st->nic; n < nic_end(s); n++)
		if (n->present && n->ib.present && !strcmp(n->ib.name, ibdev))
			return n;
	return NULL;
}

void nic_bdf(const struct sim *s, const struct nic *n, char bdf[16])
{
	snprintf(bdf, 16, "%04x:03:00.0", (nic_number(s, n) + 1) & 0xffff);
}

void nic_mac(const struct sim *s, const struct nic *n, uint8_t mac[6])
{
	const uint8_t own[6] = { 0xb8, 0x59, 0x9f, 0, 0, (uint8_t)(nic_number(s, n) + 1) };

	memcpy(mac, own, sizeof(own));
}

struct upper *upper_by_name(struct sim *s, const char *ifname)
{
	for (struct upper *u = s->st->upper; u < s->st->upper + SIM_UPPERS; u++)
		if (u->kind && !strcmp(u->name, ifname))
			return u;
	return NULL;
}

struct upper *upper_by_index(struct sim *s, uint32_t ifindex)
{
	for (struct upper *u = s->st->upper; u < s->st->upper + SIM_UPPERS; u++)
		if (u->kind && u->ifindex == ifindex)
			return u;
	return NULL;
}

bool nic_in_bond(const struct sim *s, const struct nic *n)
{
	unsigned i = nic_number(s, n);

	for (const struct upper *u = s->st->upper; u < s->st->upper + SIM_UPPERS; u++)
		if (u->kind == UPPER_BOND && u->member[i / 64] >> i % 64 & 1)
			return true;
	return false;
}

/* --- the link --- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool nic_carrier(const struct nic *n)
{
	return n->net.up && n->hw.cable && (!n->net.link_back_ns || now_ns() >= n->net.link_back_ns);
}

void nic_flap(struct nic *n)
{
	if (!n->hw.flap_on_set || !nic_carrier(n))
		return;
	n->net.carrier_downs++;
	n->net.carrier_ups++;
	n->hw.counter[COUNTER_LINK_DOWN]++;
	n->net.link_back_ns = n->hw.flap_ms ? now_ns() + (uint64_t)n->hw.flap_ms * 1000000u : 0;
}

void nic_time_passes(struct nic *n, uint32_t ms)
{
	uint64_t ns = (uint64_t)ms * 1000000u;

	for (int i = 0; i < COUNTERS; i++)
		n->hw.counter[i] += n->hw.rate[i] * ms / 1000;
	if (n->net.link_back_ns)
		n->net.link_back_ns -= n->net.link_back_ns > ns ? ns : n->net.link_back_ns;
}

void nic_set_up(struct nic *n, bool up)
{
	bool before = nic_carrier(n);

	n->net.up = up;
	if (before == nic_carrier(n))
		return;
	if (before)
		n->net.carrier_downs++;
	else
		n->net.carrier_ups++;
}

/* --- load and reload --- */

/* The kernel gives the lowest free number. */
static void rdma_name(struct sim *s, char name[SIM_IBNAME])
{
	unsigned i = 0;

	do
		snprintf(name, SIM_IBNAME, "%s%u", s->st->ibname, i++);
	while (nic_by_ibdev(s, name));
}

static void rdma_add(struct sim *s, struct nic *n)
{
	if (!s->st->rdma || !n->roce)
		return;
	n->ib = (struct ib){ .index = s->st->next_ibindex++, .tclass = -1 };
	rdma_name(s, n->ib.name);
	n->ib.present = true;
}

void nic_rdma_plug(struct sim *s, struct nic *n, bool on)
{
	s->st->generation++;
	n->roce = on;
	users_gone(s, n);
	n->ib.present = false;
	rdma_add(s, n);
}

void nic_attach(struct sim *s, struct nic *n)
{
	n->present = true;
	n->net = (struct net){ .ifindex = s->st->next_ifindex++, .mtu = 1500 };
	driver_of(s)->load(s, n);
	sysctl_netdev(s, n->name, true);
	rdma_add(s, n);
	s->st->generation++;
}

void nic_detach(struct sim *s, struct nic *n)
{
	unsigned i = nic_number(s, n);

	for (struct upper *u = s->st->upper; u < s->st->upper + SIM_UPPERS; u++) {
		u->member[i / 64] &= ~(UINT64_C(1) << i % 64);
		if (u->kind == UPPER_VLAN && u->lower == n->net.ifindex)
			u->kind = UPPER_NONE;
	}
	users_gone(s, n);
	n->ib.present = false;
	sysctl_netdev(s, n->name, false);
	s->st->generation++;
}

void nic_reload(struct sim *s, struct nic *n)
{
	nic_detach(s, n);
	n->roce = n->roce_pending;
	nic_attach(s, n);
}

/* "nic0" is "ennic0" */
static void with_en(char *name, size_t size)
{
	memmove(name + 2, name, size - 3);
	memcpy(name, "en", 2);
}

void nic_rename(struct sim *s, struct nic *n)
{
	char was[SIM_NAME];

	memcpy(was, n->name, sizeof(was));
	with_en(n->name, sizeof(n->name));
	sysctl_netdev_renamed(s, was, n->name);
	s->st->generation++;
}

void nic_rename_rdma(struct sim *s, struct nic *n)
{
	with_en(n->ib.name, sizeof(n->ib.name));
	s->st->generation++;
}

/* --- MTU --- */

static int nic_mtu(struct sim *s, struct nic *n, uint32_t mtu, const char **why)
{
	const struct driver *d = identity_of(s);
	int r;

	if (mtu == n->net.mtu)
		return 0;
	*why = mtu < d->min_mtu ? "mtu less than device minimum" :
	       mtu > d->max_mtu ? "mtu greater than device maximum" : NULL;
	if (*why)
		return -EINVAL;
	r = sim_fault(s, n, OP_MTU, &mtu);
	if (r)
		return r < 0 ? r : 0;
	n->net.mtu = mtu;
	if (n->hw.pfc_reset_on_mtu)
		n->hw.pfc_en = 0;
	if (driver_of(s)->mtu_flaps)
		nic_flap(n);
	for (struct upper *u = s->st->upper; u < s->st->upper + SIM_UPPERS; u++)
		if (u->kind == UPPER_VLAN && u->lower == n->net.ifindex && u->mtu > mtu)
			u->mtu = mtu;
	return 0;
}

/* All members or none. */
static int bond_mtu(struct sim *s, struct upper *u, uint32_t mtu, const char **why)
{
	for (unsigned i = 0; i < s->st->nnics; i++) {
		const char *ignored;
		int r = u->member[i / 64] >> i % 64 & 1 ? nic_mtu(s, &s->st->nic[i], mtu, why) : 0;

		if (r == 0)
			continue;
		while (i--)
			if (u->member[i / 64] >> i % 64 & 1)
				nic_mtu(s, &s->st->nic[i], u->mtu, &ignored);
		return r;
	}
	u->mtu = mtu;
	for (struct upper *v = s->st->upper; v < s->st->upper + SIM_UPPERS; v++)
		if (v->kind == UPPER_VLAN && v->lower == u->ifindex && v->mtu > mtu)
			v->mtu = mtu;
	return 0;
}

static uint32_t mtu_of(struct sim *s, uint32_t ifindex)
{
	const struct nic *n = nic_by_index(s, ifindex);
	const struct upper *u = upper_by_index(s, ifindex);

	return n ? n->net.mtu : u ? u->mtu : 0;
}

int mtu_set(struct sim *s, uint32_t ifindex, uint32_t mtu, const char **why)
{
	struct nic *n = nic_by_index(s, ifindex);
	struct upper *u = upper_by_index(s, ifindex);

	*why = NULL;
	if (n)
		return nic_mtu(s, n, mtu, why);
	if (!u)
		return sim_untaught(s, "the MTU of interface %u", ifindex);
	if (mtu == u->mtu)
		return 0;
	*why = mtu < 68 ? "mtu less than device minimum" : mtu > 65535 ? "mtu greater than device maximum" : NULL;
	if (*why)
		return -EINVAL;
	if (u->kind == UPPER_BOND)
		return bond_mtu(s, u, mtu, why);
	if (mtu > mtu_of(s, u->lower))
		return -ERANGE;
	u->mtu = mtu;
	return 0;
}

uint32_t mtu_active(const struct sim *s, const struct nic *n)
{
	for (uint32_t m = 4096; m > 256; m /= 2)
		if (n->net.mtu >= m + identity_of(s)->roce_overhead)
			return m;
	return 256;
}
