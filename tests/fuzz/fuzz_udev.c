/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of udev: one text is the rules of every directory, the properties that udev keeps, and each attribute of sysfs. */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "boot/netcfg.h"
#include "boot/udev.h"
#include "kernel/kernel.h"

struct input {
	const uint8_t *at;
	size_t n;
};

static int read_file(struct kernel *k, const char *path, struct text *out)
{
	const struct input *in = k->self;

	(void)path;
	text_addn(out, in->at, in->n);
	return 0;
}

static int list(struct kernel *k, const char *path, struct names *out)
{
	static const char *all[] = { "10-a.rules", "90-b.rules" };

	(void)k;
	(void)path;
	*out = (struct names){ all, sizeof(all) / sizeof(all[0]) };
	return 0;
}

/* The device's path is the text as well. */
static int link_of(struct kernel *k, const char *path, struct text *out)
{
	const struct input *in = k->self;

	if (!strncmp(path, "lib", 3))
		return -EINVAL;
	text_add(out, "../../devices/");
	for (size_t i = 0; i < in->n && i < 300; i++)
		if (in->at[i])
			text_char(out, (char)in->at[i]);
	return 0;
}

static void check(const struct udev_acts *acts)
{
	for (size_t i = 0; i < acts->n; i++)
		if (!acts->at[i].pos.source || !acts->at[i].pos.line || !acts->at[i].file || (!acts->at[i].value && !acts->at[i].doubt))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct kernel_ops ops = { .read = read_file, .list = list, .link = link_of };
	static const struct netcfg_link nic = { .ifname = "nic0", .ifindex = 7, .kind = "", .driver = "mlx5_core" };
	struct input in = { data, n };
	struct kernel k = { .ops = &ops, .self = &in, .arena = arena_new(), .kind = "fuzz" };
	struct udev_acts mtu = { 0 }, key = { 0 }, param = { 0 };
	struct udev_device module = udev_module("rdma_ucm"), netdev = udev_netdev(&k, &nic);
	const struct udev *u;

	if (udev_load(&k, UDEV_ALL, &u) < 0)
		abort();
	udev_attr(u, &netdev, "mtu", &mtu);
	udev_sysctl(u, &module, "net/rdma_ucm/max_backlog", &key);
	udev_sysctl(u, &netdev, "net/ipv4/conf/nic0/rp_filter", &key);
	udev_attr(u, &module, "parameters/debug", &param);
	check(&mtu);
	check(&key);
	check(&param);
	arena_free(k.arena);
	return 0;
}
