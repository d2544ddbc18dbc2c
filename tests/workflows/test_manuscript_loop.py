"""The manuscript loop on a server: from one line of instructions to a text in git, and what comes between."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from temporalio import workflow
from temporalio.client import WorkflowFailureError, WorkflowHandle, WorkflowUpdateFailedError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from penwright.errors import ModelFinal
from penwright.roles.book_text import BookText
from schemas.agent_state import StateChanges, WriteState
from schemas.base import BookId, OpId
from schemas.control import KillRequest
from schemas.holding import DocumentHolder
from schemas.intents import ApprovalDecision, ApprovalRequest
from schemas.lore import Attachment
from schemas.manuscript import AmendRequest, ManuscriptInput, ManuscriptLimits, ManuscriptResult, StopRequest
from schemas.records import BookRow
from tests.support.books.repos import commit_all, git
from tests.support.lore import book as lorebook
from tests.support.lore import entry
from tests.support.manuscripts.studio import TITLES, Studio, append, edit, planned, scored, studio
from workers.temporal_plugin import WORKFLOWS
from workflows import manuscript_loop
from workflows.holding import DOCUMENT_BUSY, DocumentLock
from workflows.manuscript_loop import ManuscriptLoop

Run = WorkflowHandle[ManuscriptLoop, ManuscriptResult]
REVISED = "The tide comes in twice a day."
STANDING = "# Introduction\n\nThe tide comes in twice, number 1.\n\n# Method\n\nWe counted.\n"


@pytest.fixture
async def here(temporal_env: WorkflowEnvironment, tmp_path: Path) -> AsyncIterator[Studio]:
    async with studio(temporal_env.client, tmp_path) as opened:
        yield opened


@pytest.fixture
async def drafted(temporal_env: WorkflowEnvironment, tmp_path: Path) -> AsyncIterator[Studio]:
    """A novel whose sections stand already."""
    async with studio(temporal_env.client, tmp_path, STANDING) as opened:
        yield opened


async def test_one_line_of_instructions_becomes_a_finished_text(here: Studio) -> None:
    here.cast.scripts["critic"] = iter([scored(0.5, "Say how often."), scored(0.9)])

    ended = await here.run()

    assert (ended.outcome, ended.stop, ended.pass_index) == ("finished", "finished", 1)
    assert [title for title in TITLES if f"# {title}\n" in here.text] == list(TITLES)
    assert REVISED in here.text
    assert here.actions == [
        ("open", "done"),
        ("generate_format_guidance", "done"),
        ("generate_plan", "done"),
        *[("write_section", "done")] * 2,
        ("critique_manuscript", "done"),
        ("revise_manuscript", "done"),
        ("critique_manuscript", "done"),
        ("finish", "done"),
    ]
    assert git(here.novel.folder, "log", "-3", "--reverse", "--format=%s").splitlines() == [
        "Write 'Introduction' in manuscript.md",
        "Write 'Method' in manuscript.md",
        "Revise manuscript.md",
    ]
    assert here.row.sections_drafted == TITLES
    assert here.row.pass_index == 1
    assert sorted(here.cast.asked.items()) == [
        *(("critic", 2), ("formatter", 1), ("manager", 1)),
        *(("planner", 1), ("reviser", 1), ("writer", 2)),
    ]
    assert (ended.calls, ended.tokens, ended.cost_micros) == (8, 960, 56)
    assert [call.role for call in here.calls] == [role for role, _ in here.cast.prompts]


async def test_writer_and_reviser_are_told_the_lore_that_their_section_or_critique_touches(
    here: Studio,
) -> None:
    store, novel = here.novel.store, here.queue
    store.records.register(BookRow(book_id=BookId(novel), kind="novel", path="", title="Tide"))
    lore = lorebook(entry("a", "method"), entry("b", "how often"), entry("c", "heron"))
    store.worlds.attach(Attachment(book=store.worlds.create(lore).id, level="novel", at=novel))
    here.cast.scripts["critic"] = iter([scored(0.5, "Say how often."), scored(0.9)])

    await here.run()

    introduction, method = here.cast.prompts_of("writer")
    (revision,) = here.cast.prompts_of("reviser")
    told = "## “method” (“method” occurs in the section's summary)\nAbout a."
    assert "lorebooks" not in introduction
    assert BookText("lore", "lorebooks", told).fenced in method
    assert "## “how often” (“how often” occurs in the critique)\nAbout b." in revision
    assert "lorebooks" not in here.cast.prompts_of("critic")[0]
    (run,) = store.records.runs(pipeline="manuscript")
    noted = [each.data for each in store.records.events_after(0, run=run.run) if each.kind == "lore"]
    assert [(each["prompt"], each["entries"]) for each in noted] == [
        *(("the writer of “Introduction”", 0), ("the writer of “Method”", 1)),
        ("the reviser", 2),
    ]


async def test_sections_that_stand_are_planned_around_and_not_written_again(drafted: Studio) -> None:
    drafted.cast.scripts["planner"] = iter([planned("Introduction", "Method", "Results")])
    drafted.cast.scripts["writer"] = iter([append("# Results\n\nMany tides came and went in spring.")])

    ended = await drafted.run()

    assert "We counted." in drafted.cast.prompts_of("planner")[0]
    assert drafted.cast.asked["writer"] == 1
    assert drafted.text == f"{STANDING}\n# Results\n\nMany tides came and went in spring.".rstrip()
    assert ended.stop == "finished"


async def test_what_rules_find_in_a_section_is_told_to_manager_and_reviser_until_it_is_mended(
    here: Studio,
) -> None:
    claim = "Some 34 % of it stays."
    here.cast.scripts["writer"] = iter([append(f"# Introduction\n\nThe tide comes in twice. {claim}")])
    here.cast.scripts["critic"] = iter([scored(0.5, "Say how often.")] * 2 + [scored(0.9)])
    here.cast.scripts["reviser"] = iter([edit(claim, "Some of it stays."), edit("in twice.", "in once.")])

    ended = await here.run()

    told = f"This number has no source: “{claim}”"
    first, second = here.cast.prompts_of("reviser")
    assert f"Found in it: {told}." in here.cast.prompts_of("manager")[0]
    assert ("write_section", "faults-found") in here.actions
    assert f"- Say how often.\n- {told}" in first
    assert told not in second
    assert here.cast.asked["writer"] == 2
    assert ended.stop == "finished"


@pytest.mark.long
async def test_every_prompt_shows_the_text_as_it_is_then_a_persons_edits_included(here: Studio) -> None:
    here.cast.gates["critic"] = asyncio.Event()
    here.cast.scripts["critic"] = iter([scored(0.5, "Say how often."), scored(0.9)])
    handle = await here.start()
    await here.cast.reached["critic"].wait()
    here.type(here.text + "\n\nAdded by hand.\n")
    here.cast.gates["critic"].set()

    ended = await handle.result()

    assert "Added by hand." not in here.cast.prompts_of("critic")[0]
    assert "Added by hand." in here.cast.prompts_of("reviser")[0]
    assert "Added by hand." in here.text
    assert REVISED in here.text
    assert ended.stop == "finished"


@pytest.mark.long
async def test_failed_operations_go_back_once_with_the_nearest_text(drafted: Studio) -> None:
    drafted.cast.scripts["critic"] = iter([scored(0.5, "Say how often."), scored(0.9)])
    drafted.cast.scripts["reviser"] = iter(
        [
            edit("The tide goes out thrice, they say, on Sundays.", "x"),
            edit("The tide comes in twice, number 1.", REVISED),
        ]
    )

    ended = await drafted.run()

    first, second = drafted.cast.prompts_of("reviser")
    assert "on Sundays" not in first
    assert "not_found" in second
    assert "on Sundays" in second
    assert REVISED in drafted.text
    assert ("revise_manuscript", "nothing-applied") in drafted.actions
    assert ended.stop == "finished"


@pytest.mark.long
async def test_a_manager_that_cannot_be_understood_is_asked_again_and_then_overruled(drafted: Studio) -> None:
    drafted.cast.scripts["critic"] = iter([scored(0.5, "Say how often."), scored(0.9)])
    drafted.cast.scripts["manager"] = iter(["Let us dance.", '{"action": "dance"}'])

    ended = await drafted.run()

    assert drafted.cast.asked["manager"] == 2
    assert ("finish", "no-decision") in drafted.actions
    assert ended.stop == "finished"


@pytest.mark.parametrize(
    "bad", ["85%", *(pytest.param(each, marks=pytest.mark.long) for each in ("8/10", None, True, 8, -3))]
)
async def test_a_score_that_is_none_never_passes_the_gate(drafted: Studio, bad: object) -> None:
    drafted.cast.scripts["critic"] = iter([scored(bad, "Say how often.")] * 9)

    ended = await drafted.run()

    assert (ended.stop, ended.last) == ("stalled", None)
    assert drafted.cast.asked["critic"] == 4, "each of two tries may repair its answer once"
    assert "reviser" not in drafted.cast.asked


# Steering.


@pytest.mark.long
async def test_a_reply_that_comes_after_a_stop_is_kept_and_the_next_run_goes_on_there(here: Studio) -> None:
    here.cast.gates["writer"] = asyncio.Event()
    handle = await here.start()
    await here.cast.reached["writer"].wait()
    await handle.execute_update(ManuscriptLoop.stop, StopRequest(who="ada", reason="lunch"))
    here.cast.gates["writer"].set()

    stopped = await handle.result()

    assert (stopped.outcome, stopped.stop, stopped.stopped_by) == ("stopped", "stopped", "ada")
    assert stopped.kept_reply is not None
    assert "# Introduction" in here.novel.text(stopped.kept_reply)
    assert ("write_section", "not-applied") in here.actions

    ended = await here.run(here.given())

    assert (ended.stop, here.cast.asked["planner"], here.cast.asked["formatter"]) == ("finished", 1, 1)
    assert here.text.count("# Introduction") == 1


async def test_a_kill_ends_the_call_in_hand_and_frees_the_document(here: Studio) -> None:
    here.cast.gates["planner"] = asyncio.Event()
    handle = await here.start()
    await here.cast.reached["planner"].wait()
    await handle.signal(ManuscriptLoop.kill, KillRequest(who="ada", reason="enough"))

    ended = await handle.result()

    assert (ended.outcome, ended.stop, ended.message) == ("stopped", "killed", "killed by ada: enough")
    assert here.actions[-2:] == [("generate_plan", "interrupted"), ("finish", "killed")]
    here.cast.gates["planner"].set()
    assert (await here.run(here.given())).stop == "finished"


async def test_a_paused_run_waits_before_its_next_call(here: Studio) -> None:
    here.cast.gates["formatter"] = asyncio.Event()
    handle = await here.start()
    await here.cast.reached["formatter"].wait()
    await handle.signal(ManuscriptLoop.pause)
    here.cast.gates["formatter"].set()
    async with asyncio.timeout(10):
        while (told := await handle.query(ManuscriptLoop.progress)).stage != "paused":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert told.paused
    await asyncio.sleep(0.3)
    assert "planner" not in here.cast.asked

    await handle.signal(ManuscriptLoop.resume)

    assert (await handle.result()).stop == "finished"


@pytest.mark.long
async def test_amended_instructions_are_in_the_next_prompt_and_guidance_is_made_anew(here: Studio) -> None:
    here.cast.gates["writer"] = asyncio.Event()
    handle = await here.start()
    await here.cast.reached["writer"].wait()
    other = AmendRequest(instructions=here.novel.put("Write about the moon."), who="ada")
    await handle.execute_update(ManuscriptLoop.amend, other)
    here.cast.gates["writer"].set()

    ended = await handle.result()

    assert ended.stop == "finished"
    assert here.cast.asked["formatter"] == here.cast.asked["planner"] == 2
    assert "Write about the moon." in here.cast.prompts_of("formatter")[1]
    assert here.row.instructions == "Write about the moon."
    assert ("amend", "amended") in here.actions


@pytest.mark.long
async def test_instructions_that_are_empty_or_the_same_are_refused_and_change_nothing(here: Studio) -> None:
    here.cast.gates["writer"] = asyncio.Event()
    handle = await here.start()
    await here.cast.reached["writer"].wait()
    for text, code in (("", "empty-instructions"), ("Write about tides.", "same-instructions")):
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update(
                ManuscriptLoop.amend, AmendRequest(instructions=here.novel.put(text), who="ada")
            )
        assert isinstance(refused.value.cause, ApplicationError)
        assert refused.value.cause.type == code
    here.cast.gates["writer"].set()

    assert (await handle.result()).stop == "finished"


@pytest.mark.long
async def test_settings_edited_in_the_row_count_from_the_next_run_on(here: Studio) -> None:
    first = await here.run(here.given("Write about tides."))
    here.cast.scripts["formatter"] = iter(["Guidance for moons."])

    second = await here.run(here.given("Write about the moon."))

    assert (first.stop, second.stop) == ("finished", "finished")
    assert "Write about the moon." in here.cast.prompts_of("formatter")[1]
    assert here.row.format_guidance == "Guidance for moons."


async def test_a_second_start_is_the_same_run(here: Studio) -> None:
    here.cast.gates["formatter"] = asyncio.Event()
    first = await here.start()
    await here.cast.reached["formatter"].wait()
    again = await here.client.start_workflow(
        ManuscriptLoop.run,
        here.given(),
        id=first.id,
        task_queue=here.queue,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    here.cast.gates["formatter"].set()

    assert (await again.result()).session == (await first.result()).session
    assert here.cast.asked["formatter"] == 1


# Refusals and failures.


async def test_a_document_that_another_workflow_holds_is_refused_by_name(here: Studio) -> None:
    given = here.given()
    other = DocumentHolder(
        novel=given.novel, scene="-", workflow_id="citations/x/-", session="s", what="citation scan"
    )
    lock = await here.client.start_workflow(
        DocumentLock.run,
        other,
        id=other.lock_id,
        task_queue=here.queue,
        memo={"holder": other.model_dump(mode="json")},
    )

    refused = await here.run(given)
    await lock.signal(DocumentLock.release)

    assert (refused.outcome, refused.code) == ("refused", DOCUMENT_BUSY)
    assert "citation scan citations/x/-" in refused.message
    assert here.cast.prompts == []


async def test_empty_instructions_are_refused_before_any_call(here: Studio) -> None:
    refused = await here.run(here.given("  \n"))

    assert (refused.outcome, refused.code) == ("refused", "empty-instructions")
    assert here.cast.prompts == []


@pytest.mark.long
async def test_an_unknown_intent_is_refused_with_its_code(here: Studio) -> None:
    refused = await here.run(here.given().model_copy(update={"intent": "INT-999"}))

    assert (refused.outcome, refused.code) == ("refused", "intent-unknown")


async def test_a_model_that_is_not_to_be_had_fails_the_run_and_keeps_the_text(drafted: Studio) -> None:
    gone = ModelFinal("no-credit", "the account has no credit left")
    drafted.cast.scripts["critic"] = iter([gone, gone])

    with pytest.raises(WorkflowFailureError) as failed:
        await drafted.run()

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "no-credit"
    assert drafted.actions[-1] == ("finish", "no-credit")
    assert drafted.text == STANDING.rstrip()


@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        ({"calls": 3}, "calls_spent"),
        pytest.param({"decisions": 2}, "decisions_spent", marks=pytest.mark.long),
        pytest.param({"tokens": 130}, "tokens_spent", marks=pytest.mark.long),
        pytest.param({"cost_micros": 10}, "money_spent", marks=pytest.mark.long),
    ],
)
async def test_a_spent_budget_ends_the_run_and_says_which(
    here: Studio, limits: dict[str, int], stop: str
) -> None:
    ended = await here.run(here.given(limits=ManuscriptLimits(**limits)))

    assert (ended.outcome, ended.stop) == ("unfinished", stop)


async def test_a_role_may_not_make_more_calls_than_the_run_has_left(here: Studio) -> None:
    here.cast.scripts["planner"] = iter(["no plan", planned("Introduction")])

    ended = await here.run(here.given(limits=ManuscriptLimits(calls=2)))

    assert (ended.stop, ended.calls) == ("calls_spent", 2)
    assert sum(here.cast.asked.values()) == 2


@pytest.mark.long
async def test_a_role_may_not_write_more_tokens_than_the_run_has_left(here: Studio) -> None:
    here.cast.scripts["planner"] = iter(["no plan", planned("Introduction")])

    ended = await here.run(here.given(limits=ManuscriptLimits(tokens=200)))

    assert (ended.stop, ended.tokens) == ("tokens_spent", 240)
    assert "tokens" in ended.message


async def test_the_author_may_remove_the_section_that_is_being_written(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    stub = "# Introduction\n\nWords.\n\n# Method\n"
    async with studio(temporal_env.client, tmp_path, stub) as here:
        here.cast.gates["writer"] = asyncio.Event()
        handle = await here.start()
        await here.cast.reached["writer"].wait()
        here.type("# Introduction\n\nWords, and more of them.\n")
        here.cast.gates["writer"].set()

        ended = await handle.result()

        assert ("write_section", "section-deleted") in here.actions
        assert here.text == "# Introduction\n\nWords, and more of them."
        assert (ended.stop, here.cast.asked["writer"]) == ("finished", 1)


async def test_a_section_taken_out_of_the_plan_while_it_is_written_is_left_out(here: Studio) -> None:
    here.cast.gates["writer"] = asyncio.Event()
    handle = await here.start()
    await here.cast.reached["writer"].wait()
    row = here.row
    change = WriteState(
        key=here.key,
        changes=StateChanges(section_plan=row.section_plan[1:]),
        base_version=row.version,
        op_id=OpId("by-hand"),
        by="ada",
        at=datetime.now(UTC),
    )
    assert here.novel.store.agent_states.write(change).outcome == "written"
    here.cast.gates["writer"].set()

    ended = await handle.result()

    assert ("write_section", "section-deleted") in here.actions
    assert "# Introduction" not in here.text
    assert "# Method" in here.text
    assert [each.section_title for each in here.row.section_plan] == ["Method"]
    assert ended.stop == "finished"


async def test_a_run_whose_minutes_are_over_ends_and_keeps_what_it_has(here: Studio) -> None:
    ended = await here.run(here.given(limits=ManuscriptLimits(minutes=0)))

    assert (ended.outcome, ended.stop) == ("unfinished", "time_spent")
    assert "writer" not in here.cast.asked


# What travels.


@pytest.mark.long
async def test_no_text_of_the_manuscript_and_nothing_long_is_in_the_history(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    long = "\n\n".join(f"Paragraph {n} tells of the sea at length." for n in range(4_000))
    text = f"# Introduction\n\n{long}\n\n# Method\n\nThe tide comes in twice, number 1.\n"
    async with studio(temporal_env.client, tmp_path, text) as here:
        here.cast.scripts["critic"] = iter([scored(0.5, "Say how often."), scored(0.9)])
        handle = await here.start()
        assert (await handle.result()).stop == "finished"
        history = await handle.fetch_history()

    sizes = [event.ByteSize() for event in history.events]
    assert max(sizes) < 100_000
    assert not any(b"at length" in event.SerializeToString() for event in history.events)


# Approvals.


async def until_asked(here: Studio, handle: Run, *, other_than: str = "") -> ApprovalRequest:
    """The change that waits for a person."""
    async with asyncio.timeout(20):
        while True:
            state = await handle.query(ManuscriptLoop.state)
            if state.asked is not None and state.decision is None and state.asked.id != other_than:
                return state.asked
            await asyncio.sleep(0.05)


def decision(asked: ApprovalRequest, decided: str) -> ApprovalDecision:
    return ApprovalDecision.model_validate(
        {"approval": asked.id, "plan_digest": asked.need.plan_digest, "decided": decided, "by": "ada"}
    )


async def a_change_that_is_denied(here: Studio) -> Run:
    """The intent is worded anew while the writer writes."""
    here.cast.gates["writer"] = asyncio.Event()
    handle = await here.start()
    await here.cast.reached["writer"].wait()
    registry = here.novel.folder / ".orchestration/active_intents.yaml"
    registry.write_text(registry.read_text().replace("Write the manuscript", "Write it"))
    commit_all(here.novel.folder)
    here.cast.gates["writer"].set()
    return handle


@pytest.mark.long
async def test_a_change_that_the_gate_denied_waits_for_a_person_and_is_made_when_allowed(
    here: Studio,
) -> None:
    handle = await a_change_that_is_denied(here)
    first = await until_asked(here, handle)
    assert first.need.codes == ("INTENT_CHANGED",)
    assert (await handle.query(ManuscriptLoop.progress)).stage == "approval"
    await handle.execute_update(ManuscriptLoop.decide_approval, decision(first, "approved"))
    second = await until_asked(here, handle, other_than=first.id)
    assert "# Introduction" in here.text
    await handle.execute_update(ManuscriptLoop.decide_approval, decision(second, "approved"))

    ended = await handle.result()

    assert ended.stop == "finished"
    assert here.cast.asked["writer"] == 2


async def test_a_change_that_a_person_denies_ends_the_run_and_is_kept(here: Studio) -> None:
    handle = await a_change_that_is_denied(here)
    asked = await until_asked(here, handle)
    await handle.execute_update(ManuscriptLoop.decide_approval, decision(asked, "denied"))

    with pytest.raises(WorkflowFailureError) as failed:
        await handle.result()

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "intent-changed"
    assert failed.value.cause.details[0]["kept_reply"]
    assert here.actions[-2:] == [("write_section", "not-applied"), ("finish", "intent-changed")]


async def test_a_stop_while_a_person_is_asked_ends_the_run_at_once(here: Studio) -> None:
    handle = await a_change_that_is_denied(here)
    await until_asked(here, handle)
    await handle.execute_update(ManuscriptLoop.stop, StopRequest(who="ada"))

    ended = await handle.result()

    assert (ended.stop, ended.stopped_by) == ("stopped", "ada")
    assert ended.kept_reply is not None
    assert here.actions[-2:] == [("write_section", "not-applied"), ("finish", "stopped")]


# Long runs.


@workflow.defn(name="ManuscriptLoop", sandboxed=False)
class Restless(ManuscriptLoop):
    """The loop outside of the sandbox, where a test can tell it that its history is long."""

    @workflow.init
    def __init__(self, given: ManuscriptInput) -> None:
        super().__init__(given)

    @workflow.run
    async def run(self, given: ManuscriptInput) -> ManuscriptResult:
        return await super().run(given)


@pytest.mark.long
async def test_a_run_that_continues_as_new_again_and_again_comes_to_the_same_text(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_long() -> bool:
        return workflow.info().get_current_history_length() > 40

    monkeypatch.setattr(manuscript_loop, "should_continue_as_new", is_long)
    restless = [Restless, *(each for each in WORKFLOWS if each is not ManuscriptLoop)]
    async with studio(temporal_env.client, tmp_path, workflows=restless) as here:
        here.cast.scripts["critic"] = iter([scored(0.5, "Say how often."), scored(0.9)])

        handle = await here.start()
        ended = await handle.result()

        newest = await here.client.get_workflow_handle(handle.id).describe()
        assert newest.run_id != handle.first_execution_run_id
        assert (ended.stop, ended.pass_index, ended.decisions) == ("finished", 1, 7)
        assert here.text.count("# Introduction") == here.text.count("# Method") == 1
        assert sum(here.cast.asked.values()) == 8


async def test_one_instruction_is_one_revision_by_one_call_and_changes_no_setting(drafted: Studio) -> None:
    drafted.cast.scripts["reviser"] = iter([edit("We counted.", "We counted every tide.")])
    given = drafted.given("").model_copy(update={"only_revise": "Say what was counted."})

    ended = await drafted.run(given)

    assert (ended.outcome, ended.calls) == ("finished", 1)
    assert drafted.text == STANDING.replace("We counted.", "We counted every tide.").rstrip()
    assert drafted.cast.asked == {"reviser": 1}
    assert "- Say what was counted." in drafted.cast.prompts_of("reviser")[0]
    assert drafted.row.instructions == ""
    assert drafted.actions == [("open", "done"), ("revise_manuscript", "done"), ("finish", "done")]


async def test_one_instruction_for_an_empty_text_is_refused_without_a_call(here: Studio) -> None:
    given = here.given("").model_copy(update={"only_revise": "Make it shorter."})

    ended = await here.run(given)

    assert (ended.outcome, ended.code) == ("refused", "nothing-to-revise")
    assert not here.cast.asked


@pytest.mark.long
async def test_an_instruction_that_changes_nothing_says_so(drafted: Studio) -> None:
    drafted.cast.scripts["reviser"] = iter([edit("no such passage", "x"), edit("still none", "x")])
    given = drafted.given("").model_copy(update={"only_revise": "Make it shorter."})

    ended = await drafted.run(given)

    assert (ended.outcome, ended.code) == ("unfinished", "nothing-revised")
    assert drafted.text == STANDING.rstrip()
