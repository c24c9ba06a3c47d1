/* SPDX-License-Identifier: Apache-2.0 */
/* The table of drivers, and what the kernel's dcbnl keeps for all of them: the list of APP entries. */
#include "state.h"

#include <errno.h>
#include <string.h>

static const struct driver *const all[MANNERS] = {
	[MANNERS_MLX5] = &driver_mlx5,
	[MANNERS_BNXT] = &driver_bnxt,
	[MANNERS_ICE] = &driver_ice,
	[MANNERS_HNS3] = &driver_hns3,
};

const struct driver *driver_of(const struct sim *s)
{
	return all[s->st->manners];
}

const struct driver *identity_of(const struct sim *s)
{
	return all[s->st->identity];
}

static bool same_app(const struct dcb_app *a, const struct dcb_app *b)
{
	return a->selector == b->selector && a->protocol == b->protocol && a->priority == b->priority;
}

/* dcb_ieee_setapp(): the same DSCP with another priority is another entry; drivers see to it if theirs has one. */
int app_list_add(struct nic *n, const struct dcb_app *app)
{
	struct net *net = &n->net;

	for (uint32_t i = 0; i < net->napps; i++)
		if (same_app(&net->app[i], app))
			return -EEXIST;
	if (net->napps == SIM_APPS)
		return -ENOMEM;
	memmove(&net->app[1], &net->app[0], net->napps++ * sizeof(net->app[0]));
	net->app[0] = *app;
	return 0;
}

int app_list_del(struct nic *n, const struct dcb_app *app)
{
	struct net *net = &n->net;

	for (uint32_t i = 0; i < net->napps; i++) {
		if (!same_app(&net->app[i], app))
			continue;
		memmove(&net->app[i], &net->app[i + 1], (--net->napps - i) * sizeof(net->app[0]));
		return 0;
	}
	return -ENOENT;
}

bool app_is_dscp(const struct dcb_app *app)
{
	return app->selector == IEEE_8021QAZ_APP_SEL_DSCP && app->protocol < 64;
}

void dscp_default(uint8_t map[64])
{
	for (int i = 0; i < 64; i++)
		map[i] = (uint8_t)(i >> 3);
}

/* Sum of the first @tcs classes that share bandwidth; is there one, is one of them without any. */
int ets_sum(const struct ieee_ets *ets, unsigned tcs, bool *any, bool *zero)
{
	int sum = 0;

	*any = *zero = false;
	for (unsigned i = 0; i < tcs; i++) {
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			continue;
		*any = true;
		*zero |= !ets->tc_tx_bw[i];
		sum += ets->tc_tx_bw[i];
	}
	return sum;
}
