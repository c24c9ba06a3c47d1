/* SPDX-License-Identifier: Apache-2.0 */
/* Names from the trees of a policy's files: nothing is decoded, so that an error elsewhere takes none away. */
#include "policy/words.h"

#include "policy/parts.h"

void policy_words_nodes(const struct policy *p, size_t max, policy_words_visit found, void *arg)
{
	for (size_t i = 0; i < p->nentries; i++)
		hostlist_each(p->entry[i].hosts, max, found, arg);	/* of a wrong one nothing is left */
}

static void groups_of(const struct yaml *part, struct arena *a, policy_words_visit found, void *arg)
{
	const struct yaml *ports = yaml_get(part, schema_part[PART_PORTS].key);

	for (size_t i = 0; ports && ports->shape == SHAPE_MAP && i < ports->n; i++)
		if (yaml_key(ports, i)->shape == SHAPE_SCALAR)
			found(yaml_dup(a, yaml_key(ports, i)), arg);
}

/* @set: the key below each name that holds the groups; NULL: they stand there themselves */
static void groups_in(const struct yaml *map, const char *set, struct arena *a, policy_words_visit found, void *arg)
{
	for (size_t i = 0; map && map->shape == SHAPE_MAP && i < map->n; i++) {
		const struct yaml *part = yaml_value(map, i);

		part = set ? yaml_get(part, set) : part;
		if (part)
			groups_of(part, a, found, arg);
	}
}

void policy_words_groups(const struct policy *p, struct arena *a, policy_words_visit found, void *arg)
{
	for (size_t i = 0; i < p->files.n; i++) {
		const struct yaml *root = p->files.at[i]->root;

		if (!root)
			continue;
		groups_in(yaml_get(root, schema_top[TOP_PROFILES].key), NULL, a, found, arg);
		groups_in(yaml_get(root, schema_top[TOP_NODES].key), schema_entry[ENTRY_SET].key, a, found, arg);
		groups_in(yaml_get(root, schema_top[TOP_COHORTS].key), schema_cohort[COHORT_SET].key, a, found, arg);
	}
}
