"""The script of the pages that hears keys, run by Node over a page with a note's field and cards."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gateway.ui
from tests.support.sweeps import LONG

_HERE = Path(__file__).parent
_KEYS = Path(gateway.ui.__file__).with_name("keys.js")
Told = Callable[[Sequence[str]], list[str]]
"""Presses keys one after another, and gives those that the server is told."""
_BEFORE = st.lists(st.sampled_from(["j", "a", "x", "u", "(card)", "(answer)"]), max_size=6)
_TYPED = st.lists(st.sampled_from([*"acjkuxe? w", "Enter", "Backspace", "(answer)"]), max_size=20)


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node")
    with Popen([node, _HERE / "typing.mjs", _KEYS], stdin=PIPE, stdout=PIPE, text=True, bufsize=1) as process:
        assert process.stdin
        assert process.stdout
        lines, answers = process.stdin, process.stdout

        def pressed(keys: Sequence[str]) -> list[str]:
            lines.write(json.dumps(keys) + "\n")
            found: list[str] = json.loads(answers.readline())
            return found

        yield pressed
        lines.close()


@settings(max_examples=5_000 if LONG else 50, deadline=None)
@given(before=_BEFORE, typed=_TYPED)
def test_no_sequence_typed_after_the_key_of_a_note_decides_a_passage(
    told: Told, before: list[str], typed: list[str]
) -> None:
    assert told([*before, "c", *typed]) == [each for each in before if not each.startswith("(")]


def test_the_next_card_has_the_keyboard_once_the_one_that_had_it_is_gone(told: Told) -> None:
    assert told(["(card)", "x", "(answer)", "a"]) == ["x", "a"]
