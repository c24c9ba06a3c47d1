/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dump: every raw answer of a machine in one file, JSON lines, replayed on another machine without root. What
 * was asked twice answers in order (the last answer stays); what was never asked is -ENODATA.
 */
#ifndef KERNEL_DUMP_H
#define KERNEL_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct diags;
struct kernel;
struct text;

struct dump_header { const char *hostname, *kernel, *observed_at, *boot_id, *rdmactl; int64_t observed_s; };

/** kernel_recording - passes every question on to @inner and writes question and answer to @out; never sets anything */
struct kernel *kernel_recording(struct arena *a, struct kernel *inner, const struct dump_header *h, struct text *out);
/** kernel_replay - a dump read back. Hostile input: bounded in lines, sizes, depth. NULL: told in @d with line */
struct kernel *kernel_replay(struct arena *a, const char *name, const char *text, size_t n, struct dump_header *h, struct diags *d);

#endif
