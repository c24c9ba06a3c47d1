/* SPDX-License-Identifier: Apache-2.0 */
/* What decides about the next boot: services, the initramfs, udev, mounts. */
#include <string.h>

#include "explain/tool.h"

static const struct fact units[] = {
	{ "opensm", .does = "the InfiniBand subnet manager",
	  .beware = "two active ones in a subnet fight, or stand by for each other: a node does not start one by "
		    "itself" },
	{ "openibd", .does = "loads the vendor's stack (MLNX_OFED)",
	  .beware = "a restart unloads all drivers: every port is gone for a while" },
	{ "lldpad", .does = "IEEE DCBX in user space",
	  .beware = "it writes ETS, PFC and APP again at each link event" },
	{ "lldpd", .does = "LLDP; does not touch DCB" },
	{ "systemd-sysctl", .does = "applies sysctl.d, at boot before most modules are there" },
	{ "systemd-modules-load", .does = "loads what modules-load.d names, before sysctl.d is applied" },
	{ "irqbalance", .does = "moves interrupts between CPUs",
	  .beware = "affinity set by hand does not stay beside it" },
	{ "rdma rdma-load-modules@rdma", .does = "loads the modules that /etc/rdma/modules names" },
	{ "rdma-ndd", .does = "writes the node description" },
	{ "NetworkManager systemd-networkd networking", .does = "owns addresses and MTUs",
	  .beware = "a restart reconnects ports" },
	{ "mst", .does = "files below /dev/mst" },
	{ "tuned", .does = "profiles of sysctls and CPU governors", .beware = "its sysctls come after sysctl.d" },
	{ 0 },
};

static const struct fact *unit(const char *word)
{
	size_t n = strlen(word);

	if (n > 8 && !strcmp(word + n - 8, ".service"))
		n -= 8;
	for (const struct fact *f = units; f->name; f++)
		for (const char *s = f->name; s; s = strchr(s, ' ') ? strchr(s, ' ') + 1 : NULL)
			if (!strncmp(s, word, n) && (!s[n] || s[n] == ' '))
				return f;
	return NULL;
}

static bool reads(const char *verb)
{
	static const char *const verbs[] = { "status", "show", "cat", "is-active", "is-enabled", "list-units" };

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i], verb))
			return true;
	return false;
}

static void systemctl(struct answer *a, const struct tool *t)
{
	const char *verb = NULL;
	bool service = !strncmp(t->names, "service", 7);

	for (size_t i = 1; i < a->command->n; i++) {
		const char *word = a->command->word[i];
		const struct fact *f = *word == '-' || (!verb && !service) ? NULL : unit(word);
		struct fact named;

		if (*word == '-')
			continue;
		if (f) {
			named = *f;
			named.name = word;
			answer_fact(a, &named, NULL);
			if (service && i + 1 < a->command->n)
				verb = a->command->word[i + 1];
		} else if (!verb) {
			verb = word;
		} else if (strcmp(verb, word) != 0) {
			answer_does(a, "%s: a unit of which nothing about RDMA is known", word);
		}
	}
	if (verb && !reads(verb))
		answer_effect(a, strstr(a->text, "openibd") && strcmp(verb, "start") && strcmp(verb, "enable") ? &effect_unload
														      : &effect_service);
	if (!verb)
		answer_does(a, "shows units");
}

static void initramfs(struct answer *a, const struct tool *t)
{
	(void)t;
	answer_does(a, "builds the initramfs anew, with the modprobe.d of now: drivers that load there take their "
		       "options from it");
	answer_effect(a, &effect_initramfs);
	answer_beware(a, "an option file that is newer than the initramfs is not in it");
}

static void udevadm(struct answer *a, const struct tool *t)
{
	const char *verb = a->command->n > 1 ? a->command->word[1] : "";

	(void)t;
	if (!strcmp(verb, "control"))
		answer_does(a, "--reload reads the rules anew; they hold for events that come afterwards");
	else if (!strcmp(verb, "trigger"))
		answer_does(a, "sends events of devices again, so that rules run for those that are there");
	else
		answer_does(a, "shows devices, events and rules of udev");
	if (!strcmp(verb, "control") || !strcmp(verb, "trigger"))
		answer_effect(a, &effect_udev);
}

static void mount(struct answer *a, const struct tool *t)
{
	(void)t;
	if (strstr(a->text, "debugfs"))
		answer_does(a, "makes debugfs visible below /sys/kernel/debug: mlx5 has its congestion control "
			       "(cc_params) there");
	else if (strstr(a->text, "configfs"))
		answer_does(a, "makes configfs visible below /sys/kernel/config: rdma_cm has default mode and ToS "
			       "there");
	else
		answer_does(a, "mounts a file system");
}

static void ofed(struct answer *a, const struct tool *t)
{
	(void)t;
	if (a->command->n > 1 && (!strcmp(a->command->word[1], "restart") || !strcmp(a->command->word[1], "stop"))) {
		answer_does(a, "unloads the vendor's stack, and loads it again");
		answer_effect(a, &effect_unload);
	} else {
		answer_does(a, "loads the vendor's stack, or says what is loaded");
	}
}

#define NO_SERVICE "rdmactl starts and stops no service"
const struct tool tools_boot[] = {
	{ .names = "systemctl", .is = "of systemd", .explain = systemctl, .no_policy = NO_SERVICE },
	{ .names = "service", .is = "of the init system", .explain = systemctl, .no_policy = NO_SERVICE },
	{ .names = "update-initramfs dracut mkinitcpio", .is = "of the distribution", .explain = initramfs,
	  .no_policy = "modules.MODULE.options are written to modprobe.d; building the initramfs is yours" },
	{ .names = "udevadm", .is = "of udev", .explain = udevadm, .no_policy = "it is no setting of rdmactl" },
	{ .names = "mount umount", .is = "of util-linux", .explain = mount,
	  .no_policy = "rdmactl mounts nothing; what it cannot reach "
											 "is told as not-mounted" },
	{ .names = "openibd mlnxofedctl", .is = "of MLNX_OFED", .explain = ofed, .no_policy = NO_SERVICE },
	{ 0 },
};
