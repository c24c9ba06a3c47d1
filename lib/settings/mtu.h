/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the fields of mtu, for settings and vendors that ask for them. */
#ifndef SETTINGS_MTU_H
#define SETTINGS_MTU_H

#include "model/setting.h"

enum { MTU };

extern const struct setting setting_mtu;

#endif
