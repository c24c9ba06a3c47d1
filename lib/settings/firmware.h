/* SPDX-License-Identifier: Apache-2.0 */
/* What firmware.c knows of version ranges, for lint. */
#ifndef SETTINGS_FIRMWARE_H
#define SETTINGS_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * firmware_families - first numbers of the versions at the ends of a range; "<29" ends family 28
 * Return: false if @range is none.
 */
bool firmware_families(const char *range, uint32_t *low, uint32_t *high);

/**
 * firmware_denied - is @range one version alone, and @deny one that it is in
 * Return: false also if either is no range.
 */
bool firmware_denied(const char *range, const char *deny);

#endif
