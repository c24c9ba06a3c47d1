/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only verbs knows. The GID table: one ioctl on the device's uverbs file (UVERBS_METHOD_QUERY_GID_TABLE),
 * instead of three sysfs files for each of 256 entries. It wants a context, whose request has a driver's part: the
 * table below holds the least that each driver takes. Drivers that want another are refused by the kernel
 * (EINVAL), and the caller goes to sysfs. The port query: libibverbs, opened only here, since opening it costs more
 * than all other reads together.
 */
#include "kernel/live.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/mlx5-abi.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define DRIVERS_MAX 64u
#define ATTRS_MAX   4
#define ENTRIES_MAX (UINT16_MAX / sizeof(struct ib_uverbs_gid_entry)) /* an attribute's length has 16 bits */

/* The least that a driver takes for a context; mlx5: no UARs, so one firmware command. */
static const struct mlx5_ib_alloc_ucontext_req_v2 mlx5_in = { .lib_caps = MLX5_LIB_CAP_DYN_UAR };
static const struct irdma_alloc_ucontext_req irdma_in = { .userspace_ver = 5 };

static const struct context_row {
	uint32_t driver;
	const void *in;
	uint16_t in_size, out_size;
} contexts[] = {
	{ RDMA_DRIVER_MLX5, &mlx5_in, sizeof(mlx5_in), 0 },
	{ RDMA_DRIVER_IRDMA, &irdma_in, sizeof(irdma_in), sizeof(struct irdma_alloc_ucontext_resp) },
	{ RDMA_DRIVER_SIW, NULL, 0, 8 },
};

struct command {
	union {
		struct ib_uverbs_ioctl_hdr hdr;
		char bytes[sizeof(struct ib_uverbs_ioctl_hdr) + ATTRS_MAX * sizeof(struct ib_uverbs_attr)];
	};
};

static void command_init(struct command *c, uint16_t method, uint32_t driver)
{
	memset(c, 0, sizeof(*c));
	c->hdr.length = sizeof(c->hdr);
	c->hdr.object_id = UVERBS_OBJECT_DEVICE;
	c->hdr.method_id = method;
	c->hdr.driver_id = driver;
}

/* Up to 8 bytes of input stand in the attribute itself. */
static void add(struct command *c, uint16_t id, uint16_t len, uint64_t data)
{
	c->hdr.attrs[c->hdr.num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = id,
		.len = len,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = data,
	};
	c->hdr.length = (uint16_t)(sizeof(c->hdr) + c->hdr.num_attrs * sizeof(struct ib_uverbs_attr));
}

static int run(int fd, struct command *c)
{
	return ioctl(fd, RDMA_VERBS_IOCTL, &c->hdr) < 0 ? -errno : 0;
}

/*
 * A command for another driver than the device's own is EINVAL: the first that is not tells the number. The command
 * itself lists no handles, and its own verdict does not matter (ENOENT: the count has nowhere to go).
 */
static int driver_of(int fd, uint32_t *driver)
{
	uint32_t handle;
	struct command c;
	int r = -EINVAL;

	for (uint32_t id = RDMA_DRIVER_UNKNOWN; id < DRIVERS_MAX && r == -EINVAL; id++) {
		command_init(&c, UVERBS_METHOD_INFO_HANDLES, id);
		add(&c, UVERBS_ATTR_INFO_OBJECT_ID, sizeof(uint64_t), UVERBS_OBJECT_PD);
		add(&c, UVERBS_ATTR_INFO_HANDLES_LIST, sizeof(handle), (uintptr_t)&handle);
		r = run(fd, &c);
		*driver = id;
	}
	return r == -EINVAL || r == -ENOTTY ? r : 0;
}

static int open_context(int fd, uint32_t driver)
{
	uint64_t out[16];
	struct command c;

	_Static_assert(sizeof(out) >= sizeof(struct irdma_alloc_ucontext_resp), "room for the largest answer");
	command_init(&c, UVERBS_METHOD_GET_CONTEXT, driver);
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		const struct context_row *row = &contexts[i];
		uint64_t in = 0;

		if (row->driver != driver)
			continue;
		if (row->in_size > sizeof(in))
			in = (uintptr_t)row->in;
		else if (row->in_size)
			memcpy(&in, row->in, row->in_size);
		if (row->in_size)
			add(&c, UVERBS_ATTR_UHW_IN, row->in_size, in);
		if (row->out_size)
			add(&c, UVERBS_ATTR_UHW_OUT, row->out_size, (uintptr_t)out);
	}
	return run(fd, &c);
}

static int query_table(int fd, uint32_t driver, struct ib_uverbs_gid_entry *entry, size_t room, uint64_t *n)
{
	struct command c;

	command_init(&c, UVERBS_METHOD_QUERY_GID_TABLE, driver);
	add(&c, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, sizeof(uint64_t), sizeof(*entry));
	add(&c, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, sizeof(uint32_t), 0);
	add(&c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, (uint16_t)(room * sizeof(*entry)), (uintptr_t)entry);
	add(&c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, sizeof(*n), (uintptr_t)n);
	return run(fd, &c);
}

struct uverbs {
	int err;
	struct names files;
};

/* Listed once for all devices. */
static const struct uverbs *uverbs_list(struct kernel *k)
{
	void **slot = kernel_memo(k, "uverbs");
	struct uverbs *u = *slot;

	if (!u) {
		*slot = u = arena_new_of(k->arena, struct uverbs);
		u->err = kernel_list(k, "sys/class/infiniband_verbs", &u->files);
	}
	return u;
}

/* /sys/class/infiniband_verbs/uverbsN/ibdev names the device that a file belongs to. */
static int open_uverbs(struct kernel *k, const char *ibdev)
{
	const struct uverbs *u = uverbs_list(k);
	const char *name;
	char path[PATH_MAX];

	if (u->err < 0)
		return u->err == -ENOENT ? -EOPNOTSUPP : u->err;
	for (size_t i = 0; i < u->files.n; i++) {
		if (strncmp(u->files.at[i], "uverbs", 6) ||
		    files_text(k, &name, "sys/class/infiniband_verbs/%s/ibdev", u->files.at[i]) < 0 ||
		    strcmp(name, ibdev))
			continue;
		snprintf(path, sizeof(path), "dev/infiniband/%s", u->files.at[i]);
		return live_open(k->self, path, O_RDWR | O_NOCTTY);
	}
	return -EOPNOTSUPP;
}

static int read_table(int fd, struct ib_uverbs_gid_entry *entry, size_t room, uint64_t *n)
{
	uint32_t driver;
	int r = driver_of(fd, &driver);

	if (r == 0)
		r = open_context(fd, driver);
	return r < 0 ? r : query_table(fd, driver, entry, room, n);
}

int live_gids(struct kernel *k, const char *ibdev, struct gid_entry *entry, size_t room, size_t *n)
{
	struct live *l = k->self;
	struct ib_uverbs_gid_entry *raw;
	uint64_t got = 0;
	int fd, r;

	if (!l->whole)
		return -ENODATA;
	fd = open_uverbs(k, ibdev);
	if (fd < 0)
		return fd;
	if (room > ENTRIES_MAX)
		room = ENTRIES_MAX;
	raw = arena_array_of(k->arena, struct ib_uverbs_gid_entry, room);
	r = read_table(fd, raw, room, &got);
	close(fd);
	if (r < 0)
		return r == -EPROTONOSUPPORT ? -EOPNOTSUPP : r; /* before Linux 5.10 */
	*n = got < room ? (size_t)got : room;
	for (size_t i = 0; i < *n; i++) {
		entry[i] = (struct gid_entry){
			.index = raw[i].gid_index,
			.port = raw[i].port_num,
			.type = raw[i].gid_type,
			.ifindex = raw[i].netdev_ifindex,
		};
		memcpy(entry[i].gid, raw[i].gid, sizeof(entry[i].gid));
	}
	return 0;
}

struct library {
	struct ibv_device **(*get_device_list)(int *n);
	void (*free_device_list)(struct ibv_device **list);
	const char *(*get_device_name)(struct ibv_device *device);
	struct ibv_context *(*open_device)(struct ibv_device *device);
	int (*close_device)(struct ibv_context *context);
	int (*query_port)(struct ibv_context *context, uint8_t port, void *attr);
};

/* POSIX lets dlsym's pointer be a function's; ISO C has no cast for it. */
static bool symbol(void *library, const char *name, void *to)
{
	void *at = dlsym(library, name);

	memcpy(to, &at, sizeof(at));
	return at != NULL;
}

static int query_port(const struct library *v, const char *ibdev, uint32_t port, struct verbs_port *out)
{
	struct ibv_device **list = v->get_device_list(NULL);
	struct ibv_context *context = NULL;
	struct ibv_port_attr attr;
	int r = -ENODEV;

	if (!list)
		return -errno;
	for (size_t i = 0; list[i] && !context; i++) {
		if (strcmp(v->get_device_name(list[i]), ibdev))
			continue;
		errno = 0;
		context = v->open_device(list[i]);
		r = context ? 0 : errno ? -errno : -EIO;
	}
	if (context) {
		memset(&attr, 0, sizeof(attr));
		r = -v->query_port(context, (uint8_t)port, &attr);
		v->close_device(context);
	}
	v->free_device_list(list);
	if (r < 0)
		return r;
	*out = (struct verbs_port){
		.active_mtu = 128u << (attr.active_mtu & 7), /* 1 is 256 bytes, 5 is 4096 */
		.max_mtu = 128u << (attr.max_mtu & 7),
		.state = attr.state,
	};
	return 0;
}

int live_verbs(struct kernel *k, const char *ibdev, uint32_t port, struct verbs_port *out)
{
	struct live *l = k->self;
	struct library v;
	void *library;
	int r = -EOPNOTSUPP;

	if (!l->whole)
		return -ENODATA;
	if (port > UINT8_MAX)
		return -EINVAL;
	library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return -EOPNOTSUPP;
	if (symbol(library, "ibv_get_device_list", &v.get_device_list) &&
	    symbol(library, "ibv_free_device_list", &v.free_device_list) &&
	    symbol(library, "ibv_get_device_name", &v.get_device_name) &&
	    symbol(library, "ibv_open_device", &v.open_device) &&
	    symbol(library, "ibv_close_device", &v.close_device) &&
	    symbol(library, "ibv_query_port", &v.query_port))
		r = query_port(&v, ibdev, port, out);
	dlclose(library);
	return r;
}
