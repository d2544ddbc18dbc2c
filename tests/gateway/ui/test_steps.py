"""Events in words: no JSON reaches a reader."""

from datetime import UTC, datetime

from nicegui.testing import User

from gateway.ui.elements.steps import failed, sentence
from schemas.records import Event, RunRow
from tests.support.each import for_each
from tests.support.gateway.services import StageServices

RUN = "book/tide-1#s1"


def event(kind: str, number: int = 1, **data: object) -> Event:
    at = datetime(2026, 2, 22, tzinfo=UTC)
    return Event(run=RUN, subject="tide-1", kind=kind, at=at, op_id=f"o{number}", data=data)


@for_each(
    "step, wrong",
    [
        (event("run.failed"), True),
        (event("pushed", outcome="pending", code="remote-unavailable"), True),
        (event("edited", outcome="refused"), True),
        (event("model-answered", mistake="cut-off"), True),
        (event("model-answered", mistake=""), False),
        (event("pushed", outcome="pushed", code=""), False),
        (event("ended", outcome="killed", code="killed"), False),
        (event("ended", outcome="failed", code="no-disk"), True),
    ],
)
def test_a_step_failed_if_its_name_outcome_or_code_says_so(step: Event, wrong: bool) -> None:
    assert failed(step) is wrong


async def test_a_link_leads_to_the_first_failure_of_a_run(user: User, services: StageServices) -> None:
    row = RunRow(run=RUN, pipeline="book-session", subject="tide-1", stage="ended", outcome="failed")
    told = [
        event("opened", 1),
        event("pushed", 2, code="remote-unavailable"),
        event("ended", 3, outcome="failed"),
    ]
    services.store.records.note(row, told)

    await user.open("/runs/book%2Ftide-1%23s1")

    (found,) = user.find("First failure").elements
    second = services.store.records.events_after(0, run=RUN)[1]
    assert found.props["href"] == f"#step-{second.cursor}"
    await user.should_see("pushed (failed)")


async def test_a_run_without_a_failure_has_no_such_link(user: User, services: StageServices) -> None:
    row = RunRow(run=RUN, pipeline="book-session", subject="tide-1", stage="ended", outcome="written")
    services.store.records.note(row, [event("opened", 1)])

    await user.open("/runs/book%2Ftide-1%23s1")

    await user.should_see("opened")
    await user.should_not_see("First failure")


async def test_the_page_of_a_run_says_which_model_answered_in_whose_place(
    user: User, services: StageServices
) -> None:
    agent = RUN.replace("#", "/")
    row = RunRow(run=RUN, pipeline="book-session", subject="tide-1", stage="ended", outcome="written")
    answered = event("model-answered", model="small", instead_of="large", op_id="o1")
    services.store.records.note(row, [event("opened", 2)])
    inner = row.model_copy(update={"run": f"agent/{agent}", "pipeline": "agent-run"})
    services.store.records.note(inner, [answered.model_copy(update={"run": f"agent/{agent}"})])

    await user.open("/runs/book%2Ftide-1%23s1")

    await user.should_see("small, in place of large")


@for_each(
    "step, told",
    [
        (event("closed", words=5070, cost_micros=0), "closed: words 5,070, cost $0.000"),
        (
            event("closed", cost_micros=1_250_000, unknown_prices=2),
            "closed: cost $1.250, calls of unknown price 2",
        ),
        (event("closed", cost_micros=0, unknown_prices=2), "closed: calls of unknown price 2"),
        (
            event(
                "model-answered",
                calls=0,
                finish_reason="stop",
                input_tokens=6250,
                prompt={"sha256": "d" * 64},
            ),
            "model answered: tools asked for 0, the model had said all, tokens in 6,250",
        ),
        (event("round.started", round=5003), "round started: round 5003"),
        (event("run-prepared", definition="d" * 64), "run prepared"),
        (event("ended", outcome="waiting", scene="-"), "ended: outcome waiting"),
    ],
)
def test_figures_of_an_event_are_money_and_words(step: Event, told: str) -> None:
    assert sentence(step) == told


def test_lists_and_objects_of_an_event_are_told_in_words() -> None:
    changes = [
        {"subject": "ann", "field": "mood", "new": "wary", "overruled": False},
        {"subject": "bob", "field": "location", "new": "the quay", "overruled": True},
    ]
    step = Event(
        run="scene/quay",
        subject="scene/quay",
        kind="state.updated",
        at=datetime(2026, 2, 22, tzinfo=UTC),
        op_id="o",
        data={"version": 3, "roster": ["ann", "bob"], "changes": changes},
    )

    assert sentence(step) == (
        "state updated: version 3, roster ann, bob, changes subject ann, field mood, new wary; "
        "subject bob, field location, new the quay, overruled"
    )


async def test_a_long_event_is_whole_in_the_list_of_a_run_and_cut_on_one_line(
    user: User, services: StageServices
) -> None:
    said = "proposals that wait for a decision: " + "x" * 150
    row = RunRow(run=RUN, pipeline="book-session", subject="tide-1", stage="ended", outcome="written")
    services.store.records.note(row, [event("ended", 1, message=said)])

    await user.open("/runs/book%2Ftide-1%23s1")

    await user.should_see(said)
    assert sentence(event("ended", 1, message=said)).endswith("…")
