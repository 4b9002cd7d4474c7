"""Completes a line of an interactive shell in a pseudo-terminal, and prints the arguments that the command gets.

usage: complete.py SHELL SCRIPT LINE
"""

import os
import pty
import select
import shutil
import sys
import time

PATIENCE = 60
MARK = "arguments"
SHELLS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        "source {script}; tiledb-rs() {{ printf '%s<%s>\\n' arg''uments \"$*\"; }}",
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        "autoload -U compinit && compinit -u -D; source {script}; tiledb-rs() {{ printf '%s<%s>\\n' arg''uments \"$*\"; }}",
    ),
    "fish": (
        ["fish", "--no-config", "-i"],
        "source {script}; function tiledb-rs; printf '%s<%s>\\n' arg''uments \"$argv\"; end",
    ),
}


def main() -> int:
    shell, script, line = sys.argv[1:]
    command, setup = SHELLS[shell]
    if shutil.which(command[0]) is None:
        print("absent")
        return 0
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb", PS1="> ", HOME=os.path.dirname(script))
        os.execvp(command[0], command)
    os.write(terminal, f"{setup.format(script=script)}\n".encode())
    os.write(terminal, f"{line}\t\n".encode())
    printed, deadline = "", time.monotonic() + PATIENCE
    while f"{MARK}<" not in printed or ">" not in printed.split(f"{MARK}<", 1)[1]:
        if time.monotonic() > deadline:
            print(f"nothing was run: {printed!r}", file=sys.stderr)
            return 1
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            printed += os.read(terminal, 65536).decode(errors="replace")
        except OSError:
            print(f"the shell ended: {printed!r}", file=sys.stderr)
            return 1
    os.close(terminal)
    os.waitpid(process, 0)
    print(printed.split(f"{MARK}<", 1)[1].split(">", 1)[0].strip())
    return 0


sys.exit(main())
