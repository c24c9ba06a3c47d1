/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `simctl set NAME IF …`: what somebody does behind rdmactl's back. It goes through the driver, with all side
 * effects and refusals, as `ip`, `dcb` and `ethtool` would; or it is what happens to hardware, and just happens.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe.h"

int word_number(struct sim *s, const char *word, long min, long max, long *v)
{
	char *end;

	errno = 0;
	*v = strtol(word, &end, 0);
	if (!*word || *end || errno || *v < min || *v > max)
		return sim_refuse(s, -EINVAL, "'%s' is no number from %ld to %ld", word, min, max);
	return 0;
}

static int told(struct sim *s, int status, const char *what)
{
	return status < 0 ? sim_refuse(s, status, "%s: the driver says %s", what, strerror(-status)) : 0;
}

int word_bool(struct sim *s, const char *word, bool *v)
{
	static const char *const words[] = { "off", "on", "N", "Y", "0", "1", "false", "true" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i], word))
			continue;
		*v = i & 1;
		return 0;
	}
	return sim_refuse(s, -EINVAL, "'%s' is neither on nor off", word);
}

/* "KEY:VALUE", both small numbers; *value gets what stands behind the colon. */
static int word_pair(struct sim *s, const char *word, long max, long *key, const char **value)
{
	const char *colon = strchr(word, ':');
	char left[8];

	if (!colon || (size_t)(colon - word) >= sizeof(left))
		return sim_refuse(s, -EINVAL, "'%s' is not KEY:VALUE", word);
	snprintf(left, sizeof(left), "%.*s", (int)(colon - word), word);
	*value = colon + 1;
	return word_number(s, left, 0, max, key);
}

/* Words may come as one, "26:3 48:6", or each alone. */
static int each_word(struct sim *s, struct nic *n, int argc, char *const *argv,
		     int (*one)(struct sim *s, struct nic *n, const char *word, void *arg), void *arg)
{
	for (int i = 0; i < argc; i++) {
		char copy[512], *save = NULL;

		if (strlen(argv[i]) >= sizeof(copy))
			return sim_refuse(s, -EINVAL, "too long");
		strcpy(copy, argv[i]);
		for (char *w = strtok_r(copy, " ,", &save); w; w = strtok_r(NULL, " ,", &save)) {
			int r = one(s, n, w, arg);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int set_mtu(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	const char *why = NULL;
	long v;
	int r = word_number(s, argv[0], 0, INT32_MAX, &v);

	(void)argc;
	if (r == 0)
		r = mtu_set(s, n->net.ifindex, (uint32_t)v, &why);
	return r < 0 ? sim_refuse(s, r, "mtu: %s", why ? why : strerror(-r)) : 0;
}

static int one_priority(struct sim *s, struct nic *n, const char *word, void *arg)
{
	uint8_t *en = arg;
	long p;
	int r = word_number(s, word, 0, 7, &p);

	(void)n;
	if (r == 0)
		*en |= (uint8_t)(1u << p);
	return r;
}

static int set_pfc(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	struct ieee_pfc pfc;
	uint8_t en = 0;
	int r = argc && !strcmp(argv[0], "none") ? 0 : each_word(s, n, argc, argv, one_priority, &en);

	if (r < 0)
		return r;
	driver_of(s)->dcb.get_pfc(s, n, &pfc);
	pfc.pfc_en = en;
	return told(s, driver_of(s)->dcb.set_pfc(s, n, &pfc), "pfc");
}

/* As `dcb app replace`: what the DSCP had goes, unless the driver replaces by itself. */
static int one_dscp(struct sim *s, struct nic *n, const char *word, void *arg)
{
	const struct dcb_ops *ops = &driver_of(s)->dcb;
	const char *value;
	long dscp, prio;
	int r = word_pair(s, word, 63, &dscp, &value);

	(void)arg;
	if (r == 0)
		r = word_number(s, value, 0, 7, &prio);
	if (r < 0)
		return r;
	for (uint32_t i = 0; s->st->manners != MANNERS_MLX5 && i < n->net.napps; i++) {
		const struct dcb_app old = n->net.app[i];

		if (!app_is_dscp(&old) || old.protocol != dscp)
			continue;
		r = ops->del_app(s, n, &old);
		if (r < 0)
			return told(s, r, "dscp");
		i = UINT32_MAX;		/* the list has changed: look again */
	}
	return told(s, ops->set_app(s, n, &(struct dcb_app){ IEEE_8021QAZ_APP_SEL_DSCP, (uint8_t)prio, (uint16_t)dscp }),
		    "dscp");
}

static int set_dscp(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	if (argc == 1 && !strcmp(argv[0], "none")) {	/* all of them go */
		while (n->net.napps) {
			int r = driver_of(s)->dcb.del_app(s, n, &(struct dcb_app){ n->net.app[0].selector,
										   n->net.app[0].priority,
										   n->net.app[0].protocol });

			if (r < 0)
				return told(s, r, "dscp");
		}
		return 0;
	}
	return each_word(s, n, argc, argv, one_dscp, NULL);
}

static int one_share(struct sim *s, struct nic *n, const char *word, void *arg)
{
	struct ieee_ets *ets = arg;
	const char *value;
	char number[8];
	long tc, share = 0;
	int r = word_pair(s, word, 7, &tc, &value);

	(void)n;
	if (r < 0)
		return r;
	ets->tc_tsa[tc] = !strcmp(value, "strict") ? IEEE_8021QAZ_TSA_STRICT :
			  !strcmp(value, "cbs")	   ? IEEE_8021QAZ_TSA_CB_SHAPER :
			  !strcmp(value, "vendor") ? IEEE_8021QAZ_TSA_VENDOR : IEEE_8021QAZ_TSA_ETS;
	if (ets->tc_tsa[tc] == IEEE_8021QAZ_TSA_ETS) {
		snprintf(number, sizeof(number), "%.*s", (int)strcspn(value, "%"), value);
		r = word_number(s, number, 0, 100, &share);
	}
	ets->tc_tx_bw[tc] = (uint8_t)share;
	return r;
}

static int one_tc(struct sim *s, struct nic *n, const char *word, void *arg)
{
	struct ieee_ets *ets = arg;
	const char *value;
	long prio, tc;
	int r = word_pair(s, word, 7, &prio, &value);

	(void)n;
	if (r == 0)
		r = word_number(s, value, 0, 255, &tc);
	if (r == 0)
		ets->prio_tc[prio] = (uint8_t)tc;
	return r;
}

static int change_ets(struct sim *s, struct nic *n, int argc, char *const *argv,
		      int (*one)(struct sim *s, struct nic *n, const char *word, void *arg))
{
	struct ieee_ets ets;
	int r;

	driver_of(s)->dcb.get_ets(s, n, &ets);
	r = each_word(s, n, argc, argv, one, &ets);
	return r < 0 ? r : told(s, driver_of(s)->dcb.set_ets(s, n, &ets), "ets");
}

static int set_ets(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	return change_ets(s, n, argc, argv, one_share);
}

static int set_tc(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	return change_ets(s, n, argc, argv, one_tc);
}

/* "on", or "rx on tx off". */
static int set_pause(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	bool rx = n->hw.rx_pause, tx = n->hw.tx_pause;
	int r = 0;

	if (argc == 1) {
		r = word_bool(s, argv[0], &rx);
		tx = rx;
	}
	for (int i = 0; argc > 1 && r == 0 && i < argc; i += 2) {
		bool *to = !strcmp(argv[i], "rx") ? &rx : !strcmp(argv[i], "tx") ? &tx : NULL;

		r = to && i + 1 < argc ? word_bool(s, argv[i + 1], to) : sim_refuse(s, -EINVAL, "pause: rx on|off tx on|off");
	}
	return r < 0 ? r : told(s, driver_of(s)->dcb.set_pause(s, n, false, rx, tx), "pause");
}

/* "0:131072/0 3:98304/1": of buffer 0 its size, and the buffer of priority 0; the rest is kept. As dcb does it, at once. */
static int one_buffer(struct sim *s, struct nic *n, const char *word, void *arg)
{
	struct dcbnl_buffer *b = arg;
	const char *value;
	long i, size, prio;
	int r = word_pair(s, word, 7, &i, &value), used = 0;

	(void)n;
	if (r < 0)
		return r;
	if (sscanf(value, "%ld/%ld%n", &size, &prio, &used) != 2 || value[used] || size < 0 || prio < 0 || prio > 7)
		return sim_refuse(s, -EINVAL, "buffer: N:SIZE/BUFFER …");
	b->buffer_size[i] = (uint32_t)size;
	b->prio2buffer[i] = (uint8_t)prio;
	return 0;
}

static int set_buffer(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	const struct dcb_ops *ops = &driver_of(s)->dcb;
	struct dcbnl_buffer b = n->hw.buffer;
	int r = ops->set_buffer ? 0 : sim_refuse(s, -EOPNOTSUPP, "buffer: the driver has none");

	if (r == 0)
		r = each_word(s, n, argc, argv, one_buffer, &b);
	return r < 0 ? r : told(s, ops->set_buffer(s, n, &b), "buffer");
}

static int set_cable(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	struct ieee_pfc pfc;
	long v;
	int r = word_number(s, argv[0], 1, 999, &v);

	(void)argc;
	if (r < 0)
		return r;
	driver_of(s)->dcb.get_pfc(s, n, &pfc);
	pfc.delay = (uint16_t)v;
	return told(s, driver_of(s)->dcb.set_pfc(s, n, &pfc), "cable");
}

static int set_dcbx(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	long v;
	int r = word_number(s, argv[0], 0, 255, &v);

	(void)argc;
	if (r == 0 && driver_of(s)->dcb.set_dcbx(s, n, (uint8_t)v))
		r = sim_refuse(s, -EINVAL, "dcbx: the driver refuses 0x%lx", v);
	return r;
}

static int set_cc(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	int row = ccparams_row(argv[0]);
	long v;
	int r;

	(void)argc;
	if (row < 0)
		return sim_refuse(s, -EINVAL, "cc: no parameter %s", argv[0]);
	r = word_number(s, argv[1], 0, UINT32_MAX, &v);
	return r < 0 ? r : told(s, ccparams_set(s, n, (unsigned)row, (uint32_t)v), argv[0]);
}

static int set_roce(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	return word_bool(s, argv[0], &n->roce_pending);
}

static int set_iwarp(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	return word_bool(s, argv[0], &n->iwarp);
}

static int set_roce_mode(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	(void)argc;
	if (strcmp(argv[0], "v1") && strcmp(argv[0], "v2"))
		return sim_refuse(s, -EINVAL, "roce_mode: v1 or v2");
	n->ib.cm_v1 = argv[0][1] == '1';
	return 0;
}

static int set_roce_tos(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	long v;
	int r = word_number(s, argv[0], 0, 255, &v);

	(void)argc;
	if (r == 0)
		n->ib.cm_tos = (uint8_t)v;
	return r;
}

static int set_tclass(struct sim *s, struct nic *n, int argc, char *const *argv)
{
	long v;
	int r = word_number(s, argv[0], -1, 255, &v);

	(void)argc;
	if (r == 0)
		n->ib.tclass = (int32_t)v;
	return r;
}

const struct settable settables[] = {
	{ "mtu", "N", 1, 1, set_mtu },
	{ "pfc", "3,4|none", 0, 8, set_pfc },
	{ "dscp", "26:3 …|none", 1, 64, set_dscp },
	{ "ets", "0:40% 6:strict 7:vendor …", 1, 8, set_ets },
	{ "tc", "PRIO:TC …", 1, 8, set_tc },
	{ "pause", "on|off, or rx on tx off", 1, 4, set_pause },
	{ "buffer", "N:SIZE/BUFFER …", 1, 8, set_buffer },
	{ "cable", "METRES (mlx5: the delay)", 1, 1, set_cable },
	{ "dcbx", "MODE", 1, 1, set_dcbx },
	{ "cc", "NAME VALUE", 2, 2, set_cc },
	{ "roce", "on|off (devlink, counts at the reload)", 1, 1, set_roce },
	{ "roce_mode", "v1|v2", 1, 1, set_roce_mode },
	{ "roce_tos", "N", 1, 1, set_roce_tos },
	{ "tclass", "N|-1", 1, 1, set_tclass },
	{ "link", "up|down", 1, 2, set_link },
	{ "carrier", "on|off (the cable)", 1, 1, set_carrier },
	{ "pcie", "SPEED WIDTH", 1, 2, set_pcie },
	{ "uplink", "SPEED WIDTH (switch to root port)", 1, 2, set_uplink },
	{ "slot", "SPEED WIDTH (what it can do)", 1, 2, set_slot },
	{ "fw", "RUNNING STORED", 1, 2, set_fw },
	{ "board", "TEXT", 1, 1, set_board },
	{ "speed", "MBPS", 1, 1, set_speed },
	{ "addr", "A.B.C.D …|none", 1, SIM_ADDRS, set_addr },
	{ "numa", "N", 1, 1, set_numa },
	{ "counter", "NAME VALUE", 2, 2, set_counter },
	{ "rate", "NAME PER_SECOND (of a counter)", 2, 2, set_rate },
	{ "ifname", "NEW", 1, 1, set_ifname },
	{ "flap_on_set", "Y|N", 1, 1, set_flap_on_set },
	{ "flap_ms", "N", 1, 1, set_flap_ms },
	{ "pfc_reset_on_mtu", "Y|N", 1, 1, set_pfc_reset },
	{ "fw_lldp", "on|off (ice)", 1, 1, set_fw_lldp },
	{ "iwarp", "on|off (ice)", 1, 1, set_iwarp },
	{ NULL, NULL, 0, 0, NULL },
};
