/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of a hostile driver, as metrics: each line of the input is the name of a file in hw_counters/, a blank and
 * what it says, and the name of a statistic as well. Whatever it is, a collector can take it, and no series is there twice.
 */
#include "fuzz.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "inventory/meters.h"
#include "kernel/kernel.h"
#include "model/facts.h"
#include "model/row.h"
#include "report/report.h"

enum { LINES = 64 };

struct hostile { size_t n; const char *name[LINES], *says[LINES]; };

static int list(struct kernel *k, const char *path, struct names *out)
{
	const struct hostile *h = k->self;

	(void)path;
	out->at = (const char **)(uintptr_t)h->name;
	out->n = h->n;
	return 0;
}

static int read_file(struct kernel *k, const char *path, struct text *out)
{
	const struct hostile *h = k->self;
	const char *name = strrchr(path, '/') + 1;

	for (size_t i = 0; i < h->n; i++)
		if (!strcmp(h->name[i], name)) {
			text_add(out, h->says[i]);
			return 0;
		}
	return -ENOENT;
}

static int ethtool(struct kernel *k, const char *ifname, void *cmd, size_t n)
{
	const struct hostile *h = k->self;
	struct ethtool_sset_info *info = cmd;
	uint32_t have = (uint32_t)h->n;

	(void)ifname;
	(void)n;
	if (info->cmd == ETHTOOL_GSSET_INFO)
		memcpy(info->data, &have, sizeof(have));
	else if (info->cmd == ETHTOOL_GSTRINGS)
		for (size_t i = 0; i < h->n; i++)
			memcpy(((struct ethtool_gstrings *)cmd)->data + i * ETH_GSTRING_LEN, h->name[i],
			       strnlen(h->name[i], ETH_GSTRING_LEN));
	else
		for (size_t i = 0; i < h->n; i++)
			((struct ethtool_stats *)cmd)->data[i] = UINT64_MAX - i;
	return 0;
}

/* NAME{LABELS} VALUE, its labels in quotes: where a sample's value begins. */
static const char *value_of(const char *line, size_t n)
{
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		if (quoted && line[i] == '\\')
			i++;
		else if (line[i] == '"')
			quoted = !quoted;
		else if (!quoted && line[i] == ' ')
			return line + i;
	}
	abort();
}

static void check(const struct text *t)
{
	const char *series[4096];
	size_t len[4096], n = 0;

	if (!text_is_utf8(text_str(t), t->n))
		abort();
	for (const char *line = text_str(t); *line; line = strchr(line, '\n') + 1) {
		size_t all = strcspn(line, "\n");
		const char *value;

		if (*line == '#')
			continue;
		value = value_of(line, all);
		if (strspn(value + 1, "0123456789.") != all - (size_t)(value + 1 - line) || n == 4096)
			abort();
		series[n] = line;
		len[n] = (size_t)(value - line);
		for (size_t i = 0; i < n; i++)
			if (len[i] == len[n] && !memcmp(series[i], line, len[i]))
				abort();
		n++;
	}
}

static void split(struct arena *a, const uint8_t *data, size_t n, struct hostile *h)
{
	char *save = NULL, *text = arena_strndup(a, (const char *)data, n);

	for (char *line = strtok_r(text, "\n", &save); line && h->n < LINES; line = strtok_r(NULL, "\n", &save)) {
		char *blank = strchr(line, ' ');

		h->says[h->n] = blank ? blank + 1 : "1";
		if (blank)
			*blank = '\0';
		h->name[h->n++] = line;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct port port = { .ifname = "eth\"0\\", .ibdev = "mlx5_0", .ibport = 1 };
	const struct kernel_ops ops = { .list = list, .read = read_file, .ethtool = ethtool };
	struct arena *a = arena_new();
	struct hostile h = { 0 };
	struct kernel k = { .ops = &ops, .self = &h, .arena = a, .kind = "hostile" };
	struct outcome o = { .command = "drift", .result = "in-sync" };
	struct readings r;
	struct text t = { 0 };

	split(a, data, n, &h);
	meters_init(&r);
	meters_port(&k, a, &port, &r);
	o.readings = &r;
	report_prometheus(&o, &t);
	check(&t);
	text_done(&t);
	arena_free(a);
	return 0;
}
