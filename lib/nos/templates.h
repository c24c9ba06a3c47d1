/* SPDX-License-Identifier: Apache-2.0 */
/* The templates that were built in: templates/switch, byte for byte. */
#ifndef NOS_TEMPLATES_H
#define NOS_TEMPLATES_H

#include "base/diag.h"

struct arena;

/** templates_find - by the system's name, or NULL */
const struct source *templates_find(const char *name, struct arena *a);

#endif
