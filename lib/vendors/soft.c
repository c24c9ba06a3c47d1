/* SPDX-License-Identifier: Apache-2.0 */
/* rdma_rxe and siw: RDMA in software on any netdev. No DCB of their own; rxe takes 80 bytes off the MTU, siw is iWARP.
 */
#include "vendors/vendors.h"

static const char *const drivers[] = { "rdma_rxe", "siw", NULL };

const struct vendor vendor_soft = {
	.name = "soft",
	.drivers = drivers,
	.roce_overhead = 80,
	.software = true,
};
