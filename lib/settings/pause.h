/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers of pause.c, and its functions for drivers where global pause and PFC are one register. */
#ifndef SETTINGS_PAUSE_H
#define SETTINGS_PAUSE_H

#include "model/change.h"

enum { PAUSE_RX, PAUSE_TX };

extern const struct setting setting_pause;

int pause_read(struct kernel *k, struct part *p, struct diags *d);

#endif
