# -*- coding: utf-8 -*-
# SPDX-License-Identifier: Apache-2.0
"""What the documentation of the modules has in common: which policy, which node, which part of it."""

from __future__ import absolute_import, division, print_function

__metaclass__ = type


class ModuleDocFragment(object):
    DOCUMENTATION = r'''
options:
  executable:
    description:
      - The program on the node. A name without a slash is looked for in the usual places, C(/usr/local/sbin) among them.
    type: str
    default: rdmactl
  policy:
    description:
      - Path of the policy on the node, a file or a directory of C(*.yaml).
      - A policy that root applies has to be owned by root, and writable by nobody else.
    type: path
    default: /etc/rdmactl/policy.yaml
  content:
    description:
      - The text of a policy, instead of I(policy). It is not installed on the node.
      - Such a policy cannot include others. What the installed one asks is still compared, in the row C(boot.unit).
    type: str
  files:
    description:
      - The files of a policy by name, each with its text, instead of I(policy); they are not installed on the node either.
      - Files include each other by name, as in one directory. A file alone is the policy; of several it is the one that is called
        as I(policy) is, C(policy.yaml). Messages call them by their names here.
    type: dict
  node:
    description:
      - Judge for this node of the policy instead of the machine's own name.
    type: str
  port:
    description:
      - Only this group of ports, interface, RDMA device or PCI address.
    type: str
  only:
    description:
      - Only these settings or prefixes of settings, such as C(qos) or C(mtu); of the queries, C(plan) takes it.
    type: list
    elements: str
requirements:
  - rdmactl 0.1 or newer on the node, whose reports have form 1
'''
