/* SPDX-License-Identifier: Apache-2.0 */
/* Organisational TLVs of one neighbour: each input byte run is OUI, subtype, length, bytes. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/dcbx.h"
#include "kernel/lldp.h"

enum { HEAD = 5 };

static size_t cut(const uint8_t *data, size_t n, struct lldp_tlv *tlv)
{
	size_t count = 0;

	while (n >= HEAD && count < LLDP_TLVS) {
		size_t len = data[4] < n - HEAD ? data[4] : n - HEAD;

		tlv[count] = (struct lldp_tlv){ .subtype = data[3], .info = data + HEAD, .n = len };
		memcpy(tlv[count++].oui, data, sizeof(tlv->oui));
		data += HEAD + len;
		n -= HEAD + len;
	}
	return count;
}

static void check_ets(const struct dcbx *x)
{
	for (unsigned i = 0; i < 8; i++)
		if (x->ets.prio_tc[i] > 7 || x->ets.tc_tx_bw[i] > 100 || x->ets.ets_cap < 1 || x->ets.ets_cap > 8)
			abort();
}

static void check_app(const struct dcbx *x)
{
	for (size_t i = 0; i < x->napps; i++)
		if (x->app[i].priority > 7 || x->app[i].selector > 7 || (x->app[i].selector == 5 && x->app[i].protocol > 63))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct lldp_tlv tlv[LLDP_TLVS];
	struct dcbx x;

	dcbx_decode(tlv, cut(data, n, tlv), &x);
	for (unsigned i = 0; i < DCBX_PARTS; i++)
		if ((x.state[i] == DCBX_MALFORMED) != (*x.why[i] != 0) || !*dcbx_name((enum dcbx_part)i))
			abort();
	if (x.napps > DCBX_APPS || (x.napps && x.state[DCBX_APP] != DCBX_SAID) || x.pfc.pfc_cap > 15)
		abort();
	if (x.state[DCBX_ETS] == DCBX_SAID)
		check_ets(&x);
	check_app(&x);
	return 0;
}
