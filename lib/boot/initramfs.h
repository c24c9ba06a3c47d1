/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The initramfs holds a copy of modprobe.d from when it was made: a module that is loaded from there gets the options of
 * that copy. What is in it is not looked at (a compressed archive, and which module is loaded from it is decided there):
 * the one that boots the running kernel is compared with the file that wins, by their times.
 */
#ifndef BOOT_INITRAMFS_H
#define BOOT_INITRAMFS_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;

struct initramfs {
	const char *path;		/* "/boot/initrd.img-6.1.0-37-amd64"; NULL: none is known */
	int64_t mtime_ns;
	const char *remake;		/* the command that makes it anew: "update-initramfs -u -k 6.1.0-37-amd64" */
};

/**
 * initramfs_load - that of kernel @release ("": not known, so none), looked for once an observation
 * Return: 0; -ENODATA: a dump that did not ask.
 */
int initramfs_load(struct kernel *k, const char *release, const struct initramfs **out);

/**
 * initramfs_older - is it older than @file ("etc/modprobe.d/a.conf")
 * @booted: set if it is: did the machine boot after @file was last changed, so that what runs now shows what counts
 * Return: 0; -errno if that is not known.
 */
int initramfs_older(struct kernel *k, const struct initramfs *i, const char *file, int64_t now_s, bool *older, bool *booted);

#endif
