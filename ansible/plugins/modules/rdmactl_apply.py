#!/usr/bin/python
# -*- coding: utf-8 -*-
# SPDX-License-Identifier: Apache-2.0
"""Makes a node match its policy, with the truth in check mode and in --diff."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r'''
---
module: rdmactl_apply
short_description: Makes an RDMA node match its policy
version_added: 0.1.0
description:
  - Runs C(rdmactl apply) on the node. What differs from the policy is put right with the smallest safe set of writes, each of them
    read back; what fails is undone. A node in policy is not written to.
  - Check mode runs C(rdmactl apply --dry-run). It returns the changes that apply makes, in order, and fails where apply would
    not bring the node into policy.
  - The task fails unless the node is in policy afterwards, or waits for a reload, a reboot or a confirm. What was written is told
    all the same, in I(changed) and I(changes).
author:
  - The rdmactl authors (@rdmactl)
extends_documentation_fragment:
  - rdmactl.node.node
options:
  state:
    description:
      - C(applied) makes the node match its policy.
      - C(confirmed) keeps the run that waits for it, and writes its boot files. If none waits the task fails, since the run may be
        undone by now; in check mode it is skipped.
    type: str
    choices: [applied, confirmed]
    default: applied
  allow:
    description:
      - The largest impact on traffic, C(IDLE) or C(IDLE/BUSY), each C(none), C(traffic) or C(reload). What is above it is left alone
        and named, and the task fails.
      - Unset, rdmactl's own default counts, C(traffic/none).
    type: str
  if_idle:
    description:
      - Change nothing at all if a port concerned is in use.
    type: bool
    default: false
  confirm:
    description:
      - Seconds after which the run is undone, unless a task with I(state=confirmed) comes before.
    type: int
  take_over:
    description:
      - Write also where another owner may overwrite it.
    type: bool
    default: false
  revert_dropped:
    description:
      - Give back what the policy no longer names and a run before has set.
    type: bool
    default: false
  wait:
    description:
      - Seconds to wait for another rdmactl that is at work on the node.
    type: int
    default: 60
attributes:
  check_mode:
    description: Says what apply then does, without a write.
    support: full
  diff_mode:
    description: The values that are written, before and after.
    support: full
notes:
  - Use I(exit_code) in C(failed_when) to let a status pass, such as C(failed_when=result.exit_code not in [0, 1]).
  - What a device does behind the plan's back cannot be foreseen. After a reload of a device, apply looks at the node anew and
    writes what then differs.
seealso:
  - module: rdmactl.node.rdmactl_info
'''

EXAMPLES = r'''
- name: Bring the node into policy; a port in use is left alone
  rdmactl.node.rdmactl_apply:

- name: In a maintenance window, also what reloads an adapter
  rdmactl.node.rdmactl_apply:
    allow: reload/none

- name: Only the quality of service, kept only if the next task still reaches the node
  rdmactl.node.rdmactl_apply:
    only: [qos]
    confirm: 300

- name: Keep it
  rdmactl.node.rdmactl_apply:
    state: confirmed
'''

RETURN = r'''
exit_code:
  description: Exit status of rdmactl; in check mode the one that apply will have.
  returned: always
  type: int
  sample: 0
result:
  description: The same in a word, such as C(in-sync), C(drift), C(pending), C(failed-rolled-back), C(in-between); in check mode,
    that of the node as it is.
  returned: when there is a report
  type: str
  sample: in-sync
node:
  description: Name by which the policy knows the node.
  returned: when there is a report
  type: str
  sample: gpu0001
changes:
  description: The changes in order, as C(rdmactl plan) has them; those with I(refused) are left alone.
  returned: when there is a report
  type: list
  elements: dict
  sample: [{target: nic0, object: mtu, impact: traffic, effective: now, done: true, cells: [{setting: mtu, from: 1500, to: 9000}]}]
rows:
  description: The values that are not in sync; in check mode, before apply.
  returned: when there is a report
  type: list
  elements: dict
remaining:
  description: The rows that differ or cannot be read afterwards. In check mode, those that apply will not put right.
  returned: when there is a report
  type: list
  elements: dict
reload:
  description: What reloads a device or waits for a reload, in words.
  returned: when there is a report
  type: list
  elements: str
counts:
  description: Number of rows by status.
  returned: when there is a report
  type: dict
  sample: {in-sync: 39, drift: 0, pending: 0, unsupported: 0, unknown: 0, unmanaged: 0}
policy_info:
  description: File, revision and digest of the policy, and digest of what it asks of this node.
  returned: when there is a report
  type: dict
messages:
  description: Errors, warnings and notes.
  returned: when there is a report
  type: list
  elements: dict
'''

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.rdmactl.node.plugins.module_utils import rdmactl

TO_APPLY = ('node', 'port', 'only', 'allow', 'if_idle', 'confirm', 'take_over', 'revert_dropped', 'wait')


def foreseen(program, report):
    """What apply will return, of its plan."""
    if report['exit_code'] > rdmactl.EXIT_UNKNOWN:
        return dict(changed=False)
    if waits(program):
        return dict(changed=False, exit_code=rdmactl.EXIT_LOCKED, result='not-begun')
    return dict(changed=bool(rdmactl.made(report)), exit_code=rdmactl.predicted(report))


def apply_policy(module, program):
    argv, data, folder = rdmactl.policy_words(module)
    argv = ['apply'] + argv + rdmactl.words(module.params, TO_APPLY)
    if module.check_mode:
        argv.append('--dry-run')
    if folder:      # written by this module: whoever may become root owns what is above
        argv.append('--trust-policy')
    report = program.report(argv, data, folder)
    values = rdmactl.outcome(report)
    values['changed'] = report['changed']
    if module.check_mode:
        values.update(foreseen(program, report))
    if module._diff and values['changed']:
        values['diff'] = rdmactl.diff_of(report)
    rdmactl.tell(module, report)
    if values['exit_code'] != 0:
        module.fail_json(msg=rdmactl.failure(report, values['exit_code'], module.check_mode), **values)
    module.exit_json(**values)


def waits(program):
    """Does a run wait for confirm?"""
    runs = program.report(['history'])['runs']
    return bool(runs) and runs[-1]['result'] == 'waits-for-confirm'


def foresee_confirm(module, program):
    """Check mode: the boot files that confirm writes are those whose rows wait for it."""
    if not waits(program):
        module.exit_json(skipped=True, msg='no run waits for confirm; one that a task before has announced would be open now')
    argv, data, folder = rdmactl.policy_words(module)
    report = program.report(['drift'] + argv + rdmactl.words(module.params, ('node',)), data, folder)
    written = [row for row in report['items'] if row['status'] == 'pending' and row.get('event') == 'confirm']
    module.exit_json(changed=bool(written), exit_code=0, result='confirmed', rows=written)


def confirm(module, program):
    if module.check_mode:
        foresee_confirm(module, program)
    report = program.report(['confirm'])
    values = dict(rdmactl.outcome(report), changed=report['changed'])
    rdmactl.tell(module, report)
    if report['exit_code'] != 0:
        module.fail_json(msg=rdmactl.failure(report, report['exit_code']), **values)
    module.exit_json(**values)


def main():
    module = AnsibleModule(
        argument_spec=dict(
            rdmactl.COMMON_ARGS,
            state=dict(type='str', choices=['applied', 'confirmed'], default='applied'),
            allow=dict(type='str'),
            if_idle=dict(type='bool', default=False),
            confirm=dict(type='int'),
            take_over=dict(type='bool', default=False),
            revert_dropped=dict(type='bool', default=False),
            wait=dict(type='int', default=60),
        ),
        mutually_exclusive=rdmactl.ONE_POLICY,
        supports_check_mode=True,
    )
    program = rdmactl.Rdmactl(module)
    if module.params['state'] == 'confirmed':
        confirm(module, program)
    apply_policy(module, program)


if __name__ == '__main__':
    main()
