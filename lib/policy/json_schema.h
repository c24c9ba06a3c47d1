/* SPDX-License-Identifier: Apache-2.0 */
/* The language as JSON Schema, draft-07, for editors and for checks without rdmactl. */
#ifndef POLICY_JSON_SCHEMA_H
#define POLICY_JSON_SCHEMA_H

struct arena;
struct catalog;
struct json;

/**
 * json_schema - writes the schema of a policy, from the tables that the parser reads with
 * What a schema cannot say (names that must exist, values against each other) is left to lint: it refuses nothing that the
 * parser takes, of a reader that knows YAML 1.2.
 */
void json_schema(struct arena *a, const struct catalog *c, struct json *j);

#endif
