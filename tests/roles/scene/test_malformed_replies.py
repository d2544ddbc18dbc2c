"""Thousands of spoiled replies: each is a valid answer or a named complaint, at once, and nothing escapes."""

import re
import time
from collections import Counter
from functools import cache

import pytest

from penwright.errors import ModelMistake
from penwright.ports.blobs import Blobs
from penwright.roles.scene.cast import ROLES
from penwright.roles.scene.reply_values import LONGEST_GUIDANCE, MOST_PEOPLE
from schemas.director import DirectorPlan
from schemas.director_round import SceneRole
from schemas.scene_roles import PassPlanned, SceneDelivery, Spoken, Summarised
from tests.support.agents.reply_mutations import spoiled
from tests.support.each import for_each
from tests.support.scenes.replies import GOOD, blobs, read
from tests.support.sweeps import LONG

REPLIES = 12_000 if LONG else 2_000
LONGEST_S = 60 if LONG else 20
CODES = {"empty-reply", "no-json", "invalid-output", "oversize-reply"}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def share(role: SceneRole) -> int:
    """The director's replies decide over a whole round: half of all are its own."""
    return REPLIES // 2 if role == "director" else REPLIES // 12


def texts_in(found: SceneDelivery, kept: Blobs) -> str:
    """Everything that an answer holds as text."""
    held = str(found.model_dump(exclude={"raw"}))
    return held + kept.get(found.text).decode() if isinstance(found, Spoken | Summarised) else held


@cache
def outcomes(role: SceneRole) -> tuple[tuple[str, str, SceneDelivery | ModelMistake, str], ...]:
    """Of each spoiled reply: the reply, what was done to it, what it is read as, and the texts in that."""
    found = []
    for seed in range(share(role)):
        text, done = spoiled(seed, GOOD[role])
        kept = blobs()
        answer = read(role, text, kept=kept)
        found.append((text, done, answer, "" if isinstance(answer, ModelMistake) else texts_in(answer, kept)))
    return tuple(found)


@for_each("role", GOOD)
def test_every_spoiled_reply_has_a_named_outcome_and_a_valid_value(role: SceneRole) -> None:
    begun = time.monotonic()

    for text, done, found, held in outcomes(role):
        if isinstance(found, ModelMistake):
            assert found.code in CODES, (found.code, done, text)
            assert found.message
            continue
        assert type(found) is ROLES[role].output
        assert not _CONTROL.search(held), (done, text)
        assert found == type(found).model_validate_json(found.model_dump_json())
        if isinstance(found, PassPlanned):
            check(found.plan)
    assert time.monotonic() - begun < LONGEST_S


def check(plan: DirectorPlan) -> None:
    """A plan holds to its limits, whatever was written."""
    assert len(plan.acting) <= MOST_PEOPLE
    for each in plan.acting:
        assert each.who
        assert len(each.guidance) <= LONGEST_GUIDANCE
        assert abs(each.priority) <= 1_000_000
        assert each.order is None or abs(each.order) <= 1_000_000
    assert all(each.who for each in plan.activations)
    assert all(each.who for each in plan.deactivations)
    assert all(each.who for each in plan.states)
    assert all(each.name for each in plan.trackers)


@pytest.mark.parametrize("role", ["director", "world-agent", "creator", "visual"])
def test_the_spoiled_replies_are_of_both_kinds(role: SceneRole) -> None:
    kinds = Counter(isinstance(found, ModelMistake) for _, _, found, _ in outcomes(role))

    assert kinds[True] > share(role) // 20
    assert kinds[False] > share(role) // 20


@pytest.mark.parametrize("role", ["director", "world-agent", "creator", "visual"])
def test_a_truncated_object_is_read_in_full_or_not_at_all(role: SceneRole) -> None:
    kept = blobs()
    good = read(role, GOOD[role], kept=kept)
    assert isinstance(good, SceneDelivery)

    for end in range(len(GOOD[role])):
        found = read(role, GOOD[role][:end], kept=kept)
        assert isinstance(found, ModelMistake) or _same(found, good), GOOD[role][:end]


def _same(found: SceneDelivery, good: SceneDelivery) -> bool:
    return found.model_copy(update={"raw": good.raw}) == good
