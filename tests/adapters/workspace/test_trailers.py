"""Trailers are found as git finds them."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from penwright.adapters.workspace.trailers import trailers_in
from tests.support.repos import git

ROWS = (
    *(
        "Title",
        "Key: value",
        "Trace-Id: a,b",
        "Trace-Head:x",
        " continued",
        "\tmore",
        "",
        "",
        " ",
        "\t",
        "---",
    ),
    *("# comment", "Signed-off-by: A <a@b>", "Signed-off-by:x", "(cherry picked from commit abc)", "\tfile"),
    *(
        "Conflicts:",
        "# Conflicts:",
        "plain text line",
        "Key with space: v",
        "Key : v",
        "key\t:v",
        "Key:",
        "Key: ",
    ),
    *(":v", "-: x", "é: y", "Über: x", "Key: a\rb", "Key: a \r", "\r", " \r", "\x0b", "\x0b: x", "1: 2"),
    *("Key: \x0bv\x0c", "\x0c", "K: v : w: z", "Key: \x02 x", "\x01abc", "Key:  two  blanks  "),
    *("http://x.y/z", "Reviewed-by= x", "\xa0", "Key:\xa0v\xa0", "Key: \xa0", "Key: \u2028 x"),
    "# ------------------------ >8 ------------------------",
)
MESSAGES = st.tuples(
    st.sampled_from(["", "", "Title\n\n", "Title\n\nText.\n\n", "\n\n", "# Title\n\n", "Title\n#\n\n"]),
    st.lists(st.sampled_from(ROWS), min_size=1, max_size=8).map("\n".join),
    st.sampled_from(["", "\n", "\n", "\n\n", " \n", "\n \n"]),
).map("".join)
_PAIRS = "only,unfold,separator=%x00%x0a,key_value_separator=%x00%x09"
_ASKED = f"--format=%x00%(trailers:{_PAIRS})%x00%x00:%B%x00%x00%x01"
WRITTEN = "Write\n\nPenwright-Op: a:1\nTrace-Id: b\nTrace-Head: sha256:c\nMutation-Class: AST_REFACTOR\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("messages")
    git(made, "init", "-q")
    return made


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(MESSAGES, min_size=1, max_size=60))
@example([WRITTEN, f"{WRITTEN}\n", f"{WRITTEN} folded\n", f"{WRITTEN}\nText.\n", f"\n{WRITTEN}", WRITTEN[7:]])
def test_odd_messages_are_read_as_git_reads_them(folder: Path, messages: list[str]) -> None:
    for message, told in zip(messages, told_by_git(folder, messages), strict=True):
        asked, _, body = told.partition("\0\0:")
        wanted = [tuple(row.split("\0\t")) for row in asked.split("\0\n")] if asked else []
        assert list(trailers_in(body)) == wanted, message


def told_by_git(folder: Path, messages: Sequence[str]) -> list[str]:
    """The trailers and the whole of each message, from a branch of their own."""
    stream = b"".join(
        b"commit refs/heads/odd\ncommitter A <a@b> %d +0000\ndata %d\n%b\n" % (number, len(data), data)
        for number, data in enumerate(map(str.encode, messages), start=1_700_000_000)
    )
    git(folder, "fast-import", "--quiet", "--force", data=stream)
    told = git(folder, "log", "--reverse", "--topo-order", _ASKED, "odd", "--")
    return [each.removeprefix("\n").removeprefix("\0") for each in told.split("\0\0\x01")[:-1]]
