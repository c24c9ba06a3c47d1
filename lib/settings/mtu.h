/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETTINGS_MTU_H
#define SETTINGS_MTU_H

#include "model/setting.h"

enum { MTU };

extern const struct setting setting_mtu;

#endif
