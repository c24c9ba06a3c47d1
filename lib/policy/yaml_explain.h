/* SPDX-License-Identifier: Apache-2.0 */
/* libyaml's syntax errors in words of somebody who writes a policy. Private to yaml.c. */
#ifndef POLICY_YAML_EXPLAIN_H
#define POLICY_YAML_EXPLAIN_H

#include "base/diag.h"

struct yaml_parser_s;

/** yaml_explain - tells the error that @p stopped at, with a hint where its usual cause is known */
void yaml_explain(const struct yaml_parser_s *p, const struct source *source, struct diags *d);

#endif
