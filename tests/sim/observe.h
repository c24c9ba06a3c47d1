/* SPDX-License-Identifier: Apache-2.0 */
/* What `simctl get` and `simctl set` know of a NIC, and the commands for files (fileorders.c). */
#ifndef TESTS_SIM_OBSERVE_H
#define TESTS_SIM_OBSERVE_H

#include "state.h"

struct observable { const char *name; void (*print)(struct sim *s, const struct nic *n, struct text *out); };
extern const struct observable observables[];	/* name NULL at the end */

/* How to change one; @argv: the words behind the interface's name. Return: 0 or -errno with the reason told. */
struct settable {
	const char *name, *words;	/* for the usage */
	int min, max;			/* how many words */
	int (*set)(struct sim *s, struct nic *n, int argc, char *const *argv);
};
extern const struct settable settables[];	/* name NULL at the end */

/** word_number - the whole of @word as a number of any base, @min to @max; else -EINVAL with the reason told */
int word_number(struct sim *s, const char *word, long min, long max, long *v);
/** word_bool - on, off, Y, N, 1, 0, true, false */
int word_bool(struct sim *s, const char *word, bool *v);
/** word_errno - "EIO" or "5". Return: a positive errno, or -EINVAL with the reason told */
int word_errno(struct sim *s, const char *word);

/* Rows of settables that are hardware's (hardware.c). */
int set_pcie(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_uplink(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_slot(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_link(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_carrier(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_fw(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_board(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_speed(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_flap_ms(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_flap_on_set(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_pfc_reset(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_addr(struct sim *s, struct nic *n, int argc, char *const *argv);
/** word_addrs - IPv4 addresses, or none, into @addr */
int word_addrs(struct sim *s, uint32_t addr[SIM_ADDRS], int argc, char *const *argv);
int set_numa(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_fw_lldp(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_counter(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_rate(struct sim *s, struct nic *n, int argc, char *const *argv);
int set_ifname(struct sim *s, struct nic *n, int argc, char *const *argv);

/* Commands, as in commands.c: words behind the name in, what they print out. Return: 0 or -errno with the reason told. */
int order_put(struct sim *s, int argc, char *const *argv, struct text *out);
int order_cat(struct sim *s, int argc, char *const *argv, struct text *out);
int order_ls(struct sim *s, int argc, char *const *argv, struct text *out);
int order_del(struct sim *s, int argc, char *const *argv, struct text *out);
int order_symlink(struct sim *s, int argc, char *const *argv, struct text *out);
int order_mkdir(struct sim *s, int argc, char *const *argv, struct text *out);
int order_touch(struct sim *s, int argc, char *const *argv, struct text *out);
int order_deny(struct sim *s, int argc, char *const *argv, struct text *out);
int order_mount(struct sim *s, int argc, char *const *argv, struct text *out);
int order_umount(struct sim *s, int argc, char *const *argv, struct text *out);
int order_memory(struct sim *s, int argc, char *const *argv, struct text *out);
int order_user(struct sim *s, int argc, char *const *argv, struct text *out);
int order_lldpd(struct sim *s, int argc, char *const *argv, struct text *out);
int order_neighbor(struct sim *s, int argc, char *const *argv, struct text *out);
int order_open(struct sim *s, int argc, char *const *argv, struct text *out);
int order_close(struct sim *s, int argc, char *const *argv, struct text *out);
/** order_set_file - `echo TEXT >PATH`: the kernel's files take it or not, another one is made or replaced */
int order_set_file(struct sim *s, const char *path, const char *text);

#endif
