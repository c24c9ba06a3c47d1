# -*- coding: utf-8 -*-
# SPDX-License-Identifier: Apache-2.0
"""What the modules share: runs rdmactl, reads its report (docs/report.schema.json), and puts it into words.

A report is the only source of what a module returns; nothing is measured here. The prediction of check mode is made of
the report of `rdmactl apply --dry-run` by the rules that `apply` itself follows.
"""

from __future__ import absolute_import, division, print_function

__metaclass__ = type

import errno
import json
import os
import subprocess
import tempfile

from ansible.module_utils.common.text.converters import to_bytes, to_text

FORM = 1
SAID = 400      # characters of an output that is no report

EXIT_DRIFT = 1
EXIT_UNKNOWN = 2
EXIT_IN_BETWEEN = 4
EXIT_LOCKED = 75

# What an exit status means to whoever reads a failed task, and what to do next.
MEANING = {
    1: ('is not in policy', 'see the remedy of each row; an impact above `allow` has to be allowed'),
    2: ('could not be read in full', 'see the reason of each row'),
    3: ('refused a change, and everything was undone', 'read the error: it has the kernel\'s own words'),
    4: ('is in between: a run did not end', 'run `rdmactl recover` on the node'),
    64: ('was asked wrongly', 'do rdmactl and this collection have the same version?'),
    65: ('has no policy that holds', 'put the policy right: `rdmactl lint` judges it without a machine'),
    75: ('is held by another run', 'wait longer (wait), or end the window of a run that waits for confirm'),
    77: ('does not permit it', 'become root; a policy that root applies has to be root\'s own (content is the way around)'),
    127: ('cannot run the program', 'install what it names on the node'),
}

# Why a file that is there does not start, and what to do next.
NO_START = {
    errno.EACCES: 'give it mode 0755; a file system mounted with noexec is no place for it',
    errno.ENOEXEC: 'install the one that was built for this machine (uname -m)',
    errno.ENOENT: 'install what it is started by, which is not there: ld.so of a program, the first line of a script',
}

COMMON_ARGS = dict(
    executable=dict(type='str', default='rdmactl'),
    policy=dict(type='path', default='/etc/rdmactl/policy.yaml'),
    content=dict(type='str'),
    files=dict(type='dict'),
    node=dict(type='str'),
    port=dict(type='str'),
    only=dict(type='list', elements='str'),
)


def words(params, names):
    """Options of the command line, for these parameters of a module; one that is not set has none."""
    argv = []
    for name in names:
        value = params.get(name)
        option = '--' + name.replace('_', '-')
        if value is None or value is False:
            continue
        if value is True:
            argv.append(option)
        elif isinstance(value, list):
            if value:
                argv += [option, ','.join(value)]
        else:
            argv += [option, str(value)]
    return argv


ONE_POLICY = [('content', 'files')]        # that exclude each other


def main_file(module):
    """Which of the files is the policy: the only one, or the one that is called as the policy on the node is."""
    files, wanted = module.params['files'], os.path.basename(module.params['policy'])
    for name in files:
        if name != os.path.basename(name) or name.startswith('.'):
            module.fail_json(msg='files: %s is not the name of a file in one directory; what next: name it without a folder' % name)
    if len(files) == 1:
        return list(files)[0]
    if wanted not in files:
        module.fail_json(msg='files: none of %s is called %s, as the policy on the node is; what next: have such a file include '
                         'the others' % (', '.join(sorted(files)) or 'no files', wanted))
    return wanted


def policy_words(module):
    """-p, what standard input has to hold for it, and the folder in which it counts."""
    params = module.params
    if params['content'] is not None:       # a file ends in a newline, which the lookup of a file takes away
        return ['-p', '-'], params['content'] + ('' if params['content'].endswith('\n') else '\n'), None
    if params['files'] is None:
        return ['-p', params['policy']], None, None
    name = main_file(module)
    folder = tempfile.mkdtemp(dir=module.tmpdir)        # Ansible's own, which goes with it; nobody else may enter
    for one, text in params['files'].items():
        with open(os.path.join(folder, one), 'wb') as f:
            f.write(to_bytes(text))
    return ['-p', name], None, folder


class Rdmactl(object):
    """The program on this node."""

    def __init__(self, module):
        self.module = module
        self.path = module.params['executable']
        if '/' not in self.path:
            self.path = module.get_bin_path(self.path, required=False, opt_dirs=['/usr/local/sbin', '/usr/sbin', '/sbin'])
        if not self.path or not os.path.exists(self.path):
            module.fail_json(msg=absent(module.params['executable'], module.check_mode))
        self.path = os.path.abspath(self.path)

    def run(self, argv, data=None, folder=None):
        """Its status, negative for a signal, what it printed, and what it said.

        AnsibleModule.run_command would lose what a program prints just before it ends, whole seconds after it began: that of
        ansible-core 2.14 leaves its loop if a second was silent and the program has ended by now, without reading once more.
        """
        environment = dict(os.environ, LC_ALL='C.UTF-8', NO_COLOR='1')
        try:
            program = subprocess.Popen([to_bytes(word) for word in [self.path] + argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, close_fds=True, cwd=folder, env=environment)
            out, err = program.communicate(to_bytes(data or ''))
        except (IOError, OSError) as e:
            self.module.fail_json(msg='%s cannot be started: %s; what next: %s' % (
                self.path, os.strerror(e.errno), NO_START.get(e.errno, 'see on the node whether it runs there')), changed=False)
        return program.returncode, to_text(out), to_text(err)

    def report(self, argv, data=None, folder=None):
        """Runs it. Returns its report; without one the module fails with what it said."""
        status, out, err = self.run(argv + ['-o', 'json'], data, folder)
        command = argv[0]
        try:
            report = json.loads(out)
        except ValueError:
            report = None
        if not isinstance(report, dict):
            self.module.fail_json(msg=no_report(command, status, out.strip(), err.strip()), exit_code=status, changed=False)
        if report.get('report') != FORM:
            self.module.fail_json(msg='rdmactl %s: the report has form %s, and this collection reads %d; what next: take the '
                                  'collection that came with that rdmactl' % (command, report.get('report'), FORM), changed=False)
        report.setdefault('exit_code', status)
        if status != report['exit_code']:       # killed behind its report: what it says may not be all
            self.module.fail_json(msg='rdmactl %s ended with %s behind a report that says %s\n%s'
                                  % (command, status, report['exit_code'], err), exit_code=status)
        return report


def absent(name, check_mode):
    """The words for a node without the program."""
    if check_mode:
        return ('%s is not on this node, and check mode installs nothing: what a policy would change cannot be foretold here; '
                'what next: install it first, which enables and changes nothing, and check again' % name)
    return '%s is not on this node; what next: install the package, or say where it is with executable' % name


def no_report(command, status, out, err):
    """The words for a run that ended without a report: it was killed, did not get to it, or its output was lost."""
    what, after = 'ended with status %d and no report' % status, 'read what it said'
    if status < 0 or status > 128:
        what, after = 'was killed by signal %d' % (-status if status < 0 else status - 128), 'run `rdmactl recover` on the node'
    elif not err and (not out or out.startswith('{')):
        what += ': its output %s' % ('is cut off' if out else 'is empty, or was lost')
        after = '`rdmactl history` on the node says what was done, `rdmactl drift` what is there; then run this again'
    elif status >= EXIT_IN_BETWEEN:
        after = MEANING.get(status, ('', after))[1]
    said = err or (out[:SAID] if not out.startswith('{') else '')
    return '\n'.join(line for line in ('rdmactl %s %s' % (command, what), said, 'what next: %s' % after) if line)


# --- values ---------------------------------------------------------------------------------------------------------

def shown(value):
    """A value as a policy spells it."""
    if value is None:
        return '(none)'
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, dict):
        return '{%s}' % ', '.join('%s: %s' % pair for pair in folded(value))
    if isinstance(value, list):
        return '[%s]' % ', '.join(shown(v) for v in value)
    return to_text(value)


def folded(value):
    """The pairs of a map in order; neighbouring numbers with one value are a range: 27-47."""
    pairs = []
    for key in sorted(value, key=in_order):
        text = shown(value[key])
        if pairs and key.isdigit() and pairs[-1][1] == int(key) - 1 and pairs[-1][2] == text:
            pairs[-1][1] = int(key)
        else:
            pairs.append([key, int(key) if key.isdigit() else None, text])
    return [(first if last is None or first == str(last) else '%s-%d' % (first, last), text) for first, last, text in pairs]


def in_order(key):
    """Numbers by number, words by letter."""
    return (0, int(key), '') if key.isdigit() else (1, 0, key)


def merged(old, new):
    """What an object holds after a write: keys of a map that the policy does not name are kept; {} stands for none."""
    if isinstance(old, dict) and isinstance(new, dict) and new:
        both = dict(old)
        both.update(new)
        return both
    return new


# --- what a run does ------------------------------------------------------------------------------------------------

def made(report):
    """The changes that this run makes or made, in order: for a plan those not refused, for apply those done."""
    planned = report['command'] == 'plan'
    return [c for c in report.get('changes', []) if not c.get('refused') and (planned or c.get('done'))]


def where(change):
    """The home that a change writes to; the boot files of a node are not its running values."""
    return ' (boot)' if change['object'] == 'boot files' else ''


def diff_of(report):
    """--diff: the values that are written, before and after, a line each. The same of a plan and of its apply."""
    before, after, order = {}, {}, []
    for change in made(report):
        for cell in change['cells']:
            key = '%s %s%s' % (change['target'], cell['setting'], where(change))
            if key not in before:
                order.append(key)
                before[key] = cell.get('from')
                after[key] = cell.get('from')
            after[key] = merged(after[key], cell.get('to'))
    return {
        'before': ''.join('%s: %s\n' % (key, shown(before[key])) for key in order),
        'after': ''.join('%s: %s\n' % (key, shown(after[key])) for key in order),
        'before_header': '%s as it is' % report.get('node', 'node'),
        'after_header': '%s in policy' % report.get('node', 'node'),
    }


def covered(report):
    """The rows (target, setting) that a plan's changes put right."""
    return set((c['target'], cell['setting']) for c in made(report) for cell in c['cells'])


def trouble(row):
    return row['status'] in ('drift', 'unknown')


def remaining(report):
    """The rows that differ or cannot be read once this run is over, those that another row explains left out."""
    rows = [row for row in report.get('items', []) if trouble(row) and not row.get('follows')]
    if report['command'] != 'plan':
        return rows
    done = covered(report)
    return [row for row in rows if row['status'] == 'unknown' or (row['target'], row['setting']) not in done]


def predicted(report):
    """The exit status that apply will have, of its plan."""
    if report['exit_code'] > EXIT_UNKNOWN or not report.get('items'):
        return report['exit_code']
    left = remaining(report)
    if any(row['status'] == 'drift' for row in left):
        return EXIT_DRIFT
    return EXIT_UNKNOWN if left else 0


def needs_reload(report):
    """The changes that reload a device, or that count only once somebody reloads it, and rows that wait for it."""
    found = ['%s %s: %s' % (c['target'], c['object'], c.get('does') or 'a reload') for c in report.get('changes', [])
             if c['impact'] == 'reload' or c['effective'] == 'reload']
    return found + ['%s %s: waits for a reload' % (row['target'], row['setting']) for row in report.get('items', [])
                    if row['status'] == 'pending' and row.get('event') == 'reload']


# --- words ----------------------------------------------------------------------------------------------------------

def place(at):
    return ':'.join(str(at[key]) for key in ('file', 'line', 'column') if at.get(key) is not None)


def row_text(row):
    """Where, what, why, what next."""
    have = [row['live']] if row.get('live_wrong') and 'live' in row else []
    text = '%s %s: wants %s' % (row['target'], row['setting'], shown(row.get('want')))
    if have:
        text += ', has %s' % shown(have[0])
    if row.get('boot_wrong') and 'boot' in row:
        text += ', after the next boot %s' % shown(row['boot'])
    text = ', '.join([text] + [row[key] for key in ('reason', 'cause') if row.get(key)])
    if row.get('origin'):
        text += ' (%s)' % place(row['origin'])
    return text + ('\n    what next: %s' % row['remedy'] if row.get('remedy') else '')


def message_text(m):
    said = [m.get('object'), m.get('what', m.get('message')), m.get('error')]
    text = ': '.join(part for part in [place(m)] + said if part)
    for key, title in (('kernel', 'kernel'), ('hint', 'hint')):
        if m.get(key):
            text += '\n    %s: %s' % (title, m[key])
    return text


def messages_of(report, severity):
    return [m for m in report.get('messages', report.get('findings', [])) if m['severity'] == severity and not m.get('suppressed')]


def tell(module, report):
    """Warnings of the run are warnings of the task."""
    for m in messages_of(report, 'warning'):
        module.warn(message_text(m))


def failure(report, status, future=False):
    """Why a task failed, for a tired person: the meaning, each error, each row that is left, what next."""
    meaning, after = MEANING.get(status, ('ended with %s' % status, 'read what it said'))
    left = remaining(report) if status in (EXIT_DRIFT, EXIT_UNKNOWN) else []
    if future:
        meaning = '%s, also once this was applied' % meaning
    lines = ['%s %s (exit status %s, %s)' % (report.get('node', 'this node'), meaning, status, report.get('result', 'failed'))]
    lines += ['  ' + message_text(m) for m in messages_of(report, 'error')]
    lines += ['  ' + row_text(row) for row in left]
    return '\n'.join(lines + ['what next: %s' % after])


def outcome(report):
    """The values that every module returns, of a report. No key is called items: a template would get a method."""
    if report['command'] == 'lint':
        return dict(exit_code=report['exit_code'], messages=report['findings'])
    rows = [row for row in report.get('items', []) if row['status'] != 'in-sync']
    return dict(
        node=report.get('node'), exit_code=report['exit_code'], result=report.get('result'), counts=report.get('counts', {}),
        policy_info=report.get('policy', {}), rows=rows, changes=report.get('changes', []), messages=report.get('messages', []),
        remaining=remaining(report), reload=needs_reload(report),
    )
