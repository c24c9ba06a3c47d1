/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of module options without asking the module: which exist in the kernel's own tree, and which are
 * published again and again and do not. The kernel ignores those with a line in its log at best.
 */
#ifndef SETTINGS_KNOWN_MODULES_H
#define SETTINGS_KNOWN_MODULES_H

/** known_modules_same - names of modules and options: - and _ are one to modprobe and to the kernel */
int known_modules_same(const char *a, const char *b);
/** known_modules_missing - NULL, or what to do instead of @option, which this module does not have */
const char *known_modules_missing(const char *module, const char *option);
/**
 * known_modules_options - names with blanks between them, "" for none; NULL: this module is not known here. A vendor's
 * build may have more.
 */
const char *known_modules_options(const char *module);

#endif
