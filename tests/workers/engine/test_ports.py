"""Ports that another program takes between the check and the start."""

import socket
from pathlib import Path

import pytest

from workers.engine.children import Child
from workers.engine.supervisor import Supervisor
from workers.home.folder import Home
from workers.settings import load


@pytest.fixture
def supervisor(tmp_path: Path) -> Supervisor:
    Home(tmp_path).make()
    return Supervisor(load({"PENWRIGHT_HOME": str(tmp_path), "PENWRIGHT_CONFIG": ""}), print)


def test_a_workspace_that_did_not_start_gets_new_ports_for_all_it_serves(supervisor: Supervisor) -> None:
    supervisor._choose_ports()
    supervisor._choose_web_port()
    before = supervisor._record
    child = Child("web", lambda: supervisor._web(child), lambda child: True, essential=False, restarts=0)

    with socket.create_server(("127.0.0.1", before.ui_port or 0)):
        supervisor._web(child)

    after = supervisor._record
    assert after.ui_port not in (before.ui_port, before.temporal_port, after.web_port)
    assert after.ui == f"http://127.0.0.1:{after.ui_port}"
    assert (after.temporal_port, after.codec_port) == (before.temporal_port, before.codec_port)
