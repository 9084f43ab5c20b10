"""Runs a command that cannot open a network socket: `python offline.py LOG COMMAND …`.

The kernel refuses IPv4 and IPv6 sockets to the process and all that it starts, native code included (seccomp(2); sockets
of the UNIX family, which processes talk through, stay allowed). Besides, every Python process writes a line to LOG when it
starts, and one for each attempt to look up a name or to connect.
"""

import ctypes
import os
import platform
import struct
import sys
import tempfile
from pathlib import Path

_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 13  # EACCES
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
# Audit number of the architecture and number of its system call `socket`.
_SYSTEMS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}

WATCH = """
import os, sys
def _tell(*what):
    file = os.open(os.environ["KESIT_TEST_NETWORK_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, (" ".join(map(str, what)) + "\\n").encode())
    os.close(file)
def _hook(event, args):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        _tell("lookup", args[0])
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg") and isinstance(args[1], tuple):
        _tell("connect", args[1])
sys.addaudithook(_hook)
_tell("start", os.getpid(), "readers" if "forkserver" in " ".join(sys.orig_argv) else "command")
"""


def supported() -> bool:
    return sys.platform == "linux" and platform.machine() in _SYSTEMS


def refuse_network() -> None:
    """Take network sockets from this process and its children, for ever."""
    architecture, call = _SYSTEMS[platform.machine()]
    program = (
        (_LOAD, 0, 0, 4), (_IF_EQUAL, 0, 6, architecture),
        (_LOAD, 0, 0, 0), (_IF_EQUAL, 0, 4, call),
        (_LOAD, 0, 0, 16), (_IF_EQUAL, 1, 0, 2), (_IF_EQUAL, 0, 1, 10),  # AF_INET, AF_INET6
        (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW),
    )  # fmt: skip
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    filters = ctypes.create_string_buffer(struct.pack("HP", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((38, 1, 0, 0, 0), (22, 2, filters, 0, 0)):  # no new privileges; filter system calls
        if libc.prctl(*arguments):
            raise OSError(ctypes.get_errno(), "the kernel does not let a process refuse itself the network")


def main() -> None:
    log, *command = sys.argv[1:]
    folder = Path(tempfile.mkdtemp())
    (folder / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    paths = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    refuse_network()
    os.execvpe(command[0], command, os.environ | {"KESIT_TEST_NETWORK_LOG": log, "PYTHONPATH": paths})


if __name__ == "__main__":
    main()
