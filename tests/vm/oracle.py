#!/usr/bin/env python3
"""Does `rdmactl show -o json` say what the independent tools say? TAP.

Runs in a guest. Every object that ip, dcb, devlink, ethtool, lspci, debugfs, configfs
and procfs print is compared with the row of the same name, field by field: before and
after CHANGES random changes made with those tools, and at every STEP of them. Seeded:
SEED=N repeats a run.

iproute2 6.1's dcb exits 0 when the driver refuses, so what a change did is only known
by reading back, which is what the comparison does anyway.
"""
import json
import os
import random
import re
import subprocess
import sys
import time

CHANGES = int(os.environ.get("CHANGES", "200"))
STEP = int(os.environ.get("STEP", "25"))
SEED = int(os.environ.get("SEED", "1"))
RDMACTL = os.path.join(os.environ.get("B", "build"), "rdmactl")
CONFIGFS = "/sys/kernel/config/rdma_cm/"
NICS = ["nic0", "nic1"]


def bdf(nic):
    return "%04x:03:00.0" % (int(nic[3:]) + 1)


def ibdev(nic):
    return "mlx5_" + nic[3:]


def cc_dir(nic):
    return "/sys/kernel/debug/mlx5/%s/cc_params/" % bdf(nic)


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, check=False).stdout


def run_json(*args):
    return json.loads(run(*args) or "{}")


def read(path):
    with open(path, encoding="ascii") as f:
        return f.read().strip()


def write(path, value):
    """What the kernel refuses is as good a change as any."""
    try:
        with open(path, "w", encoding="ascii") as f:
            f.write("%s\n" % value)
    except OSError:
        pass


# --- what the tools say -------------------------------------------------------


def by_links(nic, say):
    link = run_json("ip", "-d", "-j", "link", "show", nic)[0]
    say("mtu", link["mtu"])
    say("link.state", "up" if link["operstate"] == "UP" else "down")
    speed = re.search(r"Speed: (\d+)Mb/s", run("ethtool", nic))
    if speed:
        say("link.speed", "%gGb/s" % (int(speed.group(1)) / 1000))


def by_dcb(nic, say):
    pfc = run_json("dcb", "-j", "pfc", "show", "dev", nic)
    say("qos.pfc", [i for i, on in enumerate(pfc["prio_pfc"]) if on])
    app = run_json("dcb", "-N", "-j", "app", "show", "dev", nic).get("dscp_prio", [])
    say("qos.dscp", {str(e[0]): e[1] for e in app})
    say("qos.trust", "dscp" if app else "pcp")
    ets = run_json("dcb", "-j", "ets", "show", "dev", nic)
    say("qos.tc", {str(i): tc for i, tc in enumerate(ets["prio_tc"])})
    say("qos.ets", {str(i): "%d%%" % ets["tc_bw"][i] if tsa == "ets" else tsa for i, tsa in enumerate(ets["tc_tsa"])})


def by_ethtool(nic, say):
    text = run("ethtool", "-a", nic)  # -j of 6.1 is no JSON
    for way in ("RX", "TX"):
        say("pause." + way.lower(), re.search(way + r":\s+(on|off)", text).group(1) == "on")


def by_devlink(nic, say):
    handle = "pci/" + bdf(nic)
    params = run_json("devlink", "-j", "dev", "param", "show", handle, "name", "enable_roce")
    say("roce.enabled", params["param"][handle][0]["values"][0]["value"])
    info = run_json("devlink", "-j", "dev", "info", handle)["info"][handle]["versions"]
    say("firmware.version", info["running"]["fw.version"])
    say("firmware.board", info["fixed"]["fw.psid"])


def by_files(nic, say):
    for name in sorted(os.listdir(cc_dir(nic))):
        if name == "np_cnp_dscp":
            say("ecn.cnp.dscp", int(read(cc_dir(nic) + name)))
        elif name == "np_cnp_prio":
            say("ecn.cnp.priority", int(read(cc_dir(nic) + name)))
        elif name != "np_cnp_prio_mode":
            say("ecn." + name, int(read(cc_dir(nic) + name)))
    folder = CONFIGFS + ibdev(nic)
    os.mkdir(folder)
    try:
        say("roce.mode", "v2" if read(folder + "/ports/1/default_roce_mode") == "RoCE v2" else "v1")
        say("roce.tos", int(read(folder + "/ports/1/default_roce_tos")))
    finally:
        os.rmdir(folder)


def by_vendor_sysfs(nic, say):
    for role in ("np", "rp"):
        folder = "/sys/class/net/%s/ecn/roce_%s/enable/" % (nic, role)
        if os.path.isdir(folder):
            say("ecn." + role, [p for p in range(8) if read(folder + str(p)) == "1"])


def by_lspci(nic, say):
    sta = re.search(r"LnkSta:\s*Speed (\S+?)(?: \(\w+\))?, Width x(\d+)", run("lspci", "-vv", "-s", bdf(nic)))
    say("pcie.speed", sta.group(1))
    say("pcie.width", int(sta.group(2)))


def tools():
    told = {}
    for nic in NICS:
        for by in (by_links, by_dcb, by_ethtool, by_devlink, by_files, by_vendor_sysfs, by_lspci):
            by(nic, lambda name, value, t=nic: told.__setitem__((t, name), value))
    told["node", "max_backlog"] = int(read("/proc/sys/net/rdma_ucm/max_backlog"))
    return told


def shown():
    p = subprocess.run([RDMACTL, "show", "-o", "json"], capture_output=True, text=True, check=False)
    try:
        return {(i["target"], i["setting"]): i.get("live") for i in json.loads(p.stdout)["items"]}
    except (ValueError, KeyError):
        print("# exit status %d\n# %s" % (p.returncode, p.stderr.replace("\n", "\n# ")))
        return {}


UNITS = {"us": 1, "ms": 1000, "Mb/s": 1, "Gb/s": 1000, "%": 1, "": 1}


def same(setting, told, shown):
    """DCQCN parameters are bare numbers in debugfs, rdmactl adds the unit."""
    if setting.startswith("ecn.") and isinstance(shown, str):
        parts = re.fullmatch(r"([0-9.]+)(\D*)", shown)
        return bool(parts) and parts.group(2) in UNITS and float(parts.group(1)) * UNITS[parts.group(2)] == told
    return told == shown


# --- random changes -----------------------------------------------------------

CC_MAX = {  # two past the end now and then: refused
    "rp_threshold": 31, "rp_time_reset": 131071, "rp_byte_reset": 32767, "rp_ai_rate": 1000, "rp_hai_rate": 1000,
    "rp_gd": 15, "rp_min_dec_fac": 100, "rp_dce_tcp_g": 1023, "np_min_time_between_cnps": 4095, "np_cnp_dscp": 63,
    "np_cnp_prio": 7, "rp_clamp_tgt_rate": 1, "rp_initial_alpha_value": 1023,
}


def change_mtu(r, nic):
    return ["ip", "link", "set", nic, "mtu", str(r.choice([68, 1500, 4200, 9000, 9978, 9979, r.randint(68, 9978)]))]


def change_link(r, nic):
    return ["ip", "link", "set", nic] + r.choice([["up"], ["down"], ["up"], ["carrier", "off"], ["carrier", "on"]])


def change_pfc(r, nic):
    prios = r.sample(range(8), r.randint(0, 3))
    return ["dcb", "pfc", "set", "dev", nic, "prio-pfc", "all:off"] + ["%d:on" % p for p in prios]


def change_ets(r, nic):
    tcs = r.sample(range(8), r.randint(0, 4))
    cuts = sorted(r.sample(range(1, 100), len(tcs) - 1)) if tcs else []
    shares = [b - a for a, b in zip([0] + cuts, cuts + [100])] if tcs else []
    tsa = {i: r.choice(["strict", "vendor"]) for i in range(8)}
    tsa.update({tc: "ets" for tc in tcs})
    return (["dcb", "ets", "set", "dev", nic, "tc-tsa"] + ["%d:%s" % t for t in tsa.items()] + ["tc-bw", "all:0"] +
            ["%d:%d" % t for t in zip(tcs, shares)])


def change_tc(r, nic):
    # With tc-bw, or dcb of 6.1 adds up the 100 of every vendor TC and refuses.
    ets = run_json("dcb", "-j", "ets", "show", "dev", nic)
    bw = ["%d:%d" % (i, ets["tc_bw"][i]) for i, tsa in enumerate(ets["tc_tsa"]) if tsa == "ets"]
    return (["dcb", "ets", "set", "dev", nic, "prio-tc"] + ["%d:%d" % (p, r.randrange(8)) for p in range(8)] +
            ["tc-bw", "all:0"] + bw)


def change_dscp(r, nic):
    entry = "%d:%d" % (r.randrange(64), r.randrange(8))
    verb = r.choice(["add", "add", "replace", "replace", "del", "flush"])
    if verb == "flush":
        return ["dcb", "app", "flush", "dev", nic, "dscp-prio"]
    if verb == "del":
        app = run_json("dcb", "-N", "-j", "app", "show", "dev", nic).get("dscp_prio", [])
        if app:
            entry = "%d:%d" % tuple(r.choice(app)[:2])
    return ["dcb", "app", verb, "dev", nic, "dscp-prio", entry]


def change_pause(r, nic):
    return ["ethtool", "-A", nic, r.choice(["rx", "tx"]), r.choice(["on", "off"])]


def change_cc(r, nic):
    name = r.choice(sorted(CC_MAX))
    write(cc_dir(nic) + name, r.randint(0, CC_MAX[name] + 2))


def change_cm(r, nic):
    folder = CONFIGFS + ibdev(nic)
    os.mkdir(folder)
    if r.random() < 0.5:
        write(folder + "/ports/1/default_roce_mode", r.choice(["RoCE v2", "IB/RoCE v1", "RoCE v1"]))
    else:
        write(folder + "/ports/1/default_roce_tos", r.randrange(256))
    os.rmdir(folder)


def change_backlog(r, nic):
    write("/proc/sys/net/rdma_ucm/max_backlog", r.randint(1, 1 << 20))


def change_pcie(r, nic):
    write("/sys/kernel/debug/fabricsim/%s/link" % bdf(nic), "%d %d" % (r.randint(1, 4), r.choice([1, 2, 4, 8, 16])))


def change_firmware(r, nic):
    version = "%d.%d.%04d" % (r.randint(20, 28), r.randint(30, 45), r.randint(0, 2000))
    write("/sys/kernel/debug/fabricsim/%s/fw" % bdf(nic), "%s %s" % (version, version))


def change_speed(r, nic):
    write("/sys/kernel/debug/fabricsim/%s/speed" % bdf(nic), r.choice([25000, 50000, 100000, 200000, 400000]))


def change_ecn(r, nic):
    write("/sys/class/net/%s/ecn/roce_%s/enable/%d" % (nic, r.choice(["np", "rp"]), r.randrange(8)), r.randrange(2))


def change_reload(r, nic):
    return ["devlink", "dev", "reload", "pci/" + bdf(nic)]


ALL = [change_mtu, change_link, change_pfc, change_ets, change_tc, change_dscp, change_dscp, change_pause, change_cc,
       change_cc, change_cm, change_backlog, change_pcie, change_firmware, change_speed, change_reload]
VENDOR = [change_ecn, change_ecn, change_cc]


# --- TAP ----------------------------------------------------------------------

def settle():
    """The kernel's link watch updates operstate up to a second after the carrier."""
    for nic in NICS:
        for _ in range(100):
            flags = int(read("/sys/class/net/%s/flags" % nic), 16)
            carrier = flags & 1 and read("/sys/class/net/%s/carrier" % nic) == "1"
            if (read("/sys/class/net/%s/operstate" % nic) == "up") == bool(carrier):
                break
            time.sleep(0.05)


tests = 0
failed = 0


def check(name, history):
    global tests, failed
    settle()
    told, show = tools(), shown()
    wrong = [(k, v, show.get(k, "no row")) for k, v in sorted(told.items()) if not same(k[1], v, show.get(k, "no row"))]
    tests += 1
    if not wrong:
        print("ok %d - %s: %d values" % (tests, name, len(told)))
        return
    failed += 1
    print("not ok %d - %s" % (tests, name))
    for (target, setting), want, got in wrong:
        print("# %s %s: tools say %s, rdmactl says %s" % (target, setting, json.dumps(want), json.dumps(got)))
    for line in history[-STEP:]:
        print("#   after: " + line)


def change_and_check(r, changes, count, what):
    history = []
    check("%s, fresh" % what, history)
    for n in range(1, count + 1):
        nic, change = r.choice(NICS), r.choice(changes)
        argv = change(r, nic)
        if argv:
            run(*argv)
        history.append(" ".join(argv) if argv else "%s %s" % (change.__name__, nic))
        if n % STEP == 0 or n == count:
            check("%s, after %d changes" % (what, n), history)


def machine_reset(options=""):
    subprocess.run(["bash", "-c", ". tests/cli/lib.sh && machine_reset 2 " + options], check=True)


def main():
    r = random.Random(SEED)
    print("# SEED=%d" % SEED)
    machine_reset()
    change_and_check(r, ALL, CHANGES, "upstream's driver")
    machine_reset("ofed=1")
    change_and_check(r, VENDOR, 20, "the vendor's driver")
    print("1..%d" % tests)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
