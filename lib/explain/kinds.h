/* SPDX-License-Identifier: Apache-2.0 */
/* What a field takes, in words. */
#ifndef EXPLAIN_KINDS_H
#define EXPLAIN_KINDS_H

#include "model/setting.h"

struct text;

/** kind_name - "number", for programs */
const char *kind_name(enum kind k);
/** kind_takes - "a number, 68 to 65535 bytes" */
void kind_takes(const struct field *f, struct text *out);

#endif
