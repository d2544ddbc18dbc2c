"""A novel on the stage for commands."""

from pathlib import Path

import pytest

from tests.support.gateway.services import Run

DRAFT = """\
# Ebb

The keeper counts the lamps at dusk.

# Flow

Nobody asks him why [[@article{orr2020tide, title = {The tide tables}, author = {Orr, M.}, year = {2020}}]].
"""


@pytest.fixture
def novel(run: Run, tmp_path: Path) -> Path:
    """A novel with a manuscript."""
    source = tmp_path / "draft.md"
    source.write_text(DRAFT)
    place = tmp_path / "tides"
    code, _, err = run("manuscript", "new", str(place), "--title", "Low Tide", "--author", "M. Orr")
    assert (code, err) == (0, "")
    code, _, err = run("manuscript", "import", str(source), "--into", str(place))
    assert (code, err) == (0, "")
    return place
