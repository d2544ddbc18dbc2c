"""Printing: data on stdout, the rest on stderr, one shape for errors."""

import json
import re
import shlex
from collections.abc import Callable

import pytest
import typer
from typer.main import get_command

from gateway.cli import output
from penwright import errors
from tests.support.gateway.command_lines import PROGRAMS


def _command(act: Callable[[], None]) -> output.Command:
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    def act_once(json: output.JsonFlag = False, number: int = 0) -> None:
        act()

    return get_command(app)


def _fail(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageMistake("a-code", "what"), 2),
        (errors.Refused("a-code", "what"), 3),
        (errors.NotFound("a-code", "what"), 1),
        (errors.EngineUnavailable("a-code", "what"), 1),
        (KeyboardInterrupt(), 130),
        (typer.Abort(), 130),
        (ZeroDivisionError("what"), 1),
        (PermissionError(13, "what", "/a"), 1),
    ],
)
def test_every_failure_has_its_exit_code_and_leaves_stdout_empty(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = output.run(_command(_fail(error)), "penwright", [])

    out, err = capsys.readouterr()
    assert (ended, out) == (code, "")
    assert err.startswith("error[")


def test_an_error_for_people_is_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    output.run(_command(_fail(errors.Refused("no-go", "'x' may not", hint="try y"))), "penwright", [])

    assert capsys.readouterr().err == "error[no-go]: 'x' may not\n  next: try y\n"


@pytest.mark.parametrize("error", [errors.Refused("no-go", "may not"), ZeroDivisionError("oops")])
def test_an_error_for_machines_is_one_document_on_stdout(
    error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    output.run(_command(_fail(error)), "penwright", ["--json"])

    out, err = capsys.readouterr()
    told = json.loads(out)
    assert told["status"] == "error"
    assert told.keys() >= {"error", "code"}
    assert err == ""


def test_a_command_line_that_does_not_parse_obeys_json(capsys: pytest.CaptureFixture[str]) -> None:
    ended = output.run(_command(lambda: None), "penwright", ["--json", "--number", "many"])

    told = json.loads(capsys.readouterr().out)
    assert (ended, told["code"]) == (2, "usage")
    assert "--number" in told["error"]


def test_json_after_two_dashes_is_not_an_option() -> None:
    assert not output.wants_json(["close", "--", "--json"])
    assert output.wants_json(["close", "--json", "--", "x"])


def test_text_is_printed_as_it_is_and_keys_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"z": "Ebbe – Flut", "a": 1})

    assert capsys.readouterr().out == '{\n  "z": "Ebbe – Flut",\n  "a": 1\n}\n'


def test_a_missing_git_is_not_called_a_full_disk(capsys: pytest.CaptureFixture[str]) -> None:
    ended = output.run(_command(_fail(FileNotFoundError(2, "No such file", "git"))), "penwright", [])

    assert (ended, capsys.readouterr().err.splitlines()[0]) == (1, "error[git-missing]: git is not on PATH")


def test_an_interrupted_command_reports_its_state(capsys: pytest.CaptureFixture[str]) -> None:
    ended = output.run(_command(_fail(output.Interrupted("nothing was made"))), "penwright", [])

    assert (ended, capsys.readouterr().err) == (130, "error[interrupted]: interrupted; nothing was made\n")


def test_a_fault_names_the_command_that_shows_where_it_happened(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr("gateway.desk.works.books.find", fail)
    penwright = PROGRAMS["penwright"]

    output.run(penwright, "penwright", ["book", "status", "my tide"])
    (step,) = re.findall("`penwright ([^`]+)`", capsys.readouterr().err)
    output.run(penwright, "penwright", shlex.split(step))
    followed = capsys.readouterr().err

    assert step == "--traceback book status 'my tide'"
    assert "Traceback" in followed
    assert "`" not in followed.partition("next: ")[2]


def test_a_fault_names_no_option_that_the_program_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    output.run(_command(_fail(ZeroDivisionError("no"))), "ink-cli", [])

    assert "--traceback" not in capsys.readouterr().err


def test_control_characters_of_foreign_texts_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printer = output.Printer(False)
    printer.result({}, "a\x1b[31mred\x9b1m\r\tb\r\nc")
    printer.note("a\x07b")
    output.run(_command(_fail(errors.Refused("no-go", "a\x1b[2Jb", hint="c\x1bd"))), "penwright", [])

    out, err = capsys.readouterr()
    assert out == "a [31mred 1m \tb\r\nc\n"
    assert err == "a b\nerror[no-go]: a [2Jb\n  next: c d\n"


def test_a_name_that_is_too_long_is_named_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    output.run(_command(_fail(OSError(36, "File name too long", "x" * 300))), "penwright", [])

    said = capsys.readouterr().err
    assert said.startswith("error[name-too-long]: ")
    assert "choose a shorter name" in said
