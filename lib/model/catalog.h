/* SPDX-License-Identifier: Apache-2.0 */
/* The lists, put together by cmd/ and handed downwards, so that engine and policy name no setting and no vendor. */
#ifndef MODEL_CATALOG_H
#define MODEL_CATALOG_H

#include "model/setting.h"
#include "model/vendor.h"

struct judge;

struct catalog {
	const struct setting *const *setting;	/* in grow order */
	size_t nsettings;
	const struct vendor *const *vendor;	/* the last one is for any other driver */
	size_t nvendors;
	const struct judge *judge;	/* of the moments between two writes; NULL: orders are not judged */
};

/** catalog_vendor - whose driver is this; never NULL */
const struct vendor *catalog_vendor(const struct catalog *c, const char *driver);
/** catalog_field - by name ("qos.pfc", "sysctl.net.core.rmem_max"); sets *s; NULL if none */
const struct field *catalog_field(const struct catalog *c, const char *name, const struct setting **s);
/** catalog_writes - does any home write it, the setting's own or a vendor's; else it is verified only */
bool catalog_writes(const struct catalog *c, const struct setting *s, const struct field *f);
/** catalog_selects - does SETTING of the command line ("qos.pfc", "qos") select this cell name */
bool catalog_selects(const char *selector, const char *name);

#endif
