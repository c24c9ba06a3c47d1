/* SPDX-License-Identifier: Apache-2.0 */
/* All vendors, for whoever puts them into a catalog. */
#ifndef VENDORS_VENDORS_H
#define VENDORS_VENDORS_H

#include "model/vendor.h"

#define VENDOR(name) extern const struct vendor vendor_##name;
#include "vendors/list.h"
#undef VENDOR

#endif
