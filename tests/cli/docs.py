# SPDX-License-Identifier: Apache-2.0
"""Does what README.md and docs/*.md tell a reader to do. For docs.sh, which says what is tried; a fault a line.

  docs.py [-l] [PAGE]...        default: all pages, and with -l tests/docs.txt; UPDATE=1 writes what consoles show now into
                                the pages, to be read as a diff; not where a line is `…`

What a fence holds is said by its first word, as any renderer of Markdown wants it:

  sh        commands, each a line. They run in the page's folder, on its machine, and end with 0
  console   commands behind "$ ", and all that each prints. `…` is anything within a line; alone on a line, any lines
  yaml      a policy, of which lint says nothing but notes. Without `version:` and `nodes:` it gets them: this machine, with
            all its profiles. It becomes the policy.yaml of the folder, and the machine's. `yaml group` and `yaml node` are keys of a group of
            ports or of a node; `yaml bad` is a policy that lint finds something in; `yaml NAME.yaml` a file beside it
  text, c   nothing is run: so no line of it may begin as a command does
  no word   console if its first line begins with "$ ", else text

Comments that no reader sees belong to the next fence: `<!-- sh: COMMANDS -->` runs first (`sim` is simctl on this
machine), `<!-- status: N N -->` are the exit statuses of its commands.

A command runs only if all its programs are known to be harmless. Any other, and a playbook, needs a line in
tests/docs.txt, with the script that runs it, or the reason why nobody does. Of each command, in fences and in prose,
every command and option of rdmactl is one that there is; names of settings are; links lead somewhere.
"""
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
HARMLESS = {"rdmactl", "ip", "cat", "cp", "echo", "grep", "head", "install", "jq", "ls", "mkdir", "sed", "sort", "tail", "true", "uniq", "wc"}
TOOLS = {"ansible-galaxy", "ansible-playbook", "apt", "apt-get", "git", "journalctl", "lldpcli", "make", "mount", "promtool", "rdmactl",
         "sudo", "systemctl", "tests/deps", "update-initramfs", "dracut"}
STUBS = {
    # what the simulator finds installed is no default of a command: it stands beside the machine
    "rdmactl": 'case "$1 $*" in plan* | apply* | drift* | dump* | explain*--node* | render* | check-switch*)\n'
               'for w; do case $w in -p | -p?* | --policy*) exec "$RDMACTL" "$@" ;; esac; done\n'
               '[ ! -e "$RDMACTL_SIM.policy.yaml" ] || set -- "$@" -p "$RDMACTL_SIM.policy.yaml"\nesac\nexec "$RDMACTL" "$@"',
    "sim": 'exec "$SIMCTL" "$RDMACTL_SIM" "$@"',
    # ip link set [dev] IF mtu N | up | down: what a person does behind rdmactl's back
    "ip": 'shift 2; [ "$1" != dev ] || shift\ncase $2 in mtu) sim set mtu "$1" "$3" ;; up | down) sim set link "$1" "$2" ;; *) exit 64 ;; esac',
}
# What UPDATE=1 does not write as it is: digests and times; in a table they keep their columns.
VOLATILE = re.compile(r"(?<=sha256:)[0-9a-f]+|\b[0-9a-f]{12}\b|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")

CLASSES = """fabric:
  mtu: 9000
  classes:
    rdma: {priority: 3, dscp: [26], lossless: true, bandwidth: 60%}
    cnp: {priority: 6, dscp: [48], strict: true}
    default: {priority: 0, bandwidth: 40%}
"""


class Block:
    def __init__(self, line, words, before):
        self.line, self.words, self.before = line, words, before
        self.lines, self.statuses = [], []
        self.kind = words[0] if words else ""

    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks_of(text):
    """Its fences, and the text with fences and comments blanked, so that what stands in prose keeps its line."""
    blocks, prose, block, comment, before, statuses, indent = [], [], None, None, [], [], ""
    for number, line in enumerate(text.split("\n"), 1):
        fence = re.match(r"( *)```(.*)$", line)
        if comment is not None or (block is None and re.match(r"<!-- (sh|status): ", line)):
            comment = (comment or "") + line + "\n"
            if "-->" in line:
                kind, said = re.match(r"<!-- (\w+): (.*)-->", comment, re.S).groups()
                if kind == "sh":
                    before.append((number, said))
                else:
                    statuses = [int(n) for n in said.split()]
                comment = None
            line = ""
        elif fence and block is None:
            indent = fence[1]
            block = Block(number, fence[2].split(), before)
            block.statuses, before, statuses = statuses, [], []
            line = ""
        elif fence:
            if not block.kind:
                block.kind = "console" if block.lines and block.lines[0].startswith("$ ") else "text"
            blocks.append(block)
            block, line = None, ""
        elif block is not None:
            block.lines.append(line.removeprefix(indent))
            line = ""
        prose.append(line)
    return blocks, "\n".join(prose)


def commands_of(block):
    """[line, command, what it prints] of a block; of sh nothing is said of what it prints."""
    found, joined = [], False
    for number, line in enumerate(block.lines, block.line + 1):
        if joined:
            found[-1][1] += "\n" + line
        elif block.kind == "sh":
            if line.strip() and not line.lstrip().startswith("#"):
                found.append([number, line, None])
            else:
                continue
        elif line.startswith("$ "):
            found.append([number, line[2:], []])
        else:
            found[-1][2].append(line)
            continue
        joined = line.endswith("\\")
    return found


def words_of(command):
    """Its simple commands, each a list of words, without assignments and redirections; None if it is no sh."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    simple = [[]]
    try:
        for word in lexer:
            if word.startswith("#"):
                break
            if re.fullmatch(r"[|&;()]+", word):
                simple.append([])
            elif simple[-1] or not re.match(r"[A-Za-z_]+=", word):
                simple[-1].append(word)
    except ValueError:
        return None
    for words in simple:
        while words and words[0] in ("do", "then", "else", "if", "while", "!"):
            del words[0]
    return [words for words in simple if words and words[0] not in ("for", "done", "fi")]


class Program:
    """What there is: commands, their options, settings."""

    def __init__(self):
        self.options, self.known = {}, {}
        for name in re.findall(r"^  ([a-z-]+) ", self.ask("--help"), re.M) + ["help", "complete"]:
            said = self.ask(name, "--help")
            self.options[name] = dict(re.findall(r"^ +(?:-\w )?(--[a-z-]+) ?(\S*)", said, re.M))
            self.options[name].update((short, "") for short in re.findall(r"^ +(-\w) --", said, re.M))
        self.all = {option for options in self.options.values() for option in options} | {"--version"}
        self.heads = {word.split(".")[0] for word in self.ask("complete", "--", "explain", "").split() if "." in word}
        self.targets = set(re.findall(r"^([a-z-]+):", open(f"{TOP}/Makefile", encoding="utf-8").read(), re.M))
        self.heads |= {"match", "cohorts", "rails", "node", "fabrics", "classes", "tiers", "nodes"}

    @staticmethod
    def ask(*words):
        return subprocess.run([os.environ["RDMACTL"], *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "RDMACTL_SIM": ""}).stdout

    def explains(self, name):
        if name not in self.known:
            asked = re.sub(r"^modules\.\w+\.", "modules.*.", name)
            self.known[name] = self.ask("explain", asked, "-o", "json") not in ("", "[]\n") or self.ask("explain", asked) != ""
        return self.known[name]

    def wrong_with(self, words):
        """Of the words of a command of rdmactl, without its name."""
        if not words or re.fullmatch(r"[A-Z…].*", words[0]):
            return None
        if words[0] in ("-h", "--help", "--version"):
            return None
        if words[0] not in self.options:
            return f"there is no command {words[0]!r} of rdmactl"
        options = self.options[words[0]]
        for at, word in enumerate(words[1:], 1):
            name, _, value = word.partition("=")
            if word == "--":
                break
            if re.match(r"--?[a-z]", word) and name not in options:
                return f"`{words[0]}` has no option {name}"
            if name in ("-o", "--output"):
                value = value or (words[at + 1] if at + 1 < len(words) else "")
                if value not in options["--output"].split("|"):
                    return f"`{words[0]}` has no output {value!r}"
        return None


class List:
    """tests/docs.txt: commands that this does not run, each with who does or why nobody does."""

    def __init__(self, path):
        self.faults, self.rows = [], []
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            if line.startswith("#") or not line.strip():
                continue
            pattern, by, why = line.rstrip("\n").split("\t")
            self.rows.append([re.compile(".*".join(map(re.escape, pattern.split("*"))), re.S), number, 0])
            if by == "-":
                continue
            script = os.path.join(TOP, by)
            if not os.path.isfile(script):
                self.faults.append(f"tests/docs.txt:{number}: there is no {by}")
            elif why not in open(script, encoding="utf-8").read():
                self.faults.append(f"tests/docs.txt:{number}: {by} does not run it: `{why}` does not stand there")

    def has(self, command):
        found = [row for row in self.rows if row[0].fullmatch(command)]
        for row in found:
            row[2] += 1
        return bool(found)

    def unused(self):
        return [f"tests/docs.txt:{number}: no page has this" for _, number, used in self.rows if not used]


def told(command):
    """Without the remark at its end."""
    return re.sub(r"\s+#\s.*", "", command).strip()


class Page:
    def __init__(self, path, program, listed):
        self.path, self.program, self.listed = path, program, listed
        self.text = open(os.path.join(TOP, path), encoding="utf-8").read() if not os.path.isabs(path) else open(path, encoding="utf-8").read()
        self.faults, self.status, self.ran = [], 0, 0
        self.shown = {}

    def fault(self, line, text):
        self.faults.append(f"{self.path}:{line}: {text}")

    # --- the folder and its machine ---------------------------------------------------

    def begin(self, folder):
        self.folder = folder
        self.machine = f"{folder}/etc/machine"
        for name in ("bin", "etc", "run", "var", "work"):
            os.makedirs(f"{folder}/{name}")
        for name, text in STUBS.items():
            with open(f"{folder}/bin/{name}", "w", encoding="utf-8") as f:
                f.write("#!/bin/sh\n" + text + "\n")
            os.chmod(f"{folder}/bin/{name}", 0o755)
        self.env = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "RDMACTL_SIM": self.machine, "TOP": TOP,
                    "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
        self.env.pop("SSH_CONNECTION", None)
        self.places = [("/etc/rdmactl/policy.yaml", f"{self.machine}.policy.yaml"), ("/run/rdmactl/", f"{folder}/run/"),
                       ("/run/rdmactl.lock", f"{self.machine}.lock"),
                       ("/var/lib/rdmactl/", f"{folder}/var/")]
        self.sh("sim reset --pairs 2")

    def sh(self, command):
        for there, here in self.places:
            command = command.replace(there, here)
        ended = subprocess.run(["bash", "-c", f"(exit {self.status})\n{command}"], cwd=f"{self.folder}/work", env=self.env, check=False,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        self.status = ended.returncode
        out = ended.stdout.decode(errors="replace")
        for there, here in self.places:
            out = out.replace(here, there)
        return out

    def write(self, name, text):
        with open(f"{self.folder}/work/{name}", "w", encoding="utf-8") as f:
            f.write(text)

    # --- fences -----------------------------------------------------------------------

    def run(self, block):
        for number, command in block.before:
            out = self.sh(command)
            if self.status:
                self.fault(number, f"what runs before ends with {self.status}: {out.strip()}")
        if block.kind == "yaml":
            self.policy(block)
        elif block.kind in ("sh", "console"):
            self.commands(block)
        elif block.kind in ("text", "c"):
            self.no_command(enumerate(block.lines, block.line + 1))
        else:
            self.fault(block.line, f"a fence of {block.kind}: sh, console, yaml, text or c")

    def commands(self, block):
        statuses = list(block.statuses)
        for number, command, prints in commands_of(block):
            simple = words_of(command)
            for words in simple or []:
                wrong = words[0] == "rdmactl" and self.program.wrong_with(words[1:])
                if wrong:
                    self.fault(number, wrong)
            if simple is None or not self.harmless(simple):
                if not self.listed.has(told(command)):
                    self.fault(number, f"nothing runs `{told(command)}`: tests/docs.txt")
                continue
            want = statuses.pop(0) if statuses else None
            out = self.sh(command)
            self.ran += 1
            if want is None and block.kind == "sh":
                want = 0
            if self.status in (126, 127) or (want is not None and self.status != want):
                self.fault(number, f"`{told(command)}` ends with {self.status}" + (f", not {want}" if want is not None else "") +
                           "\n" + quoted(out))
            if prints is not None:
                self.compare(number, command, prints, out.rstrip("\n").split("\n") if out else [])

    @staticmethod
    def harmless(simple):
        return all(words[0] in HARMLESS and
                   (words[0] == "rdmactl" or not any(re.match(r"/(?!(etc|run|var/lib)/rdmactl/|dev/null)", word) for word in words))
                   for words in simple)

    def compare(self, number, command, prints, out):
        while prints and not prints[-1]:
            prints.pop()
        if not matches(prints, out):
            out = [next((line for line in prints if line != "…" and "…" in line and matches([line], [now])), now) for now in out]
            if "…" not in prints:  # what is left out there, somebody chose
                self.shown[number] = (command, len(prints), out)
            self.fault(number, f"`{told(command)}` prints something else\n" +
                       "\n".join("  " + line for line in list(difflib.unified_diff(prints, out, "the page", "now", n=1, lineterm=""))[:40]))

    def policy(self, block):
        kind = block.words[1] if len(block.words) > 1 else ""
        text = block.text()
        first = next((line for line in block.lines if line.strip() and not line.lstrip().startswith("#")), "")
        if first.startswith("- "):
            if not self.listed.has(first):
                self.fault(block.line, f"nothing runs this playbook, `{first}`: tests/docs.txt")
            return
        if kind.endswith(".yaml"):
            self.write(kind, text)
            return
        self.write("policy.yaml", self.whole(kind, text))
        out = self.sh("cp policy.yaml /etc/rdmactl/policy.yaml; rdmactl lint --strict policy.yaml")
        self.ran += 1
        if kind == "bad":
            if not self.status:
                self.fault(block.line, "lint finds nothing in this policy, and the page says `bad`")
        elif kind not in ("", "group", "node"):
            self.fault(block.line, f"yaml {kind}: group, node, bad, or a file")
        elif self.status:
            self.fault(block.line, "lint finds something in this policy\n" + quoted(out))

    def whole(self, kind, text):
        node = self.sh("sim get node").strip()
        if kind in ("group", "node"):
            keys = shifted(text, 8 if kind == "group" else 6)
            if kind == "node":
                text = "profiles:\n  all:\n    node:\n" + keys
            else:
                match = "" if re.search(r"^\s*match:", text, re.M) else "        match: {driver: mlx5_core}\n"
                text = CLASSES + "profiles:\n  all:\n    ports:\n      rail:\n" + match + keys
        profiles = re.search(r"^profiles:\n((?:[ #].*\n|\n)*)", text, re.M)
        if profiles and not re.search(r"^nodes:", text, re.M):
            names = ", ".join(re.findall(r"^  ([\w-]+):", profiles[1], re.M))
            text += f"nodes: {{{node}: {{profiles: [{names}]}}}}\n"
        if not re.search(r"^version:", text, re.M):
            text += "version: 1\n"
        return text

    def no_command(self, lines):
        for number, line in lines:
            words = line.strip().removeprefix("$ ").split()
            if len(words) > 1 and words[0] in TOOLS and not line.strip().startswith("|"):
                self.fault(number, f"nothing runs `{' '.join(words)}`: a fence of sh or console does")

    # --- prose ------------------------------------------------------------------------

    def prose(self, prose):
        indented = [(n, line) for n, line in enumerate(prose.split("\n"), 1) if line.startswith("    ")]
        self.no_command(indented)
        for found in re.finditer(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)*)`(?!`)", prose):
            self.span(prose.count("\n", 0, found.start()) + 1, " ".join(found[1].split()))
        for found in re.finditer(r"\]\(([^)\s]+)\)", prose):
            self.link(prose.count("\n", 0, found.start()) + 1, found[1])
        for found in re.finditer(r"(?<![\w/(.-])docs/[\w-]+\.\w+(?:\.json)?", prose):
            if not os.path.exists(os.path.join(TOP, found[0])):
                self.fault(prose.count("\n", 0, found.start()) + 1, f"there is no {found[0]}")

    def span(self, line, text):
        words = text.split()
        wrong = None
        if words[0] == "rdmactl":
            wrong = self.program.wrong_with(words[1:])
        elif words[0] in self.program.options and any(word.startswith("-") for word in words):
            wrong = self.program.wrong_with(words)
        elif re.match(r"--[a-z]|-[a-zA-Z]$", words[0]) and words[0].split("=")[0] not in self.program.all and not self.listed.has(text):
            wrong = f"no command of rdmactl has the option {words[0]}"
        elif words[0] == "make" and not set(words[1:]) <= self.program.targets:
            wrong = "the Makefile has no such target"
        else:
            name = ".".join(re.findall(r"([a-z_]+):", text)) if re.match(r"[a-z_]+: \{[a-z]", text) else text
            if re.fullmatch(r"[a-z_]+(\.[a-z][a-z0-9_]*)+(?<!\.[ch])", name) and name.split(".")[0] in self.program.heads \
                    and not self.program.explains(name) and not self.listed.has(text):
                wrong = f"there is no setting {name}"
        if wrong:
            self.fault(line, f"`{text}`: {wrong}")

    def link(self, line, target):
        if re.match(r"[a-z]+:", target):
            return
        name, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(TOP, os.path.dirname(self.path), name)) if name else None
        if path and not os.path.exists(path):
            self.fault(line, f"a link to {name}, which is not there")
        elif anchor and anchor not in anchors(open(path, encoding="utf-8").read() if path else self.text):
            self.fault(line, f"a link to {target}: no heading there is called that")

    def judge(self):
        blocks, prose = blocks_of(self.text)
        with tempfile.TemporaryDirectory(prefix="docs.") as folder:
            self.begin(folder)
            for block in blocks:
                self.run(block)
        self.prose(prose)
        if os.environ.get("UPDATE") == "1" and self.shown:
            self.update()
        return self

    def update(self):
        lines = self.text.split("\n")
        for number, (command, n, out) in sorted(self.shown.items(), reverse=True):
            at = number + command.count("\n")
            lines[at:at + n] = [VOLATILE.sub(lambda m: "…".ljust(len(m[0]) if re.match(" *\\d+ ", m.string) else 1), line) for line in out]
        with open(os.path.join(TOP, self.path), "w", encoding="utf-8") as f:
            f.write("\n".join(lines))


def quoted(out):
    return "\n".join("  " + line for line in out.split("\n")[:20])


def shifted(text, columns):
    lines = [line for line in text.split("\n") if line.strip()]
    had = min(len(line) - len(line.lstrip()) for line in lines)
    return "".join(" " * columns + line[had:] + "\n" for line in lines)


def matches(prints, out):
    pattern = ""
    for line in prints:
        if line == "…":
            pattern += r"(?:.*\n)*?"
        elif "…" in line:
            pattern += r"[^\n]*".join(r" +".join(map(re.escape, re.split(r" +", part))) for part in line.split("…")) + r"\n"
        else:
            pattern += re.escape(line) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in out)) is not None


def anchors(text):
    """As renderers make them of headings: small letters, without punctuation, dashes for blanks."""
    _, prose = blocks_of(text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ +(.*?) *$", prose, re.M)}


def pages():
    return ["README.md"] + sorted("docs/" + name for name in os.listdir(f"{TOP}/docs") if name.endswith(".md"))


def main(names):
    with_list = names[:1] == ["-l"]
    names = names[with_list:]
    program = Program()
    listed = List(os.environ.get("DOCS_LIST") or f"{TOP}/tests/docs.txt")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = list(pool.map(lambda name: Page(name, program, listed).judge(), names or pages()))
    faults = [fault for page in judged for fault in page.faults]
    if with_list or not names:
        faults += listed.faults + listed.unused()
    print("\n".join(faults) if faults else f"{sum(page.ran for page in judged)} commands and policies run in {len(judged)} pages")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
