/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the user and files of our own: a policy or a dump is read whole, output is replaced in one step, a lock
 * keeps two writers apart. The machine's files are not read here but through kernel/kernel.h.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/diag.h"

struct arena;

/**
 * file_load - a whole file, or standard input where @path is "-" (told as <stdin>)
 * @max: most bytes that are taken; more is -EFBIG
 * Return: 0 with *out in the arena, NUL behind its text; -errno, told in @d.
 */
int file_load(struct arena *a, const char *path, size_t max, const struct source **out, struct diags *d);

/**
 * file_replace_at - new content for @name in the directory @dirfd, all or nothing: a file beside it is written, fsynced
 *	and renamed, the directory fsynced
 * @mode: of a new file; one that exists keeps its mode, its owner where we may, and its SELinux label
 * Return: 0; -ELOOP if @name is a symbolic link; -EEXIST if it is no regular file; other -errno. Nothing is told.
 */
int file_replace_at(int dirfd, const char *name, const void *s, size_t n, mode_t mode);
/** file_replace - the same by path; told in @d */
int file_replace(const char *path, const void *s, size_t n, mode_t mode, struct diags *d);
/** file_replace_mode - the same, and one that exists gets this mode, too: for what must be private, or must be readable */
int file_replace_mode(const char *path, const void *s, size_t n, mode_t mode, struct diags *d);

enum { FILE_HOLDER = 200 };
/**
 * file_lock - takes the lock @path (dies with the process) and writes into it who holds it
 * @who: "apply", told to those who come in vain
 * @wait_s: how long to wait for it; 0: not at all
 * Return: 0 with *fd for file_unlock(); -EAGAIN if another has it; -errno. Both told in @d.
 */
int file_lock(const char *path, const char *who, unsigned wait_s, int *fd, struct diags *d);
/**
 * file_locked - does somebody hold it now, and who; takes nothing, and never makes a writer fail
 * The file is its owner's alone: who could read it could also lock it, and keep writers out.
 * Return: 1; 0; -EACCES: cannot be told.
 */
int file_locked(const char *path, char who[FILE_HOLDER]);
void file_unlock(int fd);

#endif
