"""The trailers of a commit's message."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.adapters.workspace.git.commits import trailers_in

NAMES = st.from_regex(r"[A-Z][A-Za-z0-9-]{0,12}", fullmatch=True)
VALUES = st.from_regex(r"[!-~]([ -~]{0,20}[!-~])?", fullmatch=True)
PROSE = st.from_regex(r"[A-Z][a-z ]{0,30}\.", fullmatch=True)


@given(PROSE, st.lists(PROSE, max_size=2), st.lists(st.tuples(NAMES, VALUES), min_size=1, max_size=6))
def test_trailers_are_parsed_as_git_parses_them(
    title: str, paragraphs: list[str], trailers: list[tuple[str, str]]
) -> None:
    tail = "\n".join(f"{name}: {value}" for name, value in trailers)
    message = "\n\n".join([title, *paragraphs, tail]) + "\n"
    told = subprocess.run(
        ["git", "interpret-trailers", "--parse", "--no-divider"],
        input=message.encode(),
        capture_output=True,
        check=True,
    )
    assert [f"{name}: {value}" for name, value in trailers_in(message)] == told.stdout.decode().splitlines()


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Trace-Id: a title is no trailer\n", []),
        ("Title\n\nTrace-Id: a\n\nThe last paragraph counts.\n", []),
        ("Title\n\nOther lines\nTrace-Id:  a \nare skipped: here\n", [("Trace-Id", "a")]),
        ("Title\n\nTrace-Id: a\nTrace-Id: b\n\n\n", [("Trace-Id", "a"), ("Trace-Id", "b")]),
        ("", []),
    ],
)
def test_only_lines_of_the_last_paragraph_are_trailers(message: str, told: list[tuple[str, str]]) -> None:
    assert list(trailers_in(message)) == told
