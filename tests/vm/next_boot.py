#!/usr/bin/env python3
"""Does the boot half of `rdmactl drift` say what really comes? TAP.

Runs in a guest. Over TREES random trees of modprobe.d, modules-load.d and sysctl.d, and kernel command lines, rdmactl is asked first;
then systemd-modules-load loads modules of this kernel and systemd-sysctl sets keys, as at boot. Each module must have been loaded
or not, each parameter in /sys/module and each key must have the value that rdmactl had said, and what nothing sets must be what it
is without any file. Seeded: SEED=N repeats a run.
"""
import json
import os
import random
import subprocess
import sys

TREES = int(os.environ.get("TREES") or "30")
SEED = int(os.environ.get("SEED") or "1")
RDMACTL = os.path.join(os.environ.get("B", "build"), "rdmactl")
POLICY = "/run/next-boot.yaml"
CMDLINE = "/run/next-boot.cmdline"

BOOLEANS = ["0", "1", "Y", "N", "y", "n", "on", "off"]

# Modules that nothing here needs, with parameters of every kind that can be read back. A value out of its range would fail the load;
# a shorter array leaves what an earlier line put behind its end.
MODULES = {
    "vcan": {"echo": BOOLEANS},
    "can": {"stats_timer": range(0, 2)},
    "vhost": {"max_mem_regions": range(1, 500), "max_iotlb_entries": range(1, 5000)},
    "snd": {"cards_limit": range(1, 32), "slots": ["a,b", "snd-x,snd_y"]},
    "ib_srp": {"topspin_workarounds": range(0, 2), "register_always": BOOLEANS, "allow_ext_sg": BOOLEANS, "ch_count": range(0, 9)},
    "nvme_core": {"io_timeout": range(1, 90), "max_retries": range(0, 200), "multipath": BOOLEANS, "force_apst": BOOLEANS,
                  "apst_primary_latency_tol_us": range(0, 90000)},
}
KEYS = ["net/ipv4/conf/lo/tag", "net/ipv4/conf/all/tag", "net/ipv4/conf/default/tag", "net/ipv4/conf/lo/medium_id",
        "net/ipv4/conf/all/medium_id", "net/rdma_ucm/max_backlog"]
UNTOUCHED = 1000

DIRS = ["etc", "run", "usr/local/lib", "usr/lib"]
NAMES = ["10-a", "50-b", "99-sysctl", "zz"]


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def read(path):
    with open(path, encoding="ascii") as f:
        return f.read().strip()


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, check=False, timeout=120)


# --- random trees -------------------------------------------------------------


def spelled(r, name):
    """- and _ are one in names, character by character."""
    return "".join(r.choice("-_") if c == "_" else c for c in name)


def assignment(r, module):
    param = r.choice(sorted(MODULES[module]))
    value = r.choice(list(MODULES[module][param]))
    quote = '"' if r.random() < 0.2 else ""
    return "%s=%s%s%s" % (spelled(r, param), quote, value, quote)


def modprobe_line(r):
    module = r.choice(sorted(MODULES))
    name, one, two = spelled(r, module), assignment(r, module), assignment(r, module)
    other = r.choice([m for m in sorted(MODULES) if m not in ("can", "vcan")])
    rare = ["blacklist " + name, "install %s /bin/true" % name, "install %s /bin/false" % name, "alias %s off" % name,
            "alias %s %s" % (name, name), "softdep vcan %s: %s" % (r.choice(["pre", "post"]), other)]
    if r.random() < 0.12:
        return r.choice(rare)
    return r.choice([
        "options %s %s", "options %s %s %s", "options\t%s  %s", "  options %s %s", "options %s \\\n%s", "options %s %s \\\n\t%s",
        "# options %s %s", " # options %s %s", "option %s %s", "options other-%s %s", "options %s nonsense=1 %s", "options %s x%s",
        "options %s %s # %s", "remove %s /bin/true", "options %s", "", "alias some-%s " + name,
    ]).replace("%s", "\0").replace("\0", name, 1).replace("\0", one, 1).replace("\0", two, 1)


def load_line(r):
    return r.choice(["%s", "%s", "%s", " %s ", "# %s", "; %s", ""]).replace("%s", spelled(r, r.choice(sorted(MODULES))))


def sysctl_line(r):
    key, value = r.choice(KEYS), r.randint(1, 90)
    dotted = key.replace("/", ".")
    return r.choice([
        "%s = %d" % (dotted, value), "%s=%d" % (key, value), " \t%s\t=\t%d " % (dotted, value), "-%s = %d" % (dotted, value),
        "-" + dotted, "# %s = %d" % (dotted, value), "; %s = %d" % (dotted, value), "%s %d" % (dotted, value),
        "%s = 0x%x" % (dotted, value), "net.ipv4.conf.*.tag = %d" % value, "net.ipv4.conf.[al]*.tag=%d" % value,
        "net.ipv4.conf.*.medium_id = %d" % value, "net.rdma_ucm.* = %d" % value, "",
    ])


def random_file(r, path, line):
    if r.random() < 0.1:
        os.symlink("/dev/null", path)
        return
    write(path, "".join(line(r) + "\n" for _ in range(r.randint(0, 5))))


def plant(r):
    """Those of the tree before go; files of the guest stay, but where one of the same name takes their place."""
    for what, line in (("modprobe.d", modprobe_line), ("modules-load.d", load_line), ("sysctl.d", sysctl_line)):
        for folder in DIRS:
            os.makedirs("/%s/%s" % (folder, what), exist_ok=True)
            for name in NAMES:
                path = "/%s/%s/%s.conf" % (folder, what, name)
                if os.path.lexists(path):
                    os.unlink(path)
                if r.random() < (0.5 if what == "modules-load.d" else 0.3):
                    random_file(r, path, line)
    words = ["quiet"]
    for _ in range(r.randint(0, 3)):
        module = r.choice(sorted(MODULES))
        words.append(r.choice(["%s.%s" % (spelled(r, module), assignment(r, module)), "modprobe.blacklist=%s,x" % spelled(r, module),
                               "modules_load=%s" % spelled(r, module), "%s.%s" % (module, assignment(r, module))]))
    write(CMDLINE, " ".join(words) + "\n")


def show_tree():
    print("# /proc/cmdline: " + read(CMDLINE))
    for what in ("modprobe.d", "modules-load.d", "sysctl.d"):
        for folder in DIRS:
            for name in NAMES:
                path = "/%s/%s/%s.conf" % (folder, what, name)
                if os.path.islink(path):
                    print("# %s -> %s" % (path, os.readlink(path)))
                elif os.path.exists(path):
                    print("# %s: %s" % (path, json.dumps(read(path))))


# --- what comes, and what rdmactl says ------------------------------------------


def unload():
    here = [m for m in MODULES if os.path.isdir("/sys/module/" + m)]
    if here:
        run("rmmod", *here)
    left = [m for m in MODULES if os.path.isdir("/sys/module/" + m)]
    assert not left, left


def parameter(module, name):
    """An array without the places that nothing was given for."""
    return read("/sys/module/%s/parameters/%s" % (module, name)).replace(",(null)", "")


def boot():
    """As systemd does it; returns what is there then."""
    for key in KEYS:
        write("/proc/sys/" + key, "%d\n" % UNTOUCHED)
    run("/lib/systemd/systemd-modules-load")
    run("/lib/systemd/systemd-sysctl")
    came = {"sysctl." + k.replace("/", "."): read("/proc/sys/" + k) for k in KEYS if "rdma_ucm" not in k}
    came["max_backlog"] = read("/proc/sys/net/rdma_ucm/max_backlog")
    for module, params in MODULES.items():
        came["modules.%s.load" % module] = os.path.isdir("/sys/module/" + module)
        for p in params if came["modules.%s.load" % module] else ():
            came["modules.%s.options.%s" % (module, p)] = parameter(module, p)
    return came


def ask():
    p = run(RDMACTL, "drift", "--boot", "-o", "json", "-p", POLICY)
    try:
        return {i["setting"]: i for i in json.loads(p.stdout)["items"]}
    except (ValueError, KeyError):
        print("# exit status %d\n# %s" % (p.returncode, p.stderr.replace("\n", "\n# ")))
        return {}


def plain(text):
    """Values as the kernel prints them: booleans are Y and N, numbers decimal."""
    if text in BOOLEANS[4:] or text in "YN":
        return "Y" if text in ("Y", "y", "on") else "N"
    try:
        return str(int(text, 0))
    except ValueError:
        return text


def is_boolean(setting):
    part = setting.split(".")
    return part[0] == "modules" and part[-2] == "options" and MODULES[part[1]][part[-1]] is BOOLEANS


def expected(item, without):
    if not item.get("boot_origin"):
        return without
    text = plain(str(item["boot"]))
    return {"0": "N", "1": "Y"}.get(text, text) if is_boolean(item["setting"]) else text


def compare(said, came, bare):
    """Return: what is wrong, by setting."""
    wrong = []
    for setting, is_now in came.items():
        item = said.get(setting)
        if item is None:
            wrong.append((setting, is_now, "no row"))
        elif setting.endswith(".load"):
            along = not item["boot"] and "along with" in item.get("cause", "")
            if is_now != item["boot"] and not (is_now and along):
                wrong.append((setting, is_now, item["boot"]))
        elif plain(is_now) != plain(expected(item, bare.get(setting, str(UNTOUCHED)))):
            wrong.append((setting, is_now, item.get("boot")))
    return wrong


def write_policy():
    rows = ["version: 1", "profiles:", "  all:", "    node:", "      max_backlog: 7777", "      sysctl:"]
    rows += ["        %s: 7777" % k.replace("/", ".") for k in KEYS if "rdma_ucm" not in k] + ["      modules:"]
    for module, params in MODULES.items():
        rows.append("        %s: {load: true, options: {%s}}" % (module, ", ".join("%s: x" % p for p in params)))
    write(POLICY, "\n".join(rows + ["nodes:", "  %s: {profiles: [all]}" % os.uname().nodename, ""]))


def bare_values():
    """Every module without a file: what a parameter is where nothing sets it. What they need stays loaded."""
    run("modprobe", "-a", "rdma_ucm", *MODULES)
    bare = {}
    for module, params in MODULES.items():
        for p in params:
            bare["modules.%s.options.%s" % (module, p)] = parameter(module, p)
    return bare


def main():
    r = random.Random(SEED)
    sys.stdout.reconfigure(line_buffering=True)
    write(CMDLINE, "quiet\n")
    subprocess.run(["mount", "--bind", CMDLINE, "/proc/cmdline"], check=True)
    write_policy()
    bare = bare_values()
    loaded = kept = options = keys = failed = 0
    for n in range(1, TREES + 1):
        unload()
        plant(r)
        said = ask()
        came = boot()
        wrong = compare(said, came, bare)
        loaded += sum(v is True for v in came.values())
        kept += sum(v is False and bool(said.get(k, {}).get("boot_origin")) for k, v in came.items())
        options += sum(".options." in k and bool(said.get(k, {}).get("boot_origin")) for k in came)
        keys += sum(not k.startswith("modules.") and v != str(UNTOUCHED) for k, v in came.items())
        print("%sok %d - tree %d" % ("not " if wrong else "", n, n))
        failed += bool(wrong)
        for setting, is_now, boot_says in wrong:
            print("# %s: it is %s, rdmactl said %s" % (setting, json.dumps(is_now), json.dumps(boot_says)))
        if wrong:
            show_tree()
    print("# SEED=%d: %d trees; %d modules loaded, %d named and kept away, %d of their options set, %d sysctls set"
          % (SEED, TREES, loaded, kept, options, keys))
    enough = loaded > TREES and kept > TREES / 10 and options > TREES and keys > TREES
    print("%sok %d - they tried something" % ("" if enough else "not ", TREES + 1))
    print("1..%d" % (TREES + 1))
    return 1 if failed or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
