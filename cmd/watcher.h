/* SPDX-License-Identifier: Apache-2.0 */
/* The watcher of `apply --confirm`: another process, which undoes the run unless it is confirmed in time. */
#ifndef CMD_WATCHER_H
#define CMD_WATCHER_H

#include <stdint.h>

struct diags;

/**
 * watcher_start - before the first write: as a transient systemd unit where systemd runs, else detached
 * It outlives this process, its session, terminal and cgroup.
 * Return: 0; -errno, told in @d: without it nothing may be written.
 */
int watcher_start(int64_t run, struct diags *d);
/** watcher_run - the watcher's life; returns its exit status */
int watcher_run(int64_t run);

#endif
