"""The line of a running round."""

from datetime import UTC, datetime

from penwright.domain.scene.round_line import round_line
from schemas.director import CastMember, PlanApplied, Turn
from schemas.scene import PassRecord, Round, TurnRecord
from schemas.worlds import SceneSettings
from tests.support.each import for_each

NOW = datetime(2026, 11, 23, tzinfo=UTC)
CAST = (CastMember(id="ann", name="Ann"), CastMember(id="bob", name="Bob"))


def planned(number: int, *who: str, approved: str = "") -> PassRecord:
    turns = tuple(Turn(character=each) for each in who)
    return PassRecord(number=number, applied=PlanApplied(turns=turns), approved_by=approved)


def played(passes: tuple[PassRecord, ...], *turns: tuple[str, int], kind: str = "message") -> Round:
    spoken = [{"character": who, "pass_number": number, "outcome": "spoken"} for who, number in turns]
    return Round.model_validate(
        {
            "scene": "quay",
            "number": 1,
            "kind": kind,
            "status": "running",
            "passes": passes,
            "turns": tuple(TurnRecord.model_validate(each) for each in spoken),
            "started_at": NOW,
        }
    )


@for_each(
    "round, line",
    [
        (played(()), "[Director plans] · the cast speaks"),
        (played((planned(1, "ann", "bob"),)), "Director plans · [Ann speaks 1/2] · Director looks again"),
        (
            played((planned(1, "ann", "bob"),), ("ann", 1)),
            "Director plans · [Bob speaks 2/2] · Director looks again",
        ),
        (played((planned(1, "ann"),), ("ann", 1)), "Director plans · 1 spoke · [Director looks again]"),
        (
            played((planned(1, "ann"), planned(2, "bob")), ("ann", 1)),
            "Director plans · 1 spoke · Director looks again · [Bob speaks 1/1]",
        ),
        (
            played((planned(1, "ann"), planned(2)), ("ann", 1)),
            "Director plans · 1 spoke · Director looks again · nobody is to speak · [the round closes]",
        ),
        (played((), kind="narrate"), "[The narrator speaks]"),
        (played((), kind="regenerate"), "[A reply is made anew]"),
    ],
)
def test_the_line_says_what_is_done_now_and_later(round: Round, line: str) -> None:
    parts = round_line(round, SceneSettings(), CAST)

    assert " · ".join(f"[{says}]" if when == "now" else says for says, when in parts) == line


def test_a_plan_that_waits_is_said() -> None:
    parts = round_line(played((planned(1, "ann"),)), SceneSettings(hold_plan=True), CAST)

    assert parts[0] == ("Director plans: the plan waits for you", "now")
