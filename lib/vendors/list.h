/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendors, read twice: to declare and to list. Each is a file of tables in this folder; the order is that in which
 * drivers are looked up. The last one is for every driver that is not named before.
 */
VENDOR(mlx5)
VENDOR(bnxt)
VENDOR(ice)
VENDOR(hns)
VENDOR(ionic)
VENDOR(mana)
VENDOR(soft)
VENDOR(other)
