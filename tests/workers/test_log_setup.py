"""What the log shows."""

import subprocess
import sys

import pytest

_PROGRAM = """
import logging
from workers.log_setup import configure
from workers.settings import TelemetrySettings
configure(TelemetrySettings(log_format={form!r}), process="activities")
try:
    raise ValueError("no answer from https://t0ken@h.example/b")
except ValueError:
    logging.getLogger("x").exception("fetch of %s failed", "https://u:t0ken@h.example/b")
"""


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_token_in_an_address_is_masked_in_messages_and_traces(form: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(form=form)], capture_output=True, text=True, check=True
    )

    assert done.stderr.count("https://***@h.example/b") == 2
    assert "t0ken" not in done.stderr
