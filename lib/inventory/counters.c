/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA counters of a port. Not kept with the other files of an observation: they are read to be read again. */
#include "inventory/counters.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kernel/files.h"
#include "kernel/kernel.h"

#define PORT	      "sys/class/infiniband/%s/ports/%u/"
#define COUNTERS_MAX  4096u
#define NAME_MAX_SHOWN 128

/* Of counters/ those of traffic come first: the rest are errors, and each read is a management datagram to the adapter. */
static const char *const standard[] = {
	"port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets",
	"symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_rcv_remote_physical_errors",
	"port_xmit_discards", "port_xmit_wait",
};

enum { TRAFFIC = 4, STANDARD = sizeof(standard) / sizeof(standard[0]) };

static int read_number(struct kernel *k, const char *path, uint64_t *v)
{
	TEXT_CLEANUP struct text t = { 0 };
	int r = kernel_read(k, path, &t);

	if (r < 0)
		return r;
	t.n = text_trim(text_str(&t), t.n);
	text_char(&t, '\0');
	if (!strncmp(t.s, "N/A", 3))	/* "N/A (no PMA)": nobody in the driver answers */
		return -EOPNOTSUPP;
	return text_u64(t.s, v) ? 0 : -EBADMSG;
}

/* qedr shows the files of counters/ and answers none of them; a file may go with its device. */
static bool is_lack(int r)
{
	return r == -ENOENT || r == -ENODEV || r == -EINVAL || r == -EOPNOTSUPP;
}

static int add(struct kernel *k, struct arena *a, const char *dir, const char *name, struct counters *out)
{
	char path[PATH_MAX];
	uint64_t v;
	int r;

	if (!files_component(name) || snprintf(path, sizeof(path), "%s%s", dir, name) >= (int)sizeof(path))
		return 0;
	r = read_number(k, path, &v);
	if (r < 0)
		return is_lack(r) ? 0 : r;
	list_add(out, a) = (struct counter){ .name = text_safe(a, name, strlen(name), NAME_MAX_SHOWN), .value = v };
	return 0;
}

/* Without @unread the first that cannot be read ends it. */
static int take(struct kernel *k, struct arena *a, const char *dir, const char *name, struct counters *out, size_t *unread)
{
	int r = add(k, a, dir, name, out);

	if (r == 0 || !unread)
		return r;
	++*unread;
	return 0;
}

/* The first @nstandard of counters/, and hw_counters/. */
static int read_port(struct kernel *k, struct arena *a, const char *ibdev, uint32_t ibport, size_t nstandard,
		     struct counters *out, size_t *unread)
{
	struct names names;
	char dir[PATH_MAX];
	int r;

	if (!files_component(ibdev) || snprintf(dir, sizeof(dir), PORT "counters/", ibdev, ibport) >= (int)sizeof(dir))
		return 0;
	for (size_t i = 0; i < nstandard; i++) {
		r = take(k, a, dir, standard[i], out, unread);
		if (r < 0)
			return r;
	}
	snprintf(dir, sizeof(dir), PORT "hw_counters/", ibdev, ibport);
	r = kernel_list(k, dir, &names);
	if (r < 0)
		return is_lack(r) ? 0 : r;
	for (size_t i = 0; i < names.n && i < COUNTERS_MAX; i++) {
		if (!strcmp(names.at[i], "lifespan"))	/* how long the kernel keeps an answer, in milliseconds */
			continue;
		r = take(k, a, dir, names.at[i], out, unread);
		if (r < 0)
			return r;
	}
	return 0;
}

int counters_read(struct kernel *k, struct arena *a, const char *ibdev, uint32_t ibport, struct counters *out)
{
	return read_port(k, a, ibdev, ibport, TRAFFIC, out, NULL);
}

int counters_all(struct kernel *k, struct arena *a, const char *ibdev, uint32_t ibport, struct counters *out,
		 size_t *unread)
{
	*unread = 0;
	return read_port(k, a, ibdev, ibport, STANDARD, out, unread);
}

const struct counter *counters_moved(const struct counters *before, const struct counters *after, uint64_t *from)
{
	size_t at = 0;

	for (size_t i = 0; i < after->n; i++) {
		/* both are in one order, unless a counter came or went in between */
		if (at >= before->n || strcmp(before->at[at].name, after->at[i].name) != 0)
			for (at = 0; at < before->n && strcmp(before->at[at].name, after->at[i].name) != 0;)
				at++;
		*from = at < before->n ? before->at[at].value : 0;
		if (at == before->n || *from != after->at[i].value)
			return &after->at[i];
		at++;
	}
	return NULL;
}
