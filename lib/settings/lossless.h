/* SPDX-License-Identifier: Apache-2.0 */
/* The judge of moments, for cmd/ to hand in. */
#ifndef SETTINGS_LOSSLESS_H
#define SETTINGS_LOSSLESS_H

#include "model/moment.h"

extern const struct judge judge_lossless;

#endif
