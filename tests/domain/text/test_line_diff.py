"""Diffs for people."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.comparing.line_diff import line_diff


def test_a_diff_shows_what_changed_and_one_line_around_it() -> None:
    before = "".join(f"{number}\n" for number in range(20)).encode()
    after = before.replace(b"5\n6\n", b"five\n6\n", 1).replace(b"\n15\n", b"\n", 1) + b"20\n"

    assert line_diff("a b.md", before, after).splitlines() == [
        "--- a b.md",
        "+++ a b.md",
        "@@ line 5 @@",
        " 4",
        "-5",
        "+five",
        " 6",
        "@@ 7 lines unchanged @@",
        " 14",
        "-15",
        " 16",
        "@@ 2 lines unchanged @@",
        " 19",
        "+20",
    ]


def test_a_new_file_a_removed_one_and_what_is_no_text_are_told_apart() -> None:
    assert line_diff("a.md", None, b"New.\n") == "--- /dev/null\n+++ a.md\n@@ line 1 @@\n+New.\n"
    assert line_diff("a.md", b"Old.\n", None) == "--- a.md\n+++ /dev/null\n@@ line 1 @@\n-Old.\n"
    assert "no text: 1 bytes become 2" in line_diff("a.md", b"\xff", b"a\0")


def test_a_long_rewrite_is_shown_whole() -> None:
    before, after = ("".join(f"{word} {at}\n" for at in range(3000)).encode() for word in ("old", "new"))

    shown = line_diff("a.md", before, after)

    assert shown.count("\n-old") == shown.count("\n+new") == 3000


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


@given(LINES, LINES)
def test_no_changed_line_is_left_out(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in lines).encode() for lines in (old, new))

    shown = line_diff("x", before, after).splitlines()[2:]

    gone = sum(line.startswith("-") for line in shown)
    come = sum(line.startswith("+") for line in shown)
    assert len(old) - gone == len(new) - come
    assert (gone == come == 0) == (old == new)
