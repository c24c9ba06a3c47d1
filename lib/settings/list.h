/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings, in grow order, read twice: to declare and to list. A new setting is its file and a line here,
 * with the reason for its place.
 */
SETTING(modules)	/* options and loading first: a module that loads later brings its keys */
SETTING(max_backlog)
SETTING(sysctl)
SETTING(unit)		/* looked at, never written: what a port gets at boot hangs on it */
SETTING(boot_ours)	/* what is left in our files when all the others have said what they want there */
SETTING(advertise_conf)	/* likewise: what lldpd says no more, and the file that it starts with */
SETTING(count)		/* facts that are looked at, before anything is touched */
SETTING(link)
SETTING(neighbor)	/* what is at the other end of that link */
SETTING(pcie)
SETTING(firmware)
SETTING(roce)		/* reloads the device: what is set before it would be lost */
SETTING(gid)		/* exists only where RoCE is on */
SETTING(mtu)		/* before buffers and DCB: drivers rebuild their channels, and some lose PFC */
SETTING(pause)		/* off before PFC: on mlx5 one register holds both */
SETTING(buffer)		/* room for what PFC is to keep, before PFC; after the MTU, from which xoff follows */
SETTING(ets)		/* bnxt refuses PFC before any ETS */
SETTING(pfc)		/* lossless before the map sends traffic there */
SETTING(dscp)
SETTING(ecn)		/* marking and its answers change no queue */
SETTING(cm)		/* new connections get it last, when all they need is there */
SETTING(advertise)	/* tells others of all that (home.tells), and so comes after what shrinks, too */
