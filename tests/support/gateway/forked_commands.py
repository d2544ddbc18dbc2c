"""``penwright`` and ``ink-cli`` for shell scripts, forked from a process that has their modules loaded.

A command of its own spends most of a second on imports, and the pages have many commands. The programs in
``folder`` hand words, folder, environment and standard streams to the server, which runs the same ``main``.
"""

import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import gateway

_PROGRAMS = {"penwright": "gateway.cli.program", "ink-cli": "gateway.ink.program"}
_SHIM = """#!{python} -SE
import json, os, socket, sys
door = socket.socket(socket.AF_UNIX)
door.connect({at!r})
said = json.dumps([{name!r}, sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(door, [len(said).to_bytes(4, "big")], [0, 1, 2])
door.sendall(said)
code = door.recv(1)
sys.exit(code[0] if code else 70)
"""


@contextmanager
def forked_commands(folder: Path) -> Iterator[Path]:
    """A folder with both programs, to be put in front of PATH."""
    folder.mkdir()
    at = folder / "door"
    for name in _PROGRAMS:
        program = folder / name
        program.write_text(_SHIM.format(python=sys.executable, at=str(at), name=name), "utf-8")
        program.chmod(0o755)
    server = subprocess.Popen([sys.executable, "-m", __name__, str(at)], stdout=subprocess.PIPE)
    assert server.stdout is not None
    try:
        assert server.stdout.readline() == b"ready\n"
        yield folder
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def _serve(at: str) -> NoReturn:
    for found in pkgutil.walk_packages(gateway.__path__, "gateway."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(at)
        door.listen(64)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nothing asks how a handler ended
        os.write(1, b"ready\n")
        while True:
            visitor, _ = door.accept()
            if os.fork() == 0:
                door.close()
                _handle(visitor)
            visitor.close()


def _handle(visitor: socket.socket) -> NoReturn:
    """Run one command in a child, and tell the visitor how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    head, streams, _, _ = socket.recv_fds(visitor, 4, 3)
    with visitor.makefile("rb") as wire:
        said = json.loads(wire.read(int.from_bytes(head, "big")))
    child = os.fork()
    if child == 0:
        visitor.close()
        _run(said, streams)
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(child, 0)
    visitor.sendall(bytes([os.waitstatus_to_exitcode(status) % 256]))
    os._exit(0)


def _run(said: tuple[str, list[str], str, dict[str, str]], streams: list[int]) -> NoReturn:
    name, words, folder, environment = said
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [name, *words]
    code = 70
    try:
        importlib.import_module(_PROGRAMS[name]).main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(bool(end.code))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
