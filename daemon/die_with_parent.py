"""A child process that the kernel kills when its parent dies, however that happens; and a script that starts one.

    python -I -S die_with_parent.py PARENT_PID USER PROGRAM [ARGUMENT …]

USER is the user the program runs as, "" for the same as now. The order matters: a change of user would cancel
PR_SET_PDEATHSIG, and a parent that has died before it was set is only seen after it. setpriv of util-linux
does the first two, but wants to set capabilities, which the service is forbidden. A function between fork and exec
(preexec_fn) would do it as well, but is not safe in a program with threads.
"""

from __future__ import annotations

import ctypes  # before the user changes: another one may not be able to read Python's library
import os
import pwd
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> bool:
    """Has this process killed when its parent dies, whose id this is; False when it is dead already. Raises OSError."""
    if ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError("the kernel does not know PR_SET_PDEATHSIG")
    return os.getppid() == parent


def main(parent: str, user: str, *command: str) -> None:
    """Does not return, unless the parent is dead. Raises KeyError for an unknown user and OSError."""
    if user:
        found = pwd.getpwnam(user)
        os.setgroups([])
        os.setgid(found.pw_gid)
        os.setuid(found.pw_uid)
    if die_with(int(parent)):
        os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
