/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers of cm.c, and its functions for drivers that have a second place for the ToS. */
#ifndef SETTINGS_CM_H
#define SETTINGS_CM_H

#include "model/change.h"

enum { CM_MODE, CM_TOS };

extern const struct setting setting_cm;

/**
 * cm_tos_same - does the byte @have satisfy the wish: a class compares the DSCP alone, a number the whole byte
 * (104 to 107 are DSCP 26 with each of the four ECN codes)
 */
bool cm_tos_same(const struct field *f, const struct value *want, const struct value *have,
		 const struct record *observed);
/** cm_tos_byte - what to write where @now stands: of a class the DSCP, and the two ECN bits as they are */
unsigned cm_tos_byte(const struct value *want, unsigned now);

#endif
