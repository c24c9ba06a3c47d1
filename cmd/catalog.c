/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the rooms' lists together, to be handed downwards. */
#include "catalog.h"

#include "settings/lossless.h"

#define SETTING(name) extern const struct setting setting_##name;
#include "settings/list.h"
#undef SETTING
#define VENDOR(name) extern const struct vendor vendor_##name;
#include "vendors/list.h"
#undef VENDOR

static const struct setting *const settings[] = {
#define SETTING(name) &setting_##name,
#include "settings/list.h"
#undef SETTING
};

static const struct vendor *const vendors[] = {
#define VENDOR(name) &vendor_##name,
#include "vendors/list.h"
#undef VENDOR
};

static const struct catalog catalog = {
	.setting = settings,
	.nsettings = sizeof(settings) / sizeof(settings[0]),
	.vendor = vendors,
	.nvendors = sizeof(vendors) / sizeof(vendors[0]),
	.judge = &judge_lossless,
};

const struct catalog *catalog_default(void)
{
	return &catalog;
}
