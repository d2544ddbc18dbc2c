"""Checks of real processes."""

import os
import socket
import subprocess
import sys

from workers.engine.processes import listens


def test_a_port_that_another_process_answers_at_is_not_taken_for_ones_own() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        subprocess.Popen((sys.executable, "-S", "-c", "input()"), stdin=subprocess.PIPE) as other,
    ):
        port = server.getsockname()[1]

        found = [listens(pid, port) for pid in (os.getpid(), other.pid)]

        other.communicate(b"\n")
    assert found == [True, False]
    assert not listens(other.pid, port)
    assert not listens(os.getpid(), port)
