/* SPDX-License-Identifier: Apache-2.0 */
/* A machine anew: the same that `modprobe fabricsim` gives in the virtual machine of tests/vm, with links up. */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	unsigned pairs;
	const char *driver, *manners, *release, *ifname, *ibname, *name, *fw, *board, *numa;
	bool no_rdma, no_devlink, no_debugfs, no_configfs, no_dcb, no_ucm, ofed, apptrust, cm, eq_size;
};

enum kind { TEXT, NUMBER, SWITCH, MAYBE };	/* MAYBE: `--ofed`, `--ofed 1`, `--ofed 0` */

static const struct option {
	const char *name;
	enum kind kind;
	size_t at;
} options[] = {
	{ "--pairs", NUMBER, offsetof(struct options, pairs) },
	{ "--driver", TEXT, offsetof(struct options, driver) },
	{ "--manners", TEXT, offsetof(struct options, manners) },
	{ "--release", TEXT, offsetof(struct options, release) },
	{ "--ifname", TEXT, offsetof(struct options, ifname) },
	{ "--ibname", TEXT, offsetof(struct options, ibname) },
	{ "--name", TEXT, offsetof(struct options, name) },
	{ "--fw", TEXT, offsetof(struct options, fw) },
	{ "--psid", TEXT, offsetof(struct options, board) },
	{ "--node", TEXT, offsetof(struct options, numa) },
	{ "--no-rdma", SWITCH, offsetof(struct options, no_rdma) },
	{ "--no-devlink", SWITCH, offsetof(struct options, no_devlink) },
	{ "--no-debugfs", SWITCH, offsetof(struct options, no_debugfs) },
	{ "--no-configfs", SWITCH, offsetof(struct options, no_configfs) },
	{ "--no-dcb", SWITCH, offsetof(struct options, no_dcb) },
	{ "--no-ucm", SWITCH, offsetof(struct options, no_ucm) },
	{ "--ofed", MAYBE, offsetof(struct options, ofed) },
	{ "--apptrust", MAYBE, offsetof(struct options, apptrust) },
	{ "--cm", MAYBE, offsetof(struct options, cm) },
	{ "--eq-size", SWITCH, offsetof(struct options, eq_size) },
};

static const struct option *option_of(const char *name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

/* Return: how many words it took, or -EINVAL. */
static int take(struct sim *s, const struct option *o, int argc, char *const *argv, struct options *out)
{
	void *to = (char *)out + o->at;
	const bool digit = argc > 1 && (!strcmp(argv[1], "0") || !strcmp(argv[1], "1"));
	char *end;

	switch (o->kind) {
	case SWITCH:
		*(bool *)to = true;
		return 1;
	case MAYBE:
		*(bool *)to = !digit || argv[1][0] == '1';
		return digit ? 2 : 1;
	case NUMBER:
		if (argc > 1)
			*(unsigned *)to = (unsigned)strtoul(argv[1], &end, 10);
		return argc > 1 && *argv[1] && !*end ? 2 : sim_refuse(s, -EINVAL, "%s wants a number", o->name);
	default:
		if (argc < 2 || !argv[1][0] || strlen(argv[1]) > 31)
			return sim_refuse(s, -EINVAL, "%s wants a short word", o->name);
		*(const char **)to = argv[1];
		return 2;
	}
}

static int parse(struct sim *s, int argc, char *const *argv, struct options *out)
{
	while (argc > 0) {
		const struct option *o = option_of(argv[0]);
		int n = o ? take(s, o, argc, argv, out) : sim_refuse(s, -EINVAL, "reset: unknown option %s", argv[0]);

		if (n < 0)
			return n;
		argc -= n;
		argv += n;
	}
	if (out->pairs < 1 || out->pairs > SIM_NICS)
		return sim_refuse(s, -EINVAL, "--pairs: 1 to %d", SIM_NICS);
	if (strcmp(out->release, "6.1") && strcmp(out->release, "6.12"))
		return sim_refuse(s, -EINVAL, "--release: 6.1 or 6.12");
	return out->apptrust ? sim_refuse(s, -EINVAL, "--apptrust was not taught: no RDMA NIC has it") : 0;
}

static const struct driver *const known[MANNERS] = { &driver_mlx5, &driver_bnxt, &driver_ice, &driver_hns3 };

/* How it behaves: as --manners says, else as the driver of that name, else as mlx5. */
static int manners_of(struct sim *s, const struct options *o, int identity)
{
	for (int i = 0; o->manners && i < MANNERS; i++)
		if (!strcmp(o->manners, known[i]->short_name))
			return i;
	return o->manners ? sim_refuse(s, -EINVAL, "--manners: mlx5, bnxt, ice or hns3") : identity;
}

static int identity_of_name(const char *driver)
{
	for (int i = 0; i < MANNERS; i++)
		if (!strcmp(driver, known[i]->name))
			return i;
	return MANNERS_MLX5;
}

static void modules_default(struct sim *s, const struct options *o)
{
	static const char *const rdma[] = { "ib_uverbs", "ib_cm", "rdma_cm" };

	for (size_t i = 0; !o->no_rdma && i < sizeof(rdma) / sizeof(rdma[0]); i++)
		module_load(s, rdma[i], 0, NULL);
	if (!o->no_rdma && !o->no_ucm)
		module_load(s, "rdma_ucm", 0, NULL);
	if (!strcmp(o->driver, known[s->st->identity]->name))
		module_load(s, o->driver, 0, NULL);
	if (!o->no_rdma && !strcmp(o->driver, "mlx5_core"))
		module_load(s, "mlx5_ib", 0, NULL);
	s->why[0] = 0;
}

static void files_default(struct sim *s)
{
	char line[80];

	snprintf(line, sizeof(line), "%s\n", s->st->node);
	overlay_put(s, "etc/hostname", line, strlen(line), 0100644, true);
	sysctl_defaults(s);
}

static void nic_factory(struct sim *s, struct nic *n, const struct options *o, const char **numa)
{
	const struct driver *d = identity_of(s);
	struct hw *hw = &n->hw;
	char *end;

	snprintf(n->name, sizeof(n->name), "%.11s%u", s->st->ifname, nic_number(s, n));
	snprintf(hw->fw, sizeof(hw->fw), "%s", o->fw ? o->fw : d->fw);
	snprintf(hw->fw_stored, sizeof(hw->fw_stored), "%s", hw->fw);
	snprintf(hw->board, sizeof(hw->board), "%s", o->board ? o->board : d->board);
	hw->flap_on_set = hw->cable = true;
	hw->speed = 100000;
	hw->link = hw->slot = (struct pcie){ 4, 16 };
	hw->uplink = (struct pcie){ 5, 16 };
	n->numa = -1;
	if (*numa && **numa) {
		n->numa = (int16_t)strtol(*numa, &end, 10);
		*numa = *end == ',' ? end + 1 : end;
	}
	n->roce = n->roce_pending = true;
	driver_of(s)->factory(hw);
	nic_attach(s, n);
	nic_set_up(n, true);
}

/* A name as fabricsim takes it, "mlx5_%d": what stands before the number. */
static void stem(char to[32], const char *pattern)
{
	snprintf(to, 32, "%.*s", (int)strcspn(pattern, "%"), pattern);
}

int reset_machine(struct sim *s, int argc, char *const *argv)
{
	struct options o = {
		.pairs = 2, .driver = "mlx5_core", .release = "6.12", .ifname = "nic%d", .ibname = "mlx5_%d", .name = "node1",
		.cm = true,
	};
	struct state *st = s->st;
	const uint64_t generation = st->generation;
	const char *numa;
	int r = parse(s, argc, argv, &o), manners, identity = identity_of_name(o.driver);

	manners = r < 0 ? r : manners_of(s, &o, identity);
	if (manners < 0)
		return manners;
	/* files and heap are large, and used only where they are marked so */
	for (unsigned i = 0; i < st->nfiles && i < SIM_FILES; i++)
		st->file[i].used = false;
	memset(st, 0, offsetof(struct state, file));
	st->heap_used = 0;
	st->generation = generation + 1;
	st->old = !strcmp(o.release, "6.1");
	st->rdma = !o.no_rdma;
	st->devlink = !o.no_devlink;
	st->debugfs = !o.no_debugfs;
	st->configfs = !o.no_configfs;
	st->dcb = !o.no_dcb;
	st->ofed = o.ofed;
	st->cm = o.cm;
	st->lldpd_err = ENOENT;
	st->manners = (enum manners)manners;
	st->identity = (enum manners)identity;
	st->eq_size = o.eq_size;
	snprintf(st->driver, sizeof(st->driver), "%s", o.driver);
	stem(st->ifname, o.ifname);
	stem(st->ibname, o.ibname);
	snprintf(st->node, sizeof(st->node), "%s", o.name);
	st->next_ifindex = 2;
	files_default(s);
	modules_default(s, &o);
	st->nnics = o.pairs;
	numa = o.numa;
	for (unsigned i = 0; i < o.pairs; i++)
		nic_factory(s, &st->nic[i], &o, &numa);
	st->writes = 0;
	st->log_len = 0;
	st->log[0] = 0;
	st->magic = SIM_MAGIC;
	st->size = sizeof(*st);
	return 0;
}
