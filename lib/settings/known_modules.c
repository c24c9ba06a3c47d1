/* SPDX-License-Identifier: Apache-2.0 */
/* Module options by table: lint and explain judge without a machine, and modinfo is not asked on the way of drift. */
#include "settings/known_modules.h"

#include <stddef.h>

int known_modules_same(const char *a, const char *b)
{
	for (; *a || *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return 0;
	return 1;
}

static const struct {
	const char *module, *option, *instead;
} missing[] = {
	{ "mlx5_core", "log_num_mtt", "it is an option of mlx4_core; mlx5 sizes its translation tables itself" },
	{ "mlx5_core", "log_mtts_per_seg", "it is an option of mlx4_core; mlx5 sizes its translation tables itself" },
	{ "mlx5_core", "num_vfs", "it is an option of mlx4_core; for mlx5 write sriov_numvfs in sysfs" },
	{ "mlx5_core", "port_type_array",
	  "it is an option of mlx4_core; the port type of mlx5 is a firmware setting (LINK_TYPE)" },
	{ "mlx5_core", "roce_en", "say roce: {enabled: true} for the ports (devlink enable_roce)" },
	{ "mlx5_core", "num_tc", "say qos.tc and qos.ets for the ports" },
	{ "mlx5_core", "cq_eq_repack", "nothing replaces it" },
	{ "mlx5_ib", "log_num_mtt", "it is an option of mlx4_core; mlx5 sizes its translation tables itself" },
	{ "ib_core", "rdma_dev_reset_on_close",
	  "nothing replaces it; ib_core has netns_mode, send_queue_size, recv_queue_size" },
};

const char *known_modules_missing(const char *module, const char *option)
{
	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		if (known_modules_same(module, missing[i].module) && known_modules_same(option, missing[i].option))
			return missing[i].instead;
	return NULL;
}

static const struct {
	const char *module, *options;
} known[] = {
	{ "mlx5_core", "debug_mask prof_sel" },
	{ "mlx5_ib", "" },
	{ "ib_core", "netns_mode send_queue_size recv_queue_size force_mr" },
	{ "ib_ipoib", "send_queue_size recv_queue_size max_nonsrq_conn_qp debug_level mcast_debug_level" },
	{ "rdma_ucm", "" }, { "rdma_cm", "" }, { "ib_uverbs", "" }, { "bnxt_re", "" }, { "ionic", "" }, { "mana_ib", "" },
	{ "siw", "" }, { "rdma_rxe", "" }, { "ice", "debug" }, { "hns3", "tx_sgl page_pool_enabled debug" },
};

const char *known_modules_options(const char *module)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known_modules_same(module, known[i].module))
			return known[i].options;
	return NULL;
}
