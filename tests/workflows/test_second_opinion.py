"""Near the score that is enough the critic is asked twice, and the lower score counts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.errors import ModelFinal
from schemas.manuscript import ManuscriptInput, ManuscriptLimits
from tests.support.manuscripts.studio import Studio, scored, studio

STANDING = "# Introduction\n\nThe tide comes in twice, number 1.\n\n# Method\n\nWe counted.\n"


@pytest.fixture
async def here(temporal_env: WorkflowEnvironment, tmp_path: Path) -> AsyncIterator[Studio]:
    async with studio(temporal_env.client, tmp_path, STANDING) as opened:
        yield opened


def twice(here: Studio, limits: ManuscriptLimits | None = None) -> ManuscriptInput:
    given = here.given(max_passes=1, limits=limits or ManuscriptLimits())
    return given.model_copy(update={"second_opinion": True})


async def test_of_two_opinions_near_the_limit_the_lower_one_counts_and_both_are_told(here: Studio) -> None:
    here.cast.scripts["critic"] = iter([scored(0.82), scored(0.78, "Say how often."), scored(0.9)])

    ended = await here.run(twice(here))

    assert ended.outcome == "finished"
    assert here.cast.asked["critic"] == 3
    first, second = [each for each in here.entries if each.action == "critique_manuscript"]
    assert (first.score, second.score) == (0.78, 0.9)
    assert "Asked twice: the other score was 0.82, and the lower one counts." in first.summary
    critics = [each for each in here.calls if each.role == "critic"]
    assert [each.calls for each in critics] == [1, 1, 1]
    assert len({each.op_id for each in critics}) == 3
    assert ended.calls == sum(here.cast.asked.values())


async def test_a_second_opinion_that_does_not_come_leaves_the_first(here: Studio) -> None:
    here.cast.scripts["critic"] = iter([scored(0.8), ModelFinal("model-refused", "no more today")])

    ended = await here.run(twice(here))

    assert (ended.outcome, here.cast.asked["critic"]) == ("finished", 2)
    assert ended.last is not None
    assert ended.last.score == 0.8


@pytest.mark.parametrize("score", [0.7, 0.9])
async def test_a_clear_score_needs_no_second_opinion(here: Studio, score: float) -> None:
    here.cast.scripts["critic"] = iter([scored(score)])

    await here.run(twice(here))

    assert here.cast.asked["critic"] == 1


async def test_a_run_with_no_call_left_does_without(here: Studio) -> None:
    here.cast.scripts["critic"] = iter([scored(0.8)])

    # Formatter, planner and the critic itself.
    await here.run(twice(here, ManuscriptLimits(calls=3)))

    assert here.cast.asked["critic"] == 1
