"""One call of a role is one run: a reply, at most one repair that quotes the error, then a typed failure."""

from penwright.adapters.models.demo.model import DemoProvider
from penwright.agents.definition.output import wire_schema
from penwright.agents.loop.reporting import failure_cause, has_delivered
from penwright.agents.loop.run import Run
from penwright.roles import catalogue
from penwright.roles.manuscript import briefing, role_call
from penwright.roles.manuscript.cast import ROLES
from penwright.roles.manuscript.loop_answer import answer_of
from schemas.agent import ToolCall
from schemas.base import Effect, OpId
from schemas.manuscript import AskRole, Briefed, ManuscriptSettings, Seen
from schemas.manuscript_roles import Critiqued, Edited, Guided, ManuscriptRole, Planned
from schemas.model import ModelRequest, ModelResponse
from schemas.workspace import Workspace
from tests.roles.manuscript.test_briefing import SOURCES
from tests.support.agents.role_desk import CUT, NOON, Replying, RoleDesk
from tests.support.agents.role_replies import GOOD
from tests.support.each import for_each

CRITIQUE = '{"critique_summary": "Good.", "score": "0.8", "action_items": []}'


async def said(role: ManuscriptRole, *texts: str) -> tuple[Run, list[str]]:
    """A run in which the model says ``texts``; also what it was told last in each turn."""
    model = Replying(list(texts))
    desk = RoleDesk(model)
    run = await desk.run(desk.call(role))
    return run, [request.messages[-1].content for request in model.requests]


async def test_a_good_reply_is_delivered_with_what_it_cost() -> None:
    run, told = await said("critic", CRITIQUE)

    assert has_delivered(run)
    delivered = role_call.delivered(run, Critiqued)
    assert delivered.model_copy(update={"sub_scores": ()}) == Critiqued(
        critique_summary="Good.", score=0.8, model="some-model"
    )
    assert told == ["Do it."]
    assert (run.state.spent.cost_micros, run.state.spent.model_calls) == (1, 1)


@for_each("score", ['"85%"', '"8/10"', "1.7", "8", "null", "true", "NaN", "-3"])
async def test_an_unusable_score_is_asked_for_again_with_the_error_and_then_is_a_failure(score: str) -> None:
    bad = CRITIQUE.replace('"0.8"', score)

    mended, told = await said("critic", bad, CRITIQUE)
    failed, _ = await said("critic", bad, bad)

    assert role_call.delivered(mended, Critiqued).score == 0.8
    assert len(told) == 2
    assert "score: " in told[1]
    assert not has_delivered(failed)
    assert failure_cause(failed).code == "invalid-output"
    assert failed.state.turns == 2


@for_each("role", ROLES)
async def test_a_reply_that_was_cut_off_counts_for_nothing_however_it_looks(role: ManuscriptRole) -> None:
    run, told = await said(role, CUT + GOOD[role], CUT + GOOD[role])

    assert not has_delivered(run)
    assert failure_cause(run).code == "cut-off"
    assert "shorter" in told[1]


@for_each("role", ROLES)
async def test_a_model_that_never_answers_is_asked_twice_and_no_more(role: ManuscriptRole) -> None:
    run, _ = await said(role, "", "")

    assert failure_cause(run).code == "empty-reply"
    assert run.state.turns == 2


@for_each("role", ROLES)
async def test_a_role_is_asked_for_json_only_where_no_text_of_the_manuscript_is_in_the_answer(
    role: ManuscriptRole,
) -> None:
    model = Replying([GOOD[role]])
    desk = RoleDesk(model)

    run = await desk.run(desk.call(role))

    wanted = ROLES[role].definition.wanted
    assert model.requests[0].output_schema == (wire_schema(wanted) if wanted else None)
    assert model.requests[0].role == f"manuscript-{role}"
    assert (wanted is None) is (ROLES[role].definition.output in {Edited, Guided})
    assert has_delivered(run)


async def test_no_text_of_an_answer_travels_in_the_history() -> None:
    run, _ = await said("formatter", "### Style\n\nPlain words about the Ister.")

    assert role_call.delivered(run, Guided).words > 5
    assert "Ister" not in run.state.model_dump_json()


@for_each("role", ROLES)
async def test_the_demo_model_answers_every_role_through_the_whole_way(role: ManuscriptRole) -> None:
    desk = RoleDesk(DemoProvider())
    prompt = briefing.prompt(role, SOURCES, sentences=5)
    call = desk.call(role, prompt.text)
    call = call.model_copy(update={"brief": call.brief.model_copy(update={"params": prompt.params})})

    run = await desk.run(call)

    assert has_delivered(run), failure_cause(run)
    assert run.state.turns == 1
    assert run.state.models == ("demo",)


@for_each("role", ROLES)
def test_a_run_counts_against_its_manuscript_and_its_role_has_a_model(role: ManuscriptRole) -> None:
    call = RoleDesk(Replying([])).call(role)
    given = role_call.task_of(call)

    assert (given.subject, given.run_id, given.task_at) == ("n/s", "manuscript/n/s/4", call.brief.task)
    assert given.model_role == f"manuscript-{role}"
    assert (given.limits.turn_tokens, given.limits.cost_micros, given.queues.models) == (900, 5_000, "m")
    assert catalogue.find(given.agent).definition is ROLES[role].definition


async def test_a_plan_is_repaired_by_the_model_and_not_by_us() -> None:
    twins = GOOD["planner"].replace("What remained", "Floods of the Ister")

    run, told = await said("planner", twins, GOOD["planner"])

    assert "Give each section a title of its own" in told[1]
    assert len(role_call.delivered(run, Planned).section_plan) == 2


class Calling(Replying):
    """A model that calls a tool where it is asked for an answer."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        said = await super().complete(request)
        call = ToolCall(id=f"c{len(self.requests)}", name="search_web", arguments="{}")
        return said.model_copy(update={"text": "", "tool_calls": (call,)})


@for_each("left", [None, 50])
async def test_a_model_that_calls_tools_costs_one_action_with_the_reason(left: int | None) -> None:
    """The calls of one action are no limit that a person has set."""
    desk = RoleDesk(Calling(["x"] * 9))
    run = await desk.run(desk.call("critic").model_copy(update={"model_calls": left}))
    given = ManuscriptSettings(instructions=desk.call("critic").brief.task)
    asked = AskRole(
        effect=Effect(op_id=OpId("o"), issued_at=NOON),
        subject="n",
        workspace=Workspace(path="/n"),
        session="s",
        scene="-",
        role="critic",
        action="critique_manuscript",
        settings=given,
        run_id="r",
        calls_left=left,
    )
    briefed = Briefed(brief=desk.call("critic").brief, seen=Seen(), basis="b")

    answer = answer_of(asked, briefed, run, NOON)

    assert (answer.code, answer.useless, answer.capped) == ("called-a-tool", True, False)
    assert "'search_web'" in answer.message
