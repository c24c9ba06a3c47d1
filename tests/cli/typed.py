#!/usr/bin/env python3
# Types lines into an interactive shell on a terminal of its own, each with a tab behind it, and prints what then
# stands on the command line: typed.py OUT COMMAND... <LINES. The shell writes its line to OUT at ^T, and an empty one
# when it is ready.
import os
import pty
import select
import sys
import time

out = sys.argv[1]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])


def written(n):
    """The n-th line of OUT, once it is there; what the shell shows is thrown away."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.02)[0]:
            try:
                os.read(fd, 65536)
            except OSError:
                break
        if os.path.exists(out):
            with open(out) as f:
                lines = f.read().split("\n")
            if len(lines) > n + 1:
                return lines[n]
    sys.exit("the shell says nothing")


written(0)
for n, line in enumerate(sys.stdin.read().splitlines()):
    os.write(fd, line.encode() + b"\t\x14")
    print(written(n + 1))
    os.write(fd, b"\x15")
os.close(fd)
