"""Files for a person: what is in the way of one is named."""

from pathlib import Path

import pytest

from gateway.desk.written_files import write_file
from penwright.errors import UsageMistake


def test_a_name_that_is_too_long_is_named_and_no_disk_is_blamed(tmp_path: Path) -> None:
    with pytest.raises(UsageMistake) as refused:
        write_file(tmp_path / f"{'x' * 300}.svg", b"", force=False)

    assert (refused.value.code, refused.value.details["hint"]) == ("name-too-long", "choose a shorter name")
    assert "disk" not in refused.value.message
