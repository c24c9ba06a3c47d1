/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stateful simulator: a kernel in memory behind the doors of struct kernel. It remembers what it is told, has
 * the side effects of the drivers that it knows, and refuses what the kernel refuses. What it was not taught is
 * refused as well, with -ENOSYS and a line in its log, so that no test passes on an answer that nobody thought of.
 *
 * A test makes one with sim_new(), changes it behind rdmactl's back with sim_do(), which takes the commands of
 * simctl, and looks at it through sim_kernel() as the product does. The programs simctl and rdmactl-sim share one
 * state file instead.
 */
#ifndef TESTS_SIM_SIM_H
#define TESTS_SIM_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct kernel;
struct sim;

/**
 * sim_new - a machine of its own, as `simctl FILE reset OPTIONS` makes it ("" for two mlx5 NICs on Linux 6.12)
 * @a: gives memory to the kernels that are made of it
 * Return: never NULL; options that are wrong end the program. sim_close() gives it back.
 */
struct sim *sim_new(struct arena *a, const char *options);
/** sim_open - the machine in a state file, made empty if @create. Return: NULL with errno set */
struct sim *sim_open(struct arena *a, const char *file, bool create);
void sim_close(struct sim *s);

/** sim_kernel - its doors. Several kernels of one machine share what they change, as processes do */
struct kernel *sim_kernel(struct sim *s);

/**
 * sim_do - one command of simctl, words separated by blanks: sim_do(s, "set mtu %s 9000", "nic0")
 * Return: 0 or -errno; sim_why() says why.
 */
int sim_do(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** sim_command - the same from an argument vector; what it prints is added to @out. NULL @argv[0]: -EINVAL */
int sim_command(struct sim *s, int argc, char *const *argv, struct text *out);
/** sim_why - the reason of the last refusal by sim_do(), or "" */
const char *sim_why(const struct sim *s);
/** sim_usage - the commands, a line each */
void sim_usage(struct text *out);

/** sim_writes - sets that came through the doors: netlink and ethtool sets, files written, replaced, removed */
uint64_t sim_writes(const struct sim *s);
/** sim_fail_nth_write - the @n th set from now on fails with @err (positive) and changes nothing; 0: none will */
void sim_fail_nth_write(struct sim *s, unsigned n, int err);
/** sim_fail_writes - the same for @calls sets from the @n th on (UINT_MAX: all), so that an undo fails as well */
void sim_fail_writes(struct sim *s, unsigned n, int err, unsigned calls);
/** sim_log - what was set, one line each, oldest first; refusals of what was not taught begin with "not taught:" */
const char *sim_log(const struct sim *s);

/**
 * sim_snapshot - all that can be read and that somebody may have set, as sorted text; counters, interface numbers,
 * and rdmactl's own /var/lib/rdmactl are left out. Two snapshots that are equal: the host reads as before.
 */
void sim_snapshot(struct sim *s, struct text *out);
/** sim_digest - the same as a number */
uint64_t sim_digest(struct sim *s);

#endif
