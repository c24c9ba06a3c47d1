/* SPDX-License-Identifier: Apache-2.0 */
/* The initramfs of the running kernel, see initramfs.h. Speaks to /boot and /proc/uptime. */
#include "boot/initramfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

enum { SECOND = 1000000000 };

/* Where distributions keep it, and what makes it anew there. */
static const struct { const char *path, *remake; } places[] = {
	{ "boot/initrd.img-%s", "update-initramfs -u -k %s" },			/* Debian, Ubuntu */
	{ "boot/initramfs-%s.img", "dracut -f /boot/initramfs-%s.img %s" },	/* Fedora, RHEL and theirs */
	{ "boot/initrd-%s", "dracut -f /boot/initrd-%s %s" },			/* SUSE */
};

/* @format with every %s as the release */
static const char *filled(struct arena *a, const char *format, const char *release)
{
	TEXT_CLEANUP struct text t = { 0 };

	for (; *format; format++) {
		if (format[0] == '%' && format[1] == 's') {
			text_add(&t, release);
			format++;
		} else {
			text_char(&t, *format);
		}
	}
	return arena_strdup(a, text_str(&t));
}

/* It becomes part of a path and of a command that people copy. */
static bool release_ok(const char *release)
{
	return files_component(release) &&
	       !release[strspn(release, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+~-")];
}

int initramfs_load(struct kernel *k, const char *release, const struct initramfs **out)
{
	void **memo = kernel_memo(k, "boot:initramfs");
	struct initramfs *i = *memo;

	if (i) {
		*out = i;
		return 0;
	}
	i = arena_new_of(k->arena, struct initramfs);
	for (size_t n = 0; release_ok(release) && n < sizeof(places) / sizeof(places[0]); n++) {
		const char *path = filled(k->arena, places[n].path, release);
		struct kernel_stat st;
		int r = kernel_stat(k, path, &st);

		if (r == -ENODATA)
			return r;
		if (r < 0)
			continue;
		*i = (struct initramfs){ arena_printf(k->arena, "/%s", path), st.mtime_ns, filled(k->arena, places[n].remake, release) };
		break;
	}
	*kernel_memo(k, "boot:initramfs") = i;
	*out = i;
	return 0;
}

static int uptime_s(struct kernel *k, int64_t *s)
{
	const char *text;
	char *end;
	int r = files_text(k, &text, "proc/uptime");

	if (r < 0)
		return r;
	*s = strtoll(text, &end, 10);
	return end == text || *s < 0 ? -EBADMSG : 0;
}

int initramfs_older(struct kernel *k, const struct initramfs *i, const char *file, int64_t now_s, bool *older, bool *booted)
{
	struct kernel_stat st;
	int64_t up;
	int r;

	*older = *booted = false;
	if (!i->path)
		return 0;
	r = kernel_stat(k, file, &st);
	if (r < 0)
		return r;
	*older = i->mtime_ns < st.mtime_ns;
	if (*older && uptime_s(k, &up) == 0)
		*booted = now_s - up > st.mtime_ns / SECOND;
	return 0;
}
