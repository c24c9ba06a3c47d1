/* SPDX-License-Identifier: Apache-2.0 */
/* `simctl set`, the part that nobody sets on a real machine: links, slots, firmware, cables, quirks of an adapter. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "observe.h"

static int pcie_of(struct sim *s, int argc, char *const *argv, struct pcie *to)
{
	char copy[32], *save = NULL, *a, *b = NULL;
	long speed, width;
	int r;

	snprintf(copy, sizeof(copy), "%s%s%s", argv[0], argc > 1 ? " " : "", argc > 1 ? argv[1] : "");
	a = strtok_r(copy, " ", &save);
	if (a)
		b = strtok_r(NULL, " ", &save);
	if (!a || !b)
		return sim_refuse(s, -EINVAL, "SPEED WIDTH, speed 1 to 6 for 2.5 to 64 GT/s, 0 unknown");
	r = word_number(s, a, 0, 6, &speed);
	if (r == 0)
		r = word_number(s, b, 0, 255, &width);
	if (r == 0)
		*to = (struct pcie){ (uint8_t)speed, (uint8_t)width };
	return r;
}

int set_pcie(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	return pcie_of(s, argc, argv, &n->hw.link);
}

int set_uplink(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	return pcie_of(s, argc, argv, &n->hw.uplink);
}

/* What the slot can do; the link trains down to it. */
int set_slot(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	int r = pcie_of(s, argc, argv, &n->hw.slot);

	if (r == 0 && n->hw.slot.speed)
		n->hw.link = (struct pcie){ n->hw.slot.speed < 4 ? n->hw.slot.speed : 4,
					    n->hw.slot.width < 16 ? n->hw.slot.width : 16 };
	return r;
}

/* up, down; or a PCIe link as fabricsim's file of that name takes it. */
int set_link(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	if (argc == 1 && (!strcmp(argv[0], "up") || !strcmp(argv[0], "down"))) {
		nic_set_up(n, argv[0][0] == 'u');
		return 0;
	}
	if (argv[0][0] < '0' || argv[0][0] > '9')
		return sim_refuse(s, -EINVAL, "link: up, down, or SPEED WIDTH of PCIe");
	return set_pcie(s, n, argc, argv);
}

int set_carrier(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	bool before = nic_carrier(n);
	int r = word_bool(s, argv[0], &n->hw.cable);

	(void)argc;
	if (r == 0 && before && !nic_carrier(n))
		n->net.carrier_downs++;
	if (r == 0 && !before && nic_carrier(n))
		n->net.carrier_ups++;
	return r;
}

int set_fw(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	char both[80];

	snprintf(both, sizeof(both), "%s %s", argv[0], argc > 1 ? argv[1] : "");
	return sscanf(both, "%31s %31s", n->hw.fw, n->hw.fw_stored) == 2 ? 0 : sim_refuse(s, -EINVAL, "fw: RUNNING STORED");
}

int set_board(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)s;
	(void)argc;
	snprintf(n->hw.board, sizeof(n->hw.board), "%s", argv[0]);
	return 0;
}

static int set_number(struct sim *s, const char *word, uint32_t *to)
{
	long v;
	int r = word_number(s, word, 0, UINT32_MAX, &v);

	if (r == 0)
		*to = (uint32_t)v;
	return r;
}

int set_speed(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	return set_number(s, argv[0], &n->hw.speed);
}

int set_flap_ms(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	return set_number(s, argv[0], &n->hw.flap_ms);
}

int set_flap_on_set(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	return word_bool(s, argv[0], &n->hw.flap_on_set);
}

int set_pfc_reset(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	return word_bool(s, argv[0], &n->hw.pfc_reset_on_mtu);
}

int word_addrs(struct sim *s, uint32_t addr[SIM_ADDRS], int argc, char *const *argv)
{
	memset(addr, 0, SIM_ADDRS * sizeof(*addr));
	for (int i = 0; i < argc && strcmp(argv[0], "none"); i++) {
		unsigned a, b, c, d;
		int end = 0;

		if (sscanf(argv[i], "%3u.%3u.%3u.%3u%n", &a, &b, &c, &d, &end) != 4 || argv[i][end] || (a | b | c | d) > 255)
			return sim_refuse(s, -EINVAL, "'%s' is no IPv4 address", argv[i]);
		addr[i] = a << 24 | b << 16 | c << 8 | d;
	}
	return 0;
}

int set_addr(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	return word_addrs(s, n->net.addr, argc, argv);
}

int set_numa(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	long v;
	int r = word_number(s, argv[0], -1, 1023, &v);

	(void)argc;
	if (r == 0)
		n->numa = (int16_t)v;
	return r;
}

/* ice's agent in firmware: while it runs, DCB is its own. */
int set_fw_lldp(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	int r;

	(void)argc;
	if (s->st->manners != MANNERS_ICE)
		return sim_refuse(s, -EINVAL, "fw_lldp: only ice has it");
	r = word_bool(s, argv[0], &n->hw.fw_lldp);
	if (r == 0)
		driver_of(s)->load(s, n);
	return r;
}

static int set_of_counter(struct sim *s, uint64_t of[COUNTERS], char *const *argv)
{
	int i = counter_find(s, argv[0]);
	long v;
	int r = word_number(s, argv[1], 0, INT64_MAX, &v);

	if (i < 0)
		return sim_refuse(s, -EINVAL, "counter: none is called %s", argv[0]);
	if (r == 0)
		of[i] = (uint64_t)v;
	return r;
}

int set_counter(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	return set_of_counter(s, n->hw.counter, argv);
}

/* What a counter gains in each second that a program waits for. */
int set_rate(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	return set_of_counter(s, n->hw.rate, argv);
}

int set_ifname(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	if (strlen(argv[0]) >= SIM_NAME || strchr(argv[0], '/') || nic_by_name(s, argv[0]) || upper_by_name(s, argv[0]))
		return sim_refuse(s, -EINVAL, "ifname: '%s' is no name for it", argv[0]);
	sysctl_netdev(s, n->name, false);
	snprintf(n->name, sizeof(n->name), "%s", argv[0]);
	sysctl_netdev(s, n->name, true);
	s->st->generation++;
	return 0;
}
