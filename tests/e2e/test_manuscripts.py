"""A manuscript from one line of instructions to a finished text, by the command line, with the demo model."""

import asyncio
import contextlib
import io
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from gateway.desk.installed_services import InstalledServices
from gateway.desk.manuscript import new_novels
from tests.support.engine.stand import Desk

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

INSTRUCTIONS = "A short essay on tide mills."

Json = dict[str, Any]  # Any: what commands print


class Author:
    """Somebody at a terminal, with one novel."""

    def __init__(self, at: Desk, folder: Path) -> None:
        self.services = InstalledServices(at.environ)
        self.folder = folder

    async def says(self, *words: str) -> tuple[int, Json]:
        """The exit code and the answer of ``penwright manuscript`` with these words."""
        return await asyncio.to_thread(self._says, words)

    async def lists(self) -> Json:
        """The answer of ``penwright manuscript list``."""
        return (await asyncio.to_thread(self._printed, ["manuscript", "list", "--json"]))[1]

    def _says(self, words: tuple[str, ...]) -> tuple[int, Json]:
        verb, *rest = words
        return self._printed(["manuscript", verb, str(self.folder), *rest, "--json"])

    def _printed(self, line: list[str]) -> tuple[int, Json]:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            code = output.run(get_command(cli.app), "penwright", line, obj=self.services)
        answer: Json = json.loads(printed.getvalue())
        return code, answer

    @property
    def text(self) -> str:
        """The manuscript as it is committed."""
        shown = ["git", "-C", str(self.folder), "show", "HEAD:manuscript.md"]
        return subprocess.run(shown, capture_output=True, text=True, check=True).stdout


def founded(at: Desk, folder: Path) -> Author:
    new_novels.create(InstalledServices(at.environ), folder / "mills", {"title": "Tide Mills"})
    return Author(at, folder / "mills")


@pytest.fixture
def author(shared_desk: Desk, tmp_path: Path) -> Author:
    return founded(shared_desk, tmp_path)


@pytest.fixture(scope="module")
def idle(shared_desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Author:
    """The author of a novel that nothing is written in, for commands that write nothing."""
    return founded(shared_desk, tmp_path_factory.mktemp("idle"))


@dataclass(frozen=True)
class Written:
    """A finished manuscript, which tests read in turn."""

    author: Author
    code: int
    ended: Json


@pytest.fixture(scope="module")
async def written(shared_desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Written:
    author = founded(shared_desk, tmp_path_factory.mktemp("written"))
    return Written(author, *await author.says("write", "-i", INSTRUCTIONS))


@pytest.mark.smoke
async def test_one_line_of_instructions_becomes_a_finished_manuscript(written: Written) -> None:
    author, code, ended = written.author, written.code, written.ended

    assert (code, ended["status"], ended["stop"], ended["message"]) == (0, "finished", "finished", "")
    assert ended["last"]["score"] >= 0.8
    assert ended["words"] > 0
    assert ended["calls"] >= 5
    assert author.text.lstrip().startswith("#")

    _, told = await author.says("history")
    done = [entry["action"] for entry in told["entries"] if entry["outcome"] == "done"]
    assert done[:3] == ["open", "generate_format_guidance", "generate_plan"]
    assert {"write_section", "critique_manuscript", "revise_manuscript"} <= set(done)
    assert done[-1] == "finish"


async def test_inspect_shows_variables_now_and_before_and_the_prompt_of_each_call(written: Written) -> None:
    author = written.author

    _, now = await author.says("inspect")
    _, plan = await author.says("inspect", "--variable", "section_plan")
    _, first = await author.says("inspect", "--version", "1")
    _, text = await author.says("inspect", "--variable", "current_manuscript")
    _, scores = await author.says("inspect", "--variable", "critique_score")
    _, said = await author.says("inspect", "--variable", "critique_summary")
    _, items = await author.says("inspect", "--variable", "action_items")
    _, made = await author.says("inspect", "--calls")
    views = [(await author.says("inspect", "--call", call["op_id"]))[1] for call in made["calls"]]

    variables = now["variables"]
    assert variables["instructions"] == INSTRUCTIONS
    assert variables["has_format_guidance"] is True
    assert variables["sections_drafted"] == [each["section_title"] for each in variables["section_plan"]]
    assert plan["value"] == variables["section_plan"]
    assert plan["past"][-1]["value"] == []
    assert text["value"] == author.text
    assert len(said["past"]) == len(items["past"]) == len(scores["past"]) > 0
    assert all(isinstance(each["value"], str) and each["value"] for each in said["past"])
    assert all(isinstance(each["value"], list) for each in items["past"])
    assert first["variables"]["section_plan"] == []
    assert [view["call"]["op_id"] for view in views] == [call["op_id"] for call in made["calls"]]
    assert all(view["messages"][0]["role"] == "system" and view["reply"] for view in views)
    assert all(INSTRUCTIONS in view["messages"][1]["content"] for view in views)


async def test_the_list_shows_state_last_run_and_score(written: Written) -> None:
    author, ended = written.author, written.ended
    listed = await author.lists()

    (line,) = (each for each in listed["documents"] if each["path"] == str(author.folder))
    assert (line["scene"], line["state"], line["outcome"]) == ("-", "idle", "finished")
    assert (line["words"], line["score"]) == (ended["words"], ended["last"]["score"])
    assert line["ended_at"]


async def test_a_run_writes_under_the_named_intent_and_an_unknown_one_is_refused(author: Author) -> None:
    code, refused = await author.says("write", "-i", INSTRUCTIONS, "--intent", "INT-999")
    named, ended = await author.says("write", "-i", INSTRUCTIONS, "--intent", "INT-001")

    assert (code, refused["outcome"]) == (3, "refused")
    assert "INT-999" in refused["message"]
    assert (named, ended["stop"]) == (0, "finished")


async def test_one_instruction_is_one_call_and_one_commit(written: Written) -> None:
    author = written.author
    before = author.text

    code, ended = await author.says("revise", "-i", "Make the first paragraph shorter.")

    assert (code, ended["status"], ended["calls"]) == (0, "finished", 1)
    assert author.text != before
    _, now = await author.says("inspect")
    assert now["variables"]["instructions"] == INSTRUCTIONS


async def test_a_second_write_joins_the_run_and_says_so(author: Author) -> None:
    _, first = await author.says("write", "-i", INSTRUCTIONS, "--detach")
    _, second = await author.says("write", "-i", "Something else.", "--detach")
    _, amended = await author.says("write", "-i", "Something else.", "--amend", "--detach")
    await author.says("watch")

    assert (first["status"], second["status"], amended["status"]) == ("started", "joined", "joined")
    assert (second["amended"], amended["amended"]) == (False, True)
    _, now = await author.says("inspect")
    assert now["variables"]["instructions"] == "Something else."


async def test_a_run_is_paused_resumed_and_stopped(author: Author) -> None:
    _, started = await author.says("write", "-i", INSTRUCTIONS, "--detach")
    paused, _ = await author.says("pause")
    resumed, _ = await author.says("resume")
    stopped, _ = await author.says("stop", "--reason", "enough")
    code, ended = await author.says("watch")

    assert started["status"] == "started"
    assert (paused, resumed) == (0, 0)
    # Under load, it may have ended before it is told to.
    assert (code, ended["stop"]) == ((3, "stopped") if stopped == 0 else (0, "finished"))


async def test_an_estimate_starts_nothing_and_names_calls_and_money(idle: Author) -> None:
    code, told = await idle.says("write", "-i", INSTRUCTIONS, "--max-passes", "2", "--estimate")
    nothing, _ = await idle.says("watch")

    assert code == 0
    assert {each["role"] for each in told["roles"]} >= {"formatter", "planner", "writer", "critic", "reviser"}
    assert told["calls"] == sum(each["calls"] for each in told["roles"])
    assert told["unknown_prices"] == 0
    assert nothing == 3


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("write",), 3, "no-instructions"),
        (("write", "-i", " \n"), 2, "empty-instructions"),
        (("write", "no/such scene", "-i", "x"), 2, "bad-scene-name"),
        (("revise", "-i", ""), 2, "empty-instructions"),
        (("revise", "-i", "x" * 9_000), 2, "instruction-too-long"),
        (("revise", "-i", "Make it shorter."), 3, "nothing-to-revise"),
        (("pause",), 3, "nothing-runs"),
        (("stop",), 3, "nothing-runs"),
        (("kill",), 3, "nothing-runs"),
        (("inspect", "--variable", "section_title"), 2, "unknown-variable"),
        (("inspect", "--version", "7"), 1, "unknown-version"),
        (("inspect", "--call", "x"), 1, "unknown-call"),
        (("inspect", "--calls", "--version", "1"), 2, "options-apart"),
    ],
)
async def test_what_cannot_be_done_is_refused_by_name(
    idle: Author, words: tuple[str, ...], code: int, said: str
) -> None:
    left, answer = await idle.says(*words)

    assert (left, answer["code"]) == (code, said)
