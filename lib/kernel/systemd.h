/* SPDX-License-Identifier: Apache-2.0 */
/* A transient unit by D-Bus (org.freedesktop.systemd1.Manager.StartTransientUnit); libsystemd is opened for it only. */
#ifndef KERNEL_SYSTEMD_H
#define KERNEL_SYSTEMD_H

struct diags;

/**
 * systemd_transient - starts `rdmactl confirm --watch RUN` as the service rdmactl-confirm-RUN.service, and waits until it
 *	runs; the program is the one that runs now (/proc/self/exe)
 * The unit stays through `systemctl isolate`, is started anew if it is killed, and ends with the machine.
 * Return: 0; -ENOENT: no systemd runs here; -errno, told in @d.
 */
int systemd_transient(const char *run, struct diags *d);

#endif
