/* SPDX-License-Identifier: Apache-2.0 */
/* The one catalog: all settings and vendors of this build. */
#ifndef CMD_CATALOG_H
#define CMD_CATALOG_H

#include "model/catalog.h"

/** catalog_default - all settings and vendors of this build */
const struct catalog *catalog_default(void);

#endif
