"""Names that a list can show."""

import pytest

from penwright.domain.text.names import check_name, in_one_line
from penwright.errors import UsageMistake
from tests.support.each import for_each


@for_each(
    "name", ["", "  ", "a\nb", "a\rb", "a\x1b[2Jb", "a\x9bb", "a\x85b", "a\u2028b", "a\u202eb", "x" * 301]
)
def test_what_no_list_can_show_is_no_name(name: str) -> None:
    with pytest.raises(UsageMistake, match="cannot be a name"):
        check_name(name)
    check_name(f"Tide {in_one_line(name)}"[:300])
