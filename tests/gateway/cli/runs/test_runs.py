"""``penwright run`` against a real Temporal server."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel
from temporalio.testing import WorkflowEnvironment

from activities.agents.transcripts import run_of
from gateway.cli.runs.reports import ended, ended_lines
from gateway.desk.agents import board
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.definition.flags import Flags
from penwright.agents.guardrails.known_files import FileSeen
from penwright.agents.state import Append, Event, Reducer, SliceItem, StateView
from penwright.agents.tools.sub_agent import SubAgent
from penwright.agents.tools.tool import Tool
from penwright.roles import catalogue
from schemas.agent_run import AgentRunResult
from tests.support.each import for_each
from tests.support.gateway.advised_states import steps_in
from tests.support.gateway.agent_services import Desk, desk, until_listed
from tests.support.workflows.librarian import READ, SEND, Question, calls, says
from workflows.agents.loop import AgentLoop

pytestmark = pytest.mark.server

LETTER = ("send_letter", {"path": "ada", "text": "Hello."})
HANGS = ScriptedAnswer(fault="hang")


def _asked(params: Any) -> str:  # Any: a Question
    return str(params.text)


MESSENGER = AgentDefinition(
    namespace="test",
    key="messenger",
    title="A messenger",
    sections=(Section(key="desk", title="Desk", body="Send letters.", tools=(SEND,)),),
)
ASK = Tool(
    name="ask_messenger",
    description="Have a messenger send it.",
    params=Question,
    effect="read",
    handler=SubAgent(agent="test/messenger", task=_asked),
)
CHIEF = AgentDefinition(
    namespace="test",
    key="chief",
    title="A chief",
    sections=(Section(key="desk", title="Desk", body="Have things done.", tools=(ASK,)),),
)


MISTAKES: list[str] = []
"""While it holds something, the reducer of ``Memory`` raises."""


class Memory(SliceItem):
    event_name: ClassVar[str] = "tests.gateway.memory"

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {FileSeen: remember}


def remember(state: StateView, event: FileSeen) -> Append[Memory]:
    if MISTAKES:
        raise ValueError("no room")
    return Append(Memory())


FORGETFUL = AgentDefinition(
    namespace="test",
    key="forgetful",
    title="A forgetful one",
    sections=(Section(key="desk", title="Desk", body="Read.", tools=(READ,)),),
    slices=(Memory,),
)


class Trial(Flags):
    """What is tried."""

    event_name: ClassVar[str] = "tests.gateway.trial"

    letters: bool = False
    passes: int = 1


def _with_letters(params: BaseModel | None, state: StateView) -> bool:
    trial = state.latest(Trial)
    return trial is not None and trial.letters


APPRENTICE = AgentDefinition(
    namespace="test",
    key="apprentice",
    title="An apprentice",
    sections=(
        Section(key="desk", title="Desk", body="Keep the pages.", tools=(READ,)),
        Section(key="post", title="Post", body="Send letters.", tools=(SEND,), enabled=_with_letters),
    ),
    flags=Trial,
)
catalogue.register_agents(*map(catalogue.Entry, (MESSENGER, CHIEF, APPRENTICE, FORGETFUL)))

Opens = Callable[..., AbstractAsyncContextManager[Desk]]


@pytest.fixture
def opens(temporal_env: WorkflowEnvironment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Opens:
    @asynccontextmanager
    async def opened(*answers: ScriptedAnswer, **pages: str) -> AsyncIterator[Desk]:
        async with desk(temporal_env.client, tmp_path, capsys, *answers, pages=pages) as at:
            yield at

    return opened


async def start(at: Desk, *more: str) -> tuple[int, Any, str]:  # Any: JSON
    """Start the library's own run by command."""
    arguments = ("test/librarian", "--task", "Keep the pages.", "--id", at.here.queue, "--json", *more)
    code, out, err = await at.run("run", "start", *arguments)
    return code, json.loads(out), err


async def told(at: Desk, verb: str, *more: str) -> tuple[int, Any]:  # Any: JSON
    code, out, _ = await at.run("run", verb, at.here.queue, *more, "--json")
    return code, json.loads(out)


async def test_a_flag_of_the_command_line_reaches_the_conditions_of_the_agent(opens: Opens) -> None:
    async with opens(calls(LETTER), says("Sent."), says("Kept.")) as at:
        one = ("run", "start", "test/apprentice", "-t", "Work.", "--json", "--id")
        waiting, _, _ = await at.run(*one, f"on-{at.here.queue}", "--flags", "letters=true", "--detach")
        asked = await at.here.until_notified()
        _, denied, _ = await at.run("run", "deny", f"on-{at.here.queue}", "--json")
        kept = at.here.client.get_workflow_handle(run_of(f"on-{at.here.queue}"))
        await kept.result()
        plain, out, _ = await at.run(*one, f"off-{at.here.queue}")
        other, taken, _ = await at.run(*one, f"off-{at.here.queue}", "--flags", "passes=2")
        shown = await at.run("agent", "show", "apprentice")
        made = json.loads((await at.run("agent", "show", "apprentice", "--json"))[1])

    assert (waiting, plain, other) == (0, 0, 3)
    assert asked["tool"] == "send_letter"
    assert json.loads(denied)["status"] == "denied"
    assert json.loads(out)["output"] == "Kept."
    assert json.loads(taken)["code"] == "run-id-taken"
    assert "flag: letters (boolean), else false" in shown[1].splitlines()
    assert made["flags"]["passes"] == {"type": "integer", "default": 1}


@for_each(
    "agent, flags, said",
    [
        ("apprentice", ("passes",), "NAME=VALUE"),
        ("apprentice", ("=2",), "NAME=VALUE"),
        ("apprentice", ("passes=2", "passes=3"), "twice"),
        ("apprentice", ("passes=many",), "'passes'"),
        ("apprentice", ("speed=2",), "letters, passes"),
        ("messenger", ("passes=2",), "has no flags"),
    ],
)
async def test_an_invalid_flag_is_refused_before_the_run_starts(
    opens: Opens, agent: str, flags: tuple[str, ...], said: str
) -> None:
    async with opens() as at:
        given = [text for flag in flags for text in ("--flags", flag)]
        one = ("run", "start", f"test/{agent}", "-t", "Work.", "--id", at.here.queue, "--json")
        code, out, err = await at.run(*one, *given)
        missing, _ = await told(at, "show")

    assert (code, json.loads(out)["code"], missing) == (2, "bad-flag", 1)
    assert said in out + err


async def test_run_start_waits_and_prints_the_result(opens: Opens) -> None:
    async with opens(calls(("read_page", {"path": "a"})), says("It says old."), a="old") as at:
        code, out, _ = await at.run(
            "run", "start", "librarian", "-t", "Read.", "--subject", "store", "--id", "r-" + at.here.queue
        )

    assert code == 0
    assert "ended completed" in out
    assert out.rstrip().endswith("It says old.")
    assert "2 model calls, 1 tool call, " in out


@for_each("many, why", [(0, "it answered and called no tool"), (2, "no commit came of its 2 tool calls")])
def test_a_completed_run_says_why_no_file_was_changed(many: int, why: str) -> None:
    ending = AgentRunResult(outcome="completed", agent="a", run_id="r", subject="s", tool_calls=many)

    assert f"  no file was changed: {why}" in ended_lines(ending)
    assert ended(ending, fresh=True)["unchanged"] == f"no file was changed: {why}"


async def test_the_same_request_under_the_same_id_is_the_same_run(opens: Opens) -> None:
    async with opens(says("Once.")) as at:
        _, first, _ = await start(at)
        code, again, _ = await start(at)
        code_detached, left, _ = await start(at, "--detach")

    assert (first["fresh"], again["fresh"]) == (True, False)
    assert {**first, "fresh": False} == again
    assert (code, code_detached, left["status"]) == (0, 0, "exists")


async def test_the_same_request_meets_the_run_while_it_runs(opens: Opens) -> None:
    async with opens(HANGS) as at:
        _, first, _ = await start(at, "--detach")
        await at.here.until_asked()
        _, again, _ = await start(at, "--detach")
        await told(at, "kill")
        await at.here.until_ended()

    assert (first["status"], again["status"]) == ("started", "exists")


async def test_a_run_is_watched_to_its_end(opens: Opens) -> None:
    async with opens(HANGS) as at:
        await start(at, "--detach")
        await at.here.until_asked()
        watching = asyncio.create_task(at.run("run", "watch", at.here.queue, "--json"))
        early, _ = await asyncio.wait({watching}, timeout=2)
        await told(at, "kill")
        code, out, _ = await watching

    assert not early
    assert (code, json.loads(out)["outcome"]) == (1, "cancelled")


async def test_what_has_ended_is_watched_as_it_is_shown(opens: Opens) -> None:
    async with opens(says("Once.")) as at:
        await start(at)
        code, watched, _ = await at.run("run", "watch", at.here.queue)
        _, shown, _ = await at.run("run", "show", at.here.queue)
        missing, _, err = await at.run("run", "watch", "nothing-like-it")

    assert (code, watched) == (0, shown)
    assert missing == 1
    assert "error[unknown-run]" in err


async def test_an_id_that_another_request_has_is_refused(opens: Opens) -> None:
    async with opens(says("Once.")) as at:
        await start(at)
        code, refused, _ = await start(at, "--tag", "bold")

    assert (code, refused["code"]) == (3, "run-id-taken")
    assert "test/librarian" in refused["error"]
    assert f"penwright run show {at.here.queue}" in refused["next"]


async def test_a_cap_on_calls_ends_the_run_with_its_last_words_and_exit_code_one(opens: Opens) -> None:
    answers = [calls(("read_page", {"path": "a"}))] * 2 + [says("What I have.")]
    async with opens(*answers, a="old") as at:
        code, ending, _ = await start(at, "--max-calls", "3")
        _, shown, _ = await at.run("run", "show", at.here.queue)
        _, _, refused = await at.run("run", "pause", at.here.queue)

    assert (code, ending["outcome"], ending["output"]) == (1, "budget", "What I have.")
    assert shown.splitlines()[0] == f"{at.here.queue}: test/librarian on librarian, budget"
    assert "has ended" in refused
    assert "completed" not in f"{shown}{refused}"


async def test_a_failed_run_is_shown_with_its_code(opens: Opens) -> None:
    async with opens(ScriptedAnswer(fault="refusal")) as at:
        code, ending, _ = await start(at)
        _, shown = await told(at, "show")
        _, lines, _ = await at.run("run", "show", at.here.queue)

    assert (code, ending["outcome"], ending["code"]) == (1, "failed", "model-refused")
    assert (shown["outcome"], shown["result"]["code"]) == ("failed", "model-refused")
    assert f"penwright run transcript {at.here.queue}" in lines


@for_each(
    "arguments, code, exit_code",
    [
        (("test/nobody",), "unknown-agent", 1),
        (("test/librarian", "--set", "Nothing.at=1"), "parameter-unknown", 2),
        (("test/librarian", "--set", "nothing"), "bad-set", 2),
        (("test/librarian", "--params", "/nowhere/at/all"), "file-system", 1),
        (("test/librarian", "--id", "a/b"), "bad-run-id", 2),
        (("ink/writer",), "parameter-missing", 2),
    ],
)
async def test_an_invalid_run_is_refused_before_it_starts(
    opens: Opens, arguments: tuple[str, ...], code: str, exit_code: int
) -> None:
    async with opens() as at:
        exited, out, _ = await at.run("run", "start", *arguments, "--task", "x", "--json")

    assert (exited, json.loads(out)["code"]) == (exit_code, code)
    assert json.loads(out)["next"]


async def test_a_run_is_listed_until_and_after_it_ends(opens: Opens) -> None:
    async with opens(says("Done.")) as at:
        await start(at)
        listed = await until_listed(at, at.here.queue, "completed")
        code, out, _ = await at.run("run", "list", "--limit", "1000", "--json")
        _, lines, _ = await at.run("run", "list", "--limit", "1000")

    (row,) = [each for each in json.loads(out)["runs"] if each["run_id"] == at.here.queue]
    assert code == 0
    assert listed == {"agent": "test/librarian", "status": "completed"}
    assert (row["outcome"], row["agent"], row["caller"]) == ("completed", "test/librarian", "")
    assert at.here.queue in lines


async def test_an_empty_list_of_runs_says_what_to_do(opens: Opens) -> None:
    async with opens() as at:
        code, out, _ = await at.run("run", "list", "--subject", "nobody's")

    assert code == 0
    assert "penwright run start" in out


async def test_the_transcript_nests_a_sub_agent_under_its_call(opens: Opens) -> None:
    answers = (
        calls(("ask_clerk", {"text": "What is on page a?"})),
        calls(("read_page", {"path": "a"})),
        says("It says old."),
        says("The clerk says: old."),
    )
    async with opens(*answers, a="old") as at:
        await start(at)
        code, told_ = await told(at, "transcript")
        _, lines, _ = await at.run("run", "transcript", at.here.queue)

    assert code == 0
    assert [entry["sequence"] for entry in told_["entries"]] == list(range(1, len(told_["entries"]) + 1))
    (call,) = [entry for entry in told_["entries"] if entry["type"] == "call-started"]
    assert call["sub_agent"][-1]["type"] == "run-ended"
    assert "\n         1  " in lines  # the sub-agent's first entry is indented


async def test_a_paused_run_is_resumed_and_killed(opens: Opens) -> None:
    async with opens(HANGS) as at:
        await start(at, "--detach")
        await at.here.until_asked()
        paused = await told(at, "pause")
        shown = await told(at, "show")
        resumed = await told(at, "resume")
        killed = await told(at, "kill", "--reason", "enough")
        _, ending, _ = await start(at)
        again = await told(at, "kill")

    assert [(code, data["status"], data["heard"]) for code, data in (paused, resumed, killed)] == [
        (0, "paused", True),
        (0, "resumed", True),
        (0, "killed", True),
    ]
    assert shown[1]["progress"]["paused"]
    assert (ending["outcome"], ending["message"]) == ("cancelled", "ada: enough")
    assert (again[0], again[1]["code"]) == (3, "run-ended")


async def stages(at: Desk) -> list[tuple[str, str]]:
    """The runs at work, as `penwright status` reads them."""
    return [(each.run_id, each.stage) for each in (await board.at_work(at.services)).lines]


async def test_a_call_that_waits_is_shown_and_approved(opens: Opens) -> None:
    async with opens(calls(LETTER), says("Sent.")) as at:
        await start(at, "--detach")
        await at.here.until_notified()
        async with asyncio.timeout(30):
            while (at.here.queue, "approval") not in await stages(at):  # noqa: ASYNC110  # listed with a delay
                await asyncio.sleep(0.05)
        _, lines, _ = await at.run("run", "show", at.here.queue)
        call = f"{at.here.queue}/call/1"
        code, decided = await told(at, "approve", "--call", call, "--reason", "she waits for it")
        _, ending, _ = await start(at)
        nothing = await told(at, "approve", "--call", call)

    assert "send_letter" in lines
    assert f"penwright run approve {at.here.queue} --call {call}" in lines
    assert f"digest {decided['call']['digest']}" in lines
    assert (code, decided["status"], decided["by"]) == (0, "approved", "ada")
    assert (ending["outcome"], at.here.shelf.pages) == ("completed", {"letters/ada": "Hello."})
    assert (nothing[0], nothing[1]["code"]) == (3, "nothing-to-approve")


async def test_a_call_that_was_not_shown_is_not_approved(opens: Opens) -> None:
    second = ("send_letter", {"path": "bob", "text": "Hello."})
    async with opens(calls(LETTER), calls(second), says("Sent.")) as at:
        await start(at, "--detach")
        await at.here.until_notified()
        _, first = await told(at, "show")
        unnamed = await told(at, "approve")
        shown = ("--call", first["waiting"]["id"], "--digest", first["waiting"]["digest"])
        await told(at, "approve", *shown)
        await at.here.until_notified()
        stale = [await told(at, "approve", *name) for name in (shown, shown[:2], shown[2:])]
        steps = [steps_in(refused["next"], []) for refused in (unnamed[1], *(each for _, each in stale))]
        followed = [(await at.run(*words))[0] for each in steps for words in each]
        _, next_ = await told(at, "show")
        by_digest = await told(at, "approve", "--digest", next_["waiting"]["digest"])
        _, ending, _ = await start(at)

    assert (unnamed[0], unnamed[1]["code"]) == (2, "which-call")
    assert {(code, said["code"]) for code, said in stale} == {(3, "approval-mismatch")}
    assert followed == [0] * 4
    assert by_digest[0] == 0
    assert (ending["outcome"], sorted(at.here.shelf.pages)) == ("completed", ["letters/ada", "letters/bob"])


async def test_a_denied_call_is_not_made(opens: Opens) -> None:
    async with opens(calls(LETTER), says("Not sent.")) as at:
        await start(at, "--detach")
        await at.here.until_notified()
        code, decided = await told(at, "deny", "--reason", "not yet")
        _, ending, _ = await start(at)

    assert (code, decided["status"]) == (0, "denied")
    assert (ending["output"], at.here.shelf.pages) == ("Not sent.", {})


@for_each("verb", ["show", "transcript", "approve", "deny", "kill", "pause", "resume", "bundle"])
async def test_a_run_that_does_not_exist_is_named(opens: Opens, verb: str) -> None:
    async with opens() as at:
        code, said = await told(at, verb)

    assert (code, said["code"]) == (1, "unknown-run")
    assert at.here.queue in said["error"]
    assert "penwright run list" in said["next"]


async def test_without_an_engine_every_verb_is_refused(opens: Opens) -> None:
    async with opens() as at:
        at.services.runs = False
        verbs = ("show", "transcript", "approve", "deny", "kill", "pause", "resume", "bundle")
        codes = {(await told(at, verb))[1]["code"] for verb in verbs}
        _, started, _ = await start(at)

    assert codes == {"engine-not-running"}
    assert started["code"] == "engine-not-running"


async def test_a_sub_agent_call_is_approved_at_its_parent_run(opens: Opens) -> None:
    answers = (
        calls(("ask_messenger", {"text": "Write to Ada."})),
        calls(LETTER),
        says("Sent."),
        says("Done."),
    )
    async with opens(*answers) as at:
        arguments = ("test/chief", "--task", "Tell Ada.", "--id", at.here.queue, "--json")
        await at.run("run", "start", *arguments, "--detach")
        await at.here.until_notified()
        _, shown = await told(at, "show")
        code, decided = await told(at, "approve", "--call", shown["waiting"]["id"])
        ended, out, _ = await at.run("run", "start", *arguments)

    assert shown["waiting"]["run_id"] == f"{at.here.queue}/call/1"
    assert (code, decided["run_id"]) == (0, f"{at.here.queue}/call/1")
    assert (ended, json.loads(out)["output"]) == (0, "Done.")
    assert at.here.shelf.pages == {"letters/ada": "Hello."}


@pytest.mark.long
async def test_a_run_whose_reducer_raises_says_so(opens: Opens) -> None:
    reads = calls(("read_page", {"path": "a"}))
    async with opens(reads, says("Done."), a="old") as at:
        at.here.shelf.when_read = lambda path: MISTAKES.append(path)
        handle = await at.here.start(at.here.given(agent="test/forgetful"))
        await _until_failing(at)
        code, shown = await told(at, "show")
        _, lines, _ = await at.run("run", "show", at.here.queue)
        MISTAKES.clear()
        result = await handle.result()

    assert (code, shown["status"]) == (0, "running")
    assert "reducer-failed: reducer 'remember'" in shown["trouble"]
    assert "is tried again until its agent is repaired" in lines
    assert result.outcome == "completed"


async def _until_failing(at: Desk) -> None:
    async with asyncio.timeout(30), at.services.engine() as engine:
        while not await engine.agent_runs.failing(at.here.queue):  # noqa: ASYNC110  # the server is polled
            await asyncio.sleep(0.05)


async def test_a_run_that_no_worker_can_carry_on_is_stuck_and_told_what_ends_it(opens: Opens) -> None:
    async with opens(HANGS) as at:
        run = f"{at.here.queue}-lost"
        elsewhere = await at.here.client.start_workflow(
            AgentLoop.run, at.here.given(run_id=run), id=run_of(run), task_queue=f"{run}-none"
        )
        code, out, _ = await at.run("run", "kill", run, "--json")
        refused = json.loads(out)
        await elsewhere.terminate()

    assert (code, refused["code"]) == (1, "run-stuck")
    assert f"task queue '{run}-none', which no worker here serves" in refused["error"]
    assert f"`temporal workflow terminate --workflow-id {run_of(run)} --address " in refused["error"]


async def test_a_run_terminated_in_temporal_has_no_result(opens: Opens) -> None:
    async with opens(HANGS) as at:
        handle = await at.here.start()
        await handle.terminate("by hand")
        code, shown = await told(at, "show")
        _, resumed = await told(at, "resume")

    assert (code, shown["status"], shown["result"]) == (0, "terminated", None)
    assert "ended from outside" in shown["trouble"]
    assert resumed["code"] == "run-ended"
