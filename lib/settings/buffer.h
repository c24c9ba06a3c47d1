/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers of buffer.c. */
#ifndef SETTINGS_BUFFER_H
#define SETTINGS_BUFFER_H

#include "model/change.h"

enum { BUFFER_CABLE, BUFFER_SIZES, BUFFER_PRIO };

extern const struct setting setting_buffer;

#endif
