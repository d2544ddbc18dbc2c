"""The parts of the live view: the line being typed, what it asks for, what is drawn."""

import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from gateway.cli.scene.live_view.actions import COMMANDS, Action, action_of
from gateway.cli.scene.live_view.keyboard import LineEditor
from gateway.cli.scene.live_view.screen import Screen, message_text
from schemas.deltas import Delta
from schemas.scene import Alternative, Author, SceneMessage
from tests.support.each import for_each

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
NARROW = 60


def drawn(screen: Screen, *, height: int = 24, width: int = NARROW) -> list[str]:
    """The moving part as lines of a terminal."""
    file = io.StringIO()
    Console(file=file, width=width, height=height, color_system=None).print(screen.shown(width, height))
    return file.getvalue().splitlines()


def a_message(text: str, number: int = 3) -> SceneMessage:
    author = Author(kind="model", name="demo", demo=True)
    one = Alternative(index=0, text=text, author=author, at=NOON, op_id="o")
    return SceneMessage(
        id=f"quay/{number}",
        number=number,
        round=1,
        speaker="character",
        speaker_id="ann",
        name="Ann",
        alternatives=(one,),
    )


def a_delta(piece: str, position: int) -> Delta:
    return Delta(scene="quay", round=1, character="ann", piece=piece, position=position)


def test_enter_finishes_a_line_and_what_follows_begins_the_next() -> None:
    editor = LineEditor()

    assert editor.typed("Who lit") == []
    assert editor.typed(" the lamp?\rAnd") == ["Who lit the lamp?"]
    assert editor.text == "And"


@for_each(
    "keys, left",
    [
        ("lampp\x7f", "lamp"),
        ("the lamp\x17", "the"),
        ("the lamp\x15", ""),
        ("\x7f\x7f", ""),
        ("e\u0301\x7f", ""),
        ("la\x1b[Dmp\x1b[200~", "lamp"),
        ("l\x00a\x07mp", "lamp"),
        ("灯が", "灯が"),
    ],
)
def test_keys_that_erase_or_move_leave_a_clean_line(keys: str, left: str) -> None:
    editor = LineEditor()

    assert editor.typed(keys) == []
    assert editor.text == left


def test_ctrl_d_leaves_only_on_an_empty_line() -> None:
    editor = LineEditor()

    assert editor.typed("a\x04") == []
    assert editor.typed("\x7f\x04") == ["/quit"]


@given(st.text(max_size=40))
def test_whatever_is_typed_no_line_has_a_control_character(keys: str) -> None:
    editor = LineEditor()
    lines = editor.typed(keys)

    assert all(sign.isprintable() or sign == "\u200d" for line in [*lines, editor.text] for sign in line)


@for_each(
    "line, action",
    [
        ("Who lit the lamp?", Action("say", "Who lit the lamp?")),
        ("//me waves", Action("say", "/me waves")),
        ("/continue", Action("continue")),
        ("/C", Action("continue")),
        ("/regenerate 12", Action("regenerate", "12")),
        ("/force Ann Lee", Action("force", "Ann Lee")),
        ("   ", Action("nothing")),
    ],
)
def test_a_line_is_a_message_unless_it_begins_with_a_slash(line: str, action: Action) -> None:
    assert action_of(line) == action


@pytest.mark.parametrize("line", ["/dance", "/force", "/veto  "])
def test_a_command_that_cannot_be_meant_is_never_said_in_the_scene(line: str) -> None:
    assert action_of(line).verb == "unknown"


def test_every_command_that_help_lists_is_one() -> None:
    lines = [command.split(" ")[0] + " Ann" for command in COMMANDS]

    assert [line for line in lines if action_of(line).verb in ("unknown", "say")] == []


def test_a_reply_shows_while_it_comes_and_goes_once_it_is_stored() -> None:
    screen = Screen("Mira", {"ann": "Ann"}, typed="And n")
    screen.streamed(a_delta("The lamp ", 0))
    screen.streamed(a_delta("is out.", 9))

    assert drawn(screen) == ["Ann …", "The lamp is out.", "your turn; /help lists commands", "Mira> And n▏"]

    screen.stored(a_message("The lamp is out."))
    assert drawn(screen)[0].startswith("your turn")


def test_a_lost_piece_is_marked_and_a_new_attempt_begins_anew() -> None:
    screen = Screen("Mira")
    screen.streamed(a_delta("Another lamp ", 0))
    screen.streamed(a_delta("The lamp ", 0))
    screen.streamed(a_delta("out.", 12))

    assert drawn(screen)[1] == "The lamp ………out."


def test_a_long_reply_never_needs_more_room_than_there_is() -> None:
    screen = Screen("Mira", {"ann": "Ann"}, status="Round 3: Ann acts " * 9, typed="x" * 200)
    screen.streamed(a_delta("word " * 2_000, 0))

    lines = drawn(screen, height=12)
    assert len(lines) <= 12
    assert max(map(len, lines)) <= NARROW
    assert lines[-1].startswith("Mira> …xx")
    assert lines[-1].endswith("x▏")


def test_a_message_wraps_at_sixty_columns_and_its_markup_is_text() -> None:
    file = io.StringIO()
    text = "[bold]Not bold[/bold] and \x1b[31mnot red\x1b[0m, " + "long " * 30
    Console(file=file, width=NARROW, color_system=None).print(message_text(a_message(text), NARROW))

    lines = file.getvalue().splitlines()
    assert lines[0] == "#3 Ann"
    assert "[bold]Not bold[/bold]" in file.getvalue()
    assert "\x1b" not in file.getvalue()
    assert max(map(len, lines)) <= NARROW
