"""Every route for every scope, and for callers who are bound to subjects: no route can be forgotten."""

from pathlib import Path

import pytest

from gateway.desk.principals import SCOPES
from gateway.http.strict import NEEDS, PER_ITEM, SEATED
from tests.support.each import for_each
from tests.support.gateway.every_operation import OPERATIONS, Operation, Stage, a_stage

OPEN = frozenset({"sign_in", "sign_out", "me"})
"""What a caller does with its own credential needs no scope."""
STREAMS = ("follow_events", "follow_typing")
EVERY_SUBJECT = frozenset({"list_tokens", "create_token", "revoke_token"})
"""Operations that are about no subject."""


ASKED = [each for each in OPERATIONS if each.name not in {*OPEN, *STREAMS, *SEATED}]


def named(operation: Operation) -> str:
    return operation.name


@pytest.fixture(scope="module")
def untouched(founded: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A stage for requests that are refused, and so change nothing."""
    return a_stage(founded, tmp_path_factory.mktemp("untouched"))


@pytest.fixture(scope="module")
def used(founded: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A stage for requests that are carried out; what one of them removes is gone for the others."""
    return a_stage(founded, tmp_path_factory.mktemp("used"))


def test_each_operation_has_its_scope() -> None:
    described = {each.name for each in OPERATIONS}
    assert described - NEEDS.keys() - OPEN - SEATED == set(), (
        "a route is new: give it a scope in gateway/http/strict.py"
    )
    assert (NEEDS.keys() | SEATED) - described == set(), (
        "no such route is in the description of the API; if it is new, record that first: "
        "`python -m tests.gateway.http.test_contract`"
    )


@for_each("operation", ASKED)
async def test_an_operation_is_refused_without_its_scope_and_only_then(
    untouched: Stage, used: Stage, operation: Operation
) -> None:
    needed = NEEDS[operation.name]
    others = tuple(scope for scope in SCOPES if scope != needed)
    without = await untouched.ask(operation, *others)
    granted = await used.ask(operation, needed)

    if operation.name in PER_ITEM:
        assert "not-permitted" in without.text
        assert "not-permitted" not in granted.text
    else:
        assert (without.status_code, without.json()["code"]) == (403, "not-permitted")
        assert granted.status_code not in (401, 403, 422, 500)


@pytest.mark.parametrize("if_match", [None, "no tag"])
async def test_rights_are_checked_before_what_is_sent(untouched: Stage, if_match: str | None) -> None:
    """A caller without the scope learns nothing about bodies, revisions and parameters."""
    answers = {}
    for each in (each for each in ASKED if each.name not in PER_ITEM):
        others = tuple(scope for scope in SCOPES if scope != NEEDS[each.name])
        answers[each.name] = await untouched.ask_wrongly(each, if_match, *others)

    assert {name: answer.status_code for name, answer in answers.items() if answer.status_code != 403} == {}


WITHOUT_BODY = [each for each in ASKED if each.method == "POST" and "requestBody" not in each.told]


@for_each("operation", WITHOUT_BODY)
async def test_a_field_is_refused_where_an_order_has_none(untouched: Stage, operation: Operation) -> None:
    answer = await untouched.ask(operation, NEEDS[operation.name], field="x")

    assert (answer.status_code, answer.json()["code"]) == (422, "unknown-field")


@for_each("operation", [each for each in ASKED if each.name not in EVERY_SUBJECT])
async def test_a_caller_for_other_subjects_gets_and_changes_nothing(
    untouched: Stage, operation: Operation
) -> None:
    answer = await untouched.ask(operation, *SCOPES, subjects=("book/other",))

    if answer.status_code == 200:
        assert not [each for each in answer.json()["items"] if each.get("done", True)]
    else:
        assert answer.status_code in (403, 404)
