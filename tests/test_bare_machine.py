"""`make test` on a machine with what the README names: Python, git, make and a shell."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[1]


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing else is on PATH."""
    for name in ("git", "make", "sh"):
        found = shutil.which(name)
        assert found is not None
        (tmp_path / name).symlink_to(found)
    (tmp_path / "python3").symlink_to(sys.executable)
    return {"PATH": str(tmp_path), "HOME": str(tmp_path), "LANG": os.environ.get("LANG", "C.UTF-8")}


def test_the_tests_are_collected_without_any_optional_program(bare: dict[str, str]) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--collect-only",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        command, cwd=TOP, env=bare, capture_output=True, text=True, check=False, timeout=600
    )

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_browser_tests_are_skipped_without_a_browser_and_counted_at_the_end(bare: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "tests/browser/test_shared.py"]
    done = subprocess.run(
        command, cwd=TOP, env=bare, capture_output=True, text=True, check=False, timeout=600
    )

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    told = r"^\d+ tests skipped: no `chromium` on PATH; `apt-get install chromium` brings it$"
    assert re.search(told, done.stdout, re.MULTILINE), done.stdout
