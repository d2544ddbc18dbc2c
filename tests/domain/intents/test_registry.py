"""The registry of intents, read from real bytes by the real parser."""

import pytest

from penwright.domain.intents.registry import (
    FIRST,
    LARGEST,
    BrokenRegistry,
    added,
    read_registry,
    with_status,
)
from penwright.errors import Refused
from schemas.intents import Intent, IntentStatus
from tests.support.each import for_each

BROKEN = {
    "no file": (None, "registry-missing"),
    "not UTF-8": (b"\xff\xfe", "registry-unreadable"),
    "enormous": (b"#" * (LARGEST + 1), "registry-unreadable"),
    "empty": (b"", "registry-invalid"),
    "a list": (b"- id: INT-001\n", "registry-invalid"),
    "another key": (b"intents: []\n", "registry-invalid"),
    "no list": (b"active_intents: 3\n", "registry-invalid"),
    "a list of words": (b"active_intents: [INT-001]\n", "registry-invalid"),
    "half a document": (b"active_intents: [[[[\n", "registry-invalid"),
    "a key twice": (b"active_intents:\n  - id: a\n    id: b\n", "registry-invalid"),
    "an id twice": (b"active_intents:\n" + b"  - {id: a, status: PENDING}\n" * 2, "registry-invalid"),
    "an alias": (b"active_intents:\n  - &a {id: a, status: PENDING}\n  - *a\n", "registry-invalid"),
    "a python object": (b"active_intents: !!python/object/apply:os.getcwd []\n", "registry-invalid"),
    "an unknown status": (b"active_intents:\n  - {id: a, status: ACTIVE}\n", "registry-invalid"),
    "a number for an id": (b"active_intents:\n  - {id: 7, status: PENDING}\n", "registry-invalid"),
    "a blank id": (b"active_intents:\n  - {id: ' ', status: PENDING}\n", "registry-invalid"),
    "a word for a scope": (
        b"active_intents:\n  - {id: a, status: PENDING, owned_scope: b}\n",
        "registry-invalid",
    ),
}


@for_each("case", BROKEN)
def test_an_invalid_registry_is_reported(case: str) -> None:
    content, code = BROKEN[case]

    with pytest.raises(BrokenRegistry) as broken:
        read_registry(content)

    assert broken.value.code == code


def test_exponentially_expanding_aliases_are_refused_unread() -> None:
    layers = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 40))

    with pytest.raises(BrokenRegistry):
        read_registry(f"l0: &l0 x\n{layers}active_intents: []\n".encode())


def test_the_first_registry_lets_agents_write_plan_and_rewrite() -> None:
    found = [(intent.id, intent.status) for intent in read_registry(FIRST.encode()).intents]

    going = IntentStatus.IN_PROGRESS
    assert found == [("INT-001", going), ("PLAN-001", going), ("REWRITE-001", going)]


def test_unknown_keys_and_comments_are_kept_when_a_status_changes() -> None:
    text = FIRST.replace("    constraints:", "    budget: {max_turns: 3}  # mine\n    constraints:")

    written = with_status(text.encode(), "INT-001", IntentStatus.BLOCKED)

    assert written == text.replace("IN_PROGRESS", "BLOCKED", 1)


def test_a_change_of_an_entry_changes_only_its_digest() -> None:
    two = added(FIRST.encode(), Intent(id="INT-002", status=IntentStatus.PENDING))
    other = two.replace("schema_version", "# a word\nschema_version").replace("Write the book", "Write it")

    before, after = read_registry(two.encode()), read_registry(other.encode())

    same = [a.digest == b.digest for a, b in zip(before.intents, after.intents, strict=True)]
    assert same == [False, True, True, True]


def test_an_id_is_added_once_and_looked_up_by_its_exact_letters() -> None:
    registry = read_registry(FIRST.encode())

    assert registry.find("int-001") is None
    with pytest.raises(Refused) as refused:
        added(FIRST.encode(), Intent(id="INT-001", status=IntentStatus.PENDING))
    assert refused.value.code == "intent-exists"


def test_a_missing_registry_is_created() -> None:
    text = added(
        None, Intent(id="A-1", name="Plan: one", status=IntentStatus.PENDING, owned_scope=("a b/**",))
    )

    assert read_registry(text.encode()).intents[0].owned_scope == ("a b/**",)


def test_the_status_of_an_unknown_intent_cannot_change() -> None:
    with pytest.raises(Refused) as refused:
        with_status(FIRST.encode(), "INT-9", IntentStatus.BLOCKED)

    assert (refused.value.code, refused.value.details["available"]) == (
        "intent-unknown",
        "INT-001, PLAN-001, REWRITE-001",
    )


@for_each("version", ["2", "'1'", "0", "true", "next", "null"])
def test_a_registry_of_another_version_is_not_read_as_this_one(version: str) -> None:
    with pytest.raises(BrokenRegistry) as broken:
        read_registry(f"schema_version: {version}\nactive_intents: []\n".encode())

    assert broken.value.code == "registry-invalid"
    assert "schema_version" in broken.value.message
