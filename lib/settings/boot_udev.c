/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of udev beside the boot files: SYSCTL{KEY} and ATTR{parameters/NAME} are written when a device appears, which is
 * mostly later than systemd-sysctl, and after modprobe has loaded the module. Programs that rules run (RUN) are looked at as
 * text.
 *
 * A check in sync reads the rules of this host (/etc, /run) alone. Those of packages are some fifty files that say nothing of
 * such keys as a rule; they are named where a value is wrong, and their doing shows in what runs.
 */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "boot/netcfg.h"
#include "kernel/kernel.h"
#include "settings/boot_files.h"

/* "net/ipv4/conf/IFNAME/KEY": the netdev whose key it is, or NULL. */
static const char *netdev_of_key(struct arena *a, const char *path)
{
	static const char *const prefixes[] = { "net/ipv4/conf/", "net/ipv6/conf/", "net/ipv4/neigh/", "net/ipv6/neigh/" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);

		if (!strncmp(path, prefixes[i], n))
			return arena_strndup(a, path + n, strcspn(path + n, "/"));
	}
	return NULL;
}

static struct netcfg_link link_named(const struct facts *f, const char *ifname)
{
	for (size_t i = 0; f && i < f->nports; i++)
		if (!strcmp(f->port[i].ifname, ifname))
			return (struct netcfg_link){ ifname, f->port[i].ifindex, "", f->port[i].driver, false };
	return (struct netcfg_link){ ifname, 0, "", "", false };
}

static void ask_sysctl(const struct boot_key *q, const struct udev *u, struct udev_acts *acts)
{
	const char *const *modules = homes_modules(q->path);
	const char *module = q->row->module ? q->row->module : modules ? modules[0] : NULL;
	const char *ifname = netdev_of_key(q->arena, q->path);
	struct udev_device d;

	if (module) {
		d = udev_module(module);
	} else if (ifname) {
		struct netcfg_link l = link_named(q->facts, ifname);

		d = udev_netdev(q->k, &l);
	}
	udev_sysctl(u, module || ifname ? &d : NULL, q->path, acts);
}

static void ask(const struct boot_key *q, enum udev_rules which, struct udev_acts *acts)
{
	const struct udev *u;
	int r = udev_load(q->k, which, &u);

	if (r < 0)
		acts->unread = arena_printf(q->arena, "the rules of udev cannot be read: %s", strerror(-r));
	if (r < 0 || !u->confd->n)
		return;
	if (q->row->kind == KEY_SYSCTL) {
		ask_sysctl(q, u, acts);
	} else {
		struct udev_device d = udev_module(q->module);

		udev_attr(u, &d, arena_printf(q->arena, "parameters/%s", q->param), acts);
	}
}

static const char *key_of(const struct boot_key *q)
{
	return q->row->kind == KEY_SYSCTL ? arena_printf(q->arena, "/proc/sys/%s", q->path)
					  : arena_printf(q->arena, "/sys/module/%s/parameters/%s", q->module, q->param);
}

/* Once a line, whoever asks. */
static void note(const struct boot_key *q, const struct udev_act *act, struct diags *d)
{
	const char *key = key_of(q), *value = act->value ? text_safe(q->arena, act->value, strlen(act->value), 60) : NULL;

	if (diag_told(d, SEVERITY_NOTE, &act->pos))
		return;
	diag_note(d, &act->pos, "a udev rule %s %s%s%s%s%s", act->doubt ? "may set" : "sets", text_safe(q->arena, key, strlen(key), 120),
		  value ? " to " : "", value ? value : "", act->doubt ? ": " : " when the module appears",
		  act->doubt ? act->doubt : "");
}

const struct udev_act *boot_udev(const struct boot_key *q, const struct cell *want, const struct record *have, struct diags *d)
{
	const struct udev_act *wins = NULL;
	struct udev_acts acts = { 0 };

	ask(q, UDEV_HOST, &acts);
	for (size_t i = 0; i < acts.n; i++) {
		const struct udev_act *act = &acts.at[i];

		if (q->row->kind == KEY_SYSCTL && !act->doubt)
			wins = act;
		else if (want && d && (!act->value || !boot_wanted(q->arena, want, have, act->value)))
			note(q, act, d);
	}
	if (acts.unread && want && d)
		diag_warning(d, NULL, "whether a rule of udev sets %s is not wholly known: %s", key_of(q), acts.unread);
	return wins;
}

void boot_udev_losers(const struct boot_key *q, const struct udev_act *wins, struct confd_losers *out)
{
	struct udev_acts acts = { 0 };

	ask(q, UDEV_ALL, &acts);
	for (size_t i = 0; i < acts.n; i++) {
		const struct udev_act *act = &acts.at[i];

		if (wins && wins->pos.line == act->pos.line && !strcmp(wins->pos.source->name, act->pos.source->name))
			continue;
		list_add(out, q->k->arena) = (struct confd_loser){
			act->pos, act->value ? act->value : "",
			act->doubt ? arena_printf(q->arena, "a rule of udev that may set it: %s", act->doubt) :
			wins	   ? "a later rule of udev counts" : "a rule of udev of a package, which sets it when the device appears",
		};
	}
}
