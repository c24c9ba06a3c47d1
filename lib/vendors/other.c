/* SPDX-License-Identifier: Apache-2.0 */
/* Any other driver: what the kernel's own interfaces have is used, every change is expected to disturb traffic. */
#include <stddef.h>

#include "vendors/vendors.h"

static const char *const drivers[] = { NULL };

const struct vendor vendor_other = {
	.name = "other",
	.drivers = drivers,
	.roce_overhead = 96,
};
