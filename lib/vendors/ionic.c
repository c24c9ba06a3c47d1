/* SPDX-License-Identifier: Apache-2.0 */
/* ionic (AMD Pensando): no DCB and no congestion control from the host; its RDMA driver is newer than Linux 6.12. */
#include "vendors/vendors.h"

static const char *const drivers[] = { "ionic", NULL }, *const rdma_drivers[] = { "ionic_rdma", NULL };

const struct vendor vendor_ionic = {
	.name = "ionic",
	.drivers = drivers,
	.rdma_drivers = rdma_drivers,
	.roce_overhead = 96,
};
