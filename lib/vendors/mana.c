/* SPDX-License-Identifier: Apache-2.0 */
/* mana (Microsoft Azure): the host owns the fabric's end, so there is no DCB here; RoCE takes nothing off the MTU. */
#include "vendors/vendors.h"

static const char *const drivers[] = { "mana", NULL }, *const rdma_drivers[] = { "mana_ib", NULL };

const struct vendor vendor_mana = {
	.name = "mana",
	.drivers = drivers,
	.rdma_drivers = rdma_drivers,
	.roce_overhead = 0,
};
