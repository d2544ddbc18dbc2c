"""Thousands of spoiled replies: each is a valid answer or a named complaint, at once, and nothing escapes."""

import random
import re
import time
from collections import Counter
from functools import cache

import pytest

from penwright.errors import ModelMistake
from penwright.ports.blobs import Blobs
from penwright.roles.manuscript.cast import ROLES
from penwright.roles.manuscript.edit_reply import OPERATIONS
from schemas.manuscript_roles import Critiqued, Delivery, Edited, Guided, ManuscriptRole, Targeted
from schemas.patching import Operation
from tests.support.agents.reply_mutations import MUTATIONS, spoiled
from tests.support.agents.role_replies import GOOD, TASK, blobs, read
from tests.support.each import for_each
from tests.support.sweeps import LONG

REPLIES = 10_000 if LONG else 1_000
LONGEST_S = 60 if LONG else 20
SHARE = REPLIES // len(GOOD)
CODES = {
    *("empty-reply", "no-json", "invalid-output", "oversize-reply", "empty-plan", "twin-titles"),
    *("no-guidance", "json-reply", "control-character", "no-operations", "unknown-sentence", "no-search"),
    *("truncated-block", "unclosed-block", "stray-marker", "unknown-kind", "wrong-part", "unknown-field"),
    *("bad-status",),
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def texts_in(found: Delivery, kept: Blobs) -> str:
    """Everything that an answer holds as text."""
    held = [str(found.model_dump())]
    if isinstance(found, Edited):
        held += [each.find + each.replace for each in OPERATIONS.validate_json(kept.get(found.operations))]
    if isinstance(found, Guided):
        held.append(kept.get(found.format_guidance).decode())
    return "".join(held)


@cache
def outcomes(role: ManuscriptRole) -> tuple[tuple[str, str, Delivery | ModelMistake, str], ...]:
    """Of each spoiled reply: the reply, what was done to it, what it is read as, and the texts in that."""
    found = []
    for seed in range(SHARE):
        text, done = spoiled(seed, GOOD[role])
        kept = blobs()
        answer = read(role, text, kept=kept)
        found.append((text, done, answer, "" if isinstance(answer, ModelMistake) else texts_in(answer, kept)))
    return tuple(found)


@for_each("role", GOOD)
def test_every_spoiled_reply_has_a_named_outcome_and_a_valid_value(role: ManuscriptRole) -> None:
    begun = time.monotonic()

    for text, done, found, held in outcomes(role):
        if isinstance(found, ModelMistake):
            assert found.code in CODES, (found.code, done, text)
            assert found.message
            continue
        assert type(found) is ROLES[role].definition.output
        assert not _CONTROL.search(held), (done, text)
        assert found == type(found).model_validate_json(found.model_dump_json())
        if isinstance(found, Critiqued):
            assert 0 <= found.score <= 1
        if isinstance(found, Targeted):
            assert all(1 <= each.sentence <= TASK.sentences for each in found.citation_targets)
    assert time.monotonic() - begun < LONGEST_S / len(GOOD) * 2


@for_each("role", GOOD)
def test_the_spoiled_replies_are_of_both_kinds(role: ManuscriptRole) -> None:
    kinds = Counter(isinstance(found, ModelMistake) for _, _, found, _ in outcomes(role))

    assert kinds[True] > SHARE // 20
    assert kinds[False] > SHARE // 20


@pytest.mark.parametrize("role", [role for role in GOOD if role not in {"formatter", "writer", "reviser"}])
def test_a_truncated_object_is_read_in_full_or_not_at_all(role: ManuscriptRole) -> None:
    good = read(role, GOOD[role])

    for end in range(len(GOOD[role])):
        found = read(role, GOOD[role][:end])
        assert isinstance(found, ModelMistake) or found == good, GOOD[role][:end]


def test_of_truncated_edits_only_whole_ones_are_taken() -> None:
    kept = blobs()
    good = operations(read("writer", GOOD["writer"], kept=kept), kept)

    for end in range(len(GOOD["writer"])):
        found = read("writer", GOOD["writer"][:end], kept=kept)
        if not isinstance(found, ModelMistake):
            taken = operations(found, kept)
            assert taken == good[: len(taken)], GOOD["writer"][:end]


def operations(found: Delivery | ModelMistake, kept: Blobs) -> tuple[Operation, ...]:
    assert isinstance(found, Edited), found
    return OPERATIONS.validate_json(kept.get(found.operations))


def test_every_mutation_spoils_something() -> None:
    unchanged = Counter(
        name for name in MUTATIONS for seed in range(20) if _once(name, seed) == GOOD["planner"]
    )

    assert all(count < 20 for count in unchanged.values()), unchanged


def _once(name: str, seed: int) -> str:
    return MUTATIONS[name](random.Random(seed), GOOD["planner"])
