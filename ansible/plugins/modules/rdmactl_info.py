#!/usr/bin/python
# -*- coding: utf-8 -*-
# SPDX-License-Identifier: Apache-2.0
"""Reads: a node against its policy, what apply would do, its ports, its runs; or a policy without a machine."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r'''
---
module: rdmactl_info
short_description: Reads what rdmactl knows of an RDMA node
version_added: 0.1.0
description:
  - Runs one command of rdmactl that reads, and returns its report. Nothing is written.
  - A node that differs is no failure here; I(in_sync) and I(remaining) tell. What fails the task is a policy with an error, a
    missing right, or no answer.
author:
  - The rdmactl authors (@rdmactl)
extends_documentation_fragment:
  - rdmactl.node.node
options:
  query:
    description:
      - C(drift) compares the node with its policy, now and after the next boot.
      - C(plan) says what apply would write, in order.
      - C(lint) judges the policy, without a look at the node.
      - C(ports) lists the RDMA ports; no policy is needed.
      - C(history) lists the runs of rdmactl on the node.
    type: str
    choices: [drift, plan, lint, ports, history]
    default: drift
  allow:
    description:
      - For C(plan), the impact allowed, as in M(rdmactl.node.rdmactl_apply).
    type: str
  live:
    description:
      - For C(drift), judge only what runs now.
    type: bool
    default: false
  boot:
    description:
      - For C(drift), judge only what the next boot will give.
    type: bool
    default: false
  ignore_pending:
    description:
      - For C(drift), what waits for a reload or a reboot counts as in sync.
    type: bool
    default: false
attributes:
  check_mode:
    description: It reads in any mode.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
seealso:
  - module: rdmactl.node.rdmactl_apply
'''

EXAMPLES = r'''
- name: Compare the node with its policy
  rdmactl.node.rdmactl_info:
  register: node

- name: Stop at a node that differs
  ansible.builtin.assert:
    that: node.in_sync
    fail_msg: "{{ node.summary }}"

- name: Are all ports up
  rdmactl.node.rdmactl_info:
    query: ports
  register: seen
  until: seen.ports | rejectattr('carrier') | length == 0
  retries: 10
  delay: 3
'''

RETURN = r'''
in_sync:
  description: Whether rdmactl ended with 0.
  returned: always
  type: bool
  sample: true
exit_code:
  description: Exit status of rdmactl.
  returned: always
  type: int
  sample: 0
summary:
  description: What differs, in words; empty if nothing does.
  returned: with I(query=drift), I(query=plan), I(query=lint)
  type: str
result:
  description: The status in a word.
  returned: with I(query=drift), I(query=plan)
  type: str
  sample: in-sync
node:
  description: Name by which the policy knows the node.
  returned: with all but I(query=lint)
  type: str
  sample: gpu0001
rows:
  description: The values that are not in sync.
  returned: with I(query=drift), I(query=plan)
  type: list
  elements: dict
remaining:
  description: The rows that differ or cannot be read; for a plan those that apply would not put right.
  returned: with I(query=drift), I(query=plan)
  type: list
  elements: dict
reload:
  description: What reloads a device or waits for a reload, in words.
  returned: with I(query=drift), I(query=plan)
  type: list
  elements: str
changes:
  description: What apply would write, in order; those with I(refused) are left alone.
  returned: with I(query=drift), I(query=plan)
  type: list
  elements: dict
counts:
  description: Number of rows by status.
  returned: with I(query=drift), I(query=plan)
  type: dict
policy_info:
  description: File, revision and digest of the policy, and digest of what it asks of this node.
  returned: with I(query=drift), I(query=plan)
  type: dict
messages:
  description: Errors, warnings and notes; for C(lint), the findings.
  returned: with I(query=drift), I(query=plan), I(query=lint)
  type: list
  elements: dict
ports:
  description: The RDMA ports.
  returned: with I(query=ports)
  type: list
  elements: dict
  sample: [{name: nic0, ifname: nic0, ibdev: mlx5_0, ibport: 1, up: true, carrier: true, mtu: 9000, firmware: 28.39.1002}]
runs:
  description: The runs, oldest first.
  returned: with I(query=history)
  type: list
  elements: dict
'''

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.rdmactl.node.plugins.module_utils import rdmactl

JUDGED = ('node', 'port')
# query: the words of the command line, the options it takes, and whether it judges a policy
QUERIES = {
    'drift': (['drift'], JUDGED + ('live', 'boot', 'ignore_pending'), True),
    'plan': (['plan'], JUDGED + ('only', 'allow'), True),
    'lint': (['lint'], ('node',), False),
    'ports': (['show', 'ports'], ('port',), False),
    'history': (['history'], (), False),
}


def ask(module, program):
    argv, options, judges = QUERIES[module.params['query']]
    argv, data, folder = list(argv), None, None
    if module.params['only'] and 'only' not in options:
        module.fail_json(msg='only: query %s judges all settings; query: plan takes a part of them' % module.params['query'])
    if judges or module.params['query'] == 'lint':
        policy, data, folder = rdmactl.policy_words(module)
        argv += policy if judges else policy[1:]
    return program.report(argv + rdmactl.words(module.params, options), data, folder)


def answer(module, report):
    """What is returned, and whether the question could be answered at all."""
    values = dict(exit_code=report['exit_code'], in_sync=report['exit_code'] == 0)
    for name in ('ports', 'runs', 'node'):
        if name in report:
            values[name] = report[name]
    if 'items' in report or 'findings' in report:
        values.update(rdmactl.outcome(report))
        values['summary'] = '' if values['in_sync'] else rdmactl.failure(report, report['exit_code'])
        rdmactl.tell(module, report)
    return values


def main():
    module = AnsibleModule(
        argument_spec=dict(
            rdmactl.COMMON_ARGS,
            query=dict(type='str', choices=['drift', 'plan', 'lint', 'ports', 'history'], default='drift'),
            allow=dict(type='str'),
            live=dict(type='bool', default=False),
            boot=dict(type='bool', default=False),
            ignore_pending=dict(type='bool', default=False),
        ),
        mutually_exclusive=rdmactl.ONE_POLICY,
        supports_check_mode=True,
    )
    values = answer(module, ask(module, rdmactl.Rdmactl(module)))
    if values['exit_code'] > rdmactl.EXIT_IN_BETWEEN:
        module.fail_json(msg=values.get('summary') or 'rdmactl ended with %s' % values['exit_code'], **values)
    module.exit_json(**values)


if __name__ == '__main__':
    main()
