/* SPDX-License-Identifier: Apache-2.0 */
/* sysfs, procfs, debugfs: one value a file. Paths as in kernel.h; longer than 4095 bytes is -ENAMETOOLONG. */
#ifndef KERNEL_FILES_H
#define KERNEL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diags;
struct kernel;

/** files_text - the file's text without trailing newline, in the kernel's arena; NUL inside is -EBADMSG */
int files_text(struct kernel *k, const char **text, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/** files_u64 - decimal, or 0x hex, whole file; -EBADMSG otherwise */
int files_u64(struct kernel *k, uint64_t *v, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/** files_number - files_u64 of a path as it is */
int files_number(struct kernel *k, uint64_t *v, const char *path);
bool files_exist(struct kernel *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** files_link - last component of a symbolic link's target ("mlx5_core" of …/driver) */
int files_link(struct kernel *k, const char **name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/** files_mounted - is a file system there: looks into proc/mounts for its type at the path ("debugfs", "sys/kernel/debug") */
bool files_mounted(struct kernel *k, const char *type, const char *path);
/** files_write - @text and a newline into an existing kernel file; failure told in @d with the path */
int files_write(struct kernel *k, const char *path, const char *text, struct diags *d);
/** files_component - may this name be one component of a path: not empty, no '/', no NUL, no control, not . or .. */
bool files_component(const char *name);

#endif
