"""What `make test` does with a test that fails."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TOP = Path(__file__).parents[1]
UNSTEADY = """
from pathlib import Path

def test_unsteady_{n}():
    seen = Path("seen-{n}")
    before = seen.exists()
    seen.touch()
    assert before
"""
BROKEN_ONCE = """
from pathlib import Path
import pytest

@pytest.fixture(scope="module")
def server():
    seen = Path("seen-server")
    before = seen.exists()
    seen.touch()
    assert before, "no server"

@pytest.mark.parametrize("number", range(6))
def test_needs_it(server, number):
    assert True
"""


def run_tests(folder: Path, *sources: str) -> subprocess.CompletedProcess[str]:
    """The script on a project with these test files."""
    (folder / "deploy").mkdir()
    shutil.copy(TOP / "deploy/tests.sh", folder / "deploy")
    (folder / ".venv").symlink_to(TOP / ".venv")
    (folder / "tests").symlink_to(TOP / "tests")
    settings = ("[pytest]", "testpaths = test_*.py", "markers =", "  long: not here")
    (folder / "pytest.ini").write_text("\n".join(settings))
    for number, source in enumerate(("def test_good():\n    assert True\n", *sources)):
        (folder / f"test_{number}.py").write_text(source)
    command = ["sh", str(folder / "deploy/tests.sh"), "not long", "2"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_a_test_that_passes_alone_is_named_and_refuses_nothing(tmp_path: Path) -> None:
    done = run_tests(tmp_path, UNSTEADY.format(n=1))

    assert done.returncode == 0
    told = "[tests] UNSTEADY: failed among the others, passed alone: test_1.py::test_unsteady_1"
    assert done.stdout.splitlines()[-1] == told


def test_a_broken_fixture_is_one_fault_however_many_tests_need_it(tmp_path: Path) -> None:
    done = run_tests(tmp_path, BROKEN_ONCE)

    assert done.returncode == 0
    assert done.stdout.count("UNSTEADY") == 6


@pytest.mark.parametrize(
    "sources",
    [
        ("def test_bad():\n    assert False\n", UNSTEADY.format(n=1)),
        tuple(UNSTEADY.format(n=n) for n in range(4)),
        ("no python",),
    ],
    ids=["one of two fails again", "four fail", "cannot be read"],
)
def test_other_failures_refuse(tmp_path: Path, sources: tuple[str, ...]) -> None:
    done = run_tests(tmp_path, *sources)

    assert done.returncode != 0
    assert "UNSTEADY" not in done.stdout
