"""Baselines: the text an agent has read, and the class it declares for its change."""

import hashlib
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.baseline import shown
from penwright.domain.intents.gate import IntentGate
from penwright.domain.intents.registry import REGISTRY
from penwright.domain.text.blocks import blocks_of
from schemas.intents import Approval
from schemas.trace import MutationClass
from schemas.workspace import (
    Contributor,
    Create,
    Delete,
    Denial,
    Modify,
    MutationPlan,
    Operation,
    ReadBaseline,
    Rename,
    Workspace,
)
from tests.domain.intents.test_gate import OPEN, PaperCase, PaperTree, pin_of

REFACTOR, EVOLUTION = MutationClass.AST_REFACTOR, MutationClass.INTENT_EVOLUTION
PATH = "Review/current.md"
PARAGRAPHS = [
    "The tide came in slowly over the grey stones of the harbour.",
    "Nobody on the quay had seen the lantern go out that evening.",
    "Mira counted the boats twice and wrote the number in her book.",
    "In the morning the sand was smooth and there were no traces.",
]
TEXT = "\n\n".join(PARAGRAPHS) + "\n"


def blob_of(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def seen(text: str, *numbers: int, whole: bool = False, path: str = PATH) -> ReadBaseline:
    """Some paragraphs of ``text`` were shown, by their place; with ``whole`` all of it."""
    blocks = blocks_of(text)
    return ReadBaseline(
        path=path, blob=blob_of(text), blocks=tuple(blocks[n].hash for n in numbers), whole=whole
    )


@dataclass
class Ask:
    """An agent's plan against a book with one text in it."""

    tip: str | None = TEXT
    after: str | None = None
    seen: tuple[ReadBaseline, ...] = ()
    mutation: MutationClass | None = EVOLUTION
    tool: str = "edit"
    approval: Approval | None = None

    def denial(self) -> Denial | None:
        return IntentGate(BOOK_PROFILE).judge(self.case())

    def code(self) -> str:
        found = self.denial()
        return found.error_code if found else "allowed"

    def case(self) -> PaperCase:
        operation: Operation
        if self.after is None:
            operation = Delete(path=PATH, base="")
        elif self.tip is None:
            operation = Create(path=PATH, content=self.after)
        else:
            operation = Modify(path=PATH, content=self.after, base=blob_of(self.tip))
        after = None if self.after is None else self.after.encode()
        return self.with_operations({PATH: after}, operation)

    def with_operations(self, after: dict[str, bytes | str | None], *operations: Operation) -> PaperCase:
        tree = PaperTree({REGISTRY: OPEN, **({PATH: self.tip.encode()} if self.tip is not None else {})})
        plan = MutationPlan(
            workspace=Workspace(path="/nowhere"),
            message="Change",
            contributor=Contributor.MODEL,
            operations=operations,
            tool=self.tool,
            pin=pin_of(OPEN),
            seen=self.seen,
            mutation=self.mutation,
            approval=self.approval,
        )
        return PaperCase(plan, tree, after)


def replaced(number: int, new: str = "Something else entirely happened here.", text: str = TEXT) -> str:
    """``text`` with another paragraph in one place."""
    return text.replace(PARAGRAPHS[number], new)


# Baselines.


def test_a_file_that_exists_must_be_read_before_it_is_written() -> None:
    denial = Ask(after=replaced(1)).denial()

    assert denial is not None
    assert denial.error_code == denial.error_type == "BASELINE_REQUIRED"
    assert denial.details["paths"] == PATH
    assert denial.action_hint.startswith("read it")


def test_a_new_file_needs_no_reading() -> None:
    assert Ask(tip=None, after="New.\n").code() == "allowed"
    assert Ask(tip=None, after="New.\n", seen=(ReadBaseline(path=PATH, blob=""),)).code() == "allowed"


def test_a_file_created_since_is_not_overwritten() -> None:
    denial = Ask(after="New.\n", seen=(ReadBaseline(path=PATH, blob=""),)).denial()

    assert denial is not None
    assert denial.error_code == "STALE_FILE"
    assert (denial.details["expected"], denial.details["actual"]) == ("absent", blob_of(TEXT))


def test_a_file_that_was_removed_since_is_not_brought_back() -> None:
    denial = Ask(tip=None, after=TEXT, seen=(seen(TEXT, whole=True),)).denial()

    assert denial is not None
    assert denial.error_code == "STALE_FILE"
    assert (denial.details["expected"], denial.details["actual"]) == (blob_of(TEXT), "absent")


def test_a_fully_read_file_may_be_replaced_or_deleted() -> None:
    assert Ask(after="All new.\n", seen=(seen(TEXT, whole=True),)).code() == "allowed"
    assert Ask(after=None, seen=(seen(TEXT, whole=True),)).code() == "allowed"


def test_a_shown_paragraph_may_be_replaced_and_an_unseen_one_may_not() -> None:
    assert Ask(after=replaced(1), seen=(seen(TEXT, 0, 1),)).code() == "allowed"

    denial = Ask(after=replaced(2), seen=(seen(TEXT, 0, 1),)).denial()

    assert denial is not None
    assert denial.error_code == "BASELINE_REQUIRED"
    assert denial.details["blocks"] == f"line 5 ('{PARAGRAPHS[2][:60]}…')"


def test_overwriting_a_partly_read_file_names_the_unread_text() -> None:
    lines = "\n\n".join(f"Paragraph number {n} about the sea." for n in range(40)) + "\n"
    denial = Ask(tip=lines, after=lines[:300], seen=(seen(lines, *range(8)),)).denial()

    assert denial is not None
    assert denial.error_code == "BASELINE_REQUIRED"
    assert "line 23" in denial.details["blocks"]
    assert "more" in denial.details["blocks"]


def test_baselines_of_several_reads_add_up() -> None:
    after = replaced(3, text=replaced(0))

    assert Ask(after=after, seen=(seen(TEXT, 0), seen(TEXT, 3))).code() == "allowed"


def test_a_changed_paragraph_is_stale_until_read_again() -> None:
    tip = replaced(1, "The author wrote this line anew, and it matters a lot.")
    after = replaced(1, "The agent would write over it without having seen it.")
    ask = Ask(tip=tip, after=after, seen=(seen(TEXT, 0, 1),))

    denial = ask.denial()

    assert denial is not None
    assert denial.error_code == denial.error_type == "STALE_FILE"
    assert (denial.details["expected"], denial.details["actual"]) == (blob_of(TEXT), blob_of(tip))
    assert "The author wrote this line anew" in denial.details["blocks"]
    assert Ask(tip=tip, after=after, seen=(*ask.seen, seen(tip, 1))).code() == "allowed"


def test_unread_text_in_a_changed_file_is_unread_not_stale() -> None:
    tip = replaced(3)

    assert Ask(tip=tip, after=replaced(1, text=tip), seen=(seen(TEXT, 0),)).code() == "BASELINE_REQUIRED"


def test_replacing_the_unread_part_of_a_newer_version_is_denied() -> None:
    tip = replaced(1, "The author wrote this line anew, and it matters a lot.")
    after = replaced(1, "The agent would write over it without having seen it.")

    assert Ask(tip=tip, after=after, seen=(seen(TEXT, 0, 1), seen(tip, 3))).code() == "BASELINE_REQUIRED"


def test_a_later_change_elsewhere_in_the_file_is_allowed() -> None:
    tip = replaced(3)

    assert Ask(tip=tip, after=replaced(0, "Mine.", tip), seen=(seen(TEXT, 0, 1),)).code() == "allowed"


def test_a_whole_read_of_an_older_version_allows_only_appends() -> None:
    tip = replaced(3)

    assert (
        Ask(tip=tip, after=replaced(0, "Mine.", tip), seen=(seen(TEXT, whole=True),)).code() == "STALE_FILE"
    )
    assert Ask(tip=tip, after=f"{tip}\nMore.\n", seen=(seen(TEXT, whole=True),)).code() == "allowed"


def test_appending_below_unread_text_is_allowed() -> None:
    assert Ask(after=f"{TEXT}\nMore.\n", seen=(seen(TEXT, 3),)).code() == "allowed"


def test_an_instruction_of_the_author_is_not_dropped_unseen() -> None:
    tip = TEXT.replace("\n\nIn the", "\n\n<!-- INK: make this colder -->\n\nIn the")

    denial = Ask(tip=tip, after=TEXT, seen=(seen(tip, 0, 1, 2, 3),)).denial()

    assert denial is not None
    assert denial.error_code == "BASELINE_REQUIRED"
    assert "make this colder" in denial.details["blocks"]
    assert Ask(tip=tip, after=TEXT, seen=(seen(tip, whole=True),)).code() == "allowed"


def test_a_binary_file_cannot_be_replaced_without_a_whole_read() -> None:
    content = b"\xff\x00"
    case = Ask(
        after="Text.\n", seen=(ReadBaseline(path=PATH, blob=hashlib.sha1(content).hexdigest()),)
    ).case()
    case.tip.files[PATH] = content

    denial = IntentGate(BOOK_PROFILE).judge(case)

    assert denial is not None
    assert denial.error_code == "BASELINE_REQUIRED"


def test_renaming_a_file_needs_only_that_it_was_read() -> None:
    to = "Review/old.md"
    rename = Rename(path=PATH, to=to, base=blob_of(TEXT))
    moved: dict[str, bytes | str | None] = {PATH: None, to: blob_of(TEXT)}

    unread = IntentGate(BOOK_PROFILE).judge(Ask().with_operations(moved, rename))
    read = IntentGate(BOOK_PROFILE).judge(
        Ask(seen=(seen(TEXT, 0),), mutation=REFACTOR).with_operations(moved, rename)
    )

    assert unread is not None
    assert unread.error_code == "BASELINE_REQUIRED"
    assert read is None


def test_a_picture_may_be_renamed_when_its_blob_was_seen() -> None:
    content, to = b"\xff\x00", "Review/old.png"
    blob = hashlib.sha1(content).hexdigest()
    ask = Ask(seen=(ReadBaseline(path=PATH, blob=blob),), mutation=REFACTOR)
    case = ask.with_operations({PATH: None, to: blob}, Rename(path=PATH, to=to, base=blob))
    case.tip.files[PATH] = content

    assert IntentGate(BOOK_PROFILE).judge(case) is None


@pytest.mark.parametrize("tool", ["book.close", "book.open"])
def test_the_engine_has_no_baseline_and_no_class(tool: str) -> None:
    assert Ask(after=replaced(1), mutation=None, tool=tool).code() == "allowed"


@given(
    known=st.sets(st.integers(0, 3)),
    changed=st.sets(st.integers(0, 3), min_size=1),
    gone=st.booleans(),
)
def test_only_read_text_can_be_removed(known: set[int], changed: set[int], gone: bool) -> None:
    kept = [
        None
        if number in changed and gone
        else f"Quite another line {number * 777}."
        if number in changed
        else old
        for number, old in enumerate(PARAGRAPHS)
    ]
    after = "\n\n".join(filter(None, kept)) + "\n"

    code = Ask(after=after, seen=(seen(TEXT, *known),)).code()

    assert code == ("allowed" if changed <= known else "BASELINE_REQUIRED")


@pytest.mark.parametrize(
    ("first", "last", "numbers", "whole"),
    [
        (1, None, {0, 1, 2, 3}, True),
        (1, 7, {0, 1, 2, 3}, True),
        (1, 6, {0, 1, 2}, False),
        (2, 5, {1, 2}, False),
        (3, None, {1, 2, 3}, False),
    ],
)
def test_reading_lines_records_the_blocks_inside_them(
    first: int, last: int | None, numbers: set[int], whole: bool
) -> None:
    told = shown(PATH, "id", TEXT, first=first, last=last)

    assert told == ReadBaseline(path=PATH, blob="id", blocks=seen(TEXT, *sorted(numbers)).blocks, whole=whole)


def test_half_a_paragraph_was_not_shown() -> None:
    assert shown(PATH, "id", "One\ntwo\nthree.\n", first=1, last=2).blocks == ()


# Classes.


ALL = (seen(TEXT, whole=True),)


def test_a_new_character_is_more_than_another_form() -> None:
    after = TEXT + "\nThen Captain Ahab stepped ashore and asked for the harbour master.\n"

    denial = Ask(after=after, seen=ALL, mutation=REFACTOR).denial()

    assert denial is not None
    assert denial.error_code == denial.error_type == "MUTATION_CLASS_UNDERSTATED"
    assert "Then Captain Ahab" in denial.details["reasons"]
    assert (denial.details["declared"], denial.details["floor"]) == (REFACTOR, EVOLUTION)
    assert Ask(after=after, seen=ALL, mutation=EVOLUTION).code() == "allowed"


def test_a_person_may_let_an_understated_change_pass() -> None:
    ask = Ask(after=TEXT + "\nThen Captain Ahab stepped ashore.\n", seen=ALL, mutation=REFACTOR)
    denial = ask.denial()
    assert denial is not None
    assert denial.asks is not None

    ask.approval = Approval(id="AP-1", plan_digest=denial.asks.plan_digest, codes=denial.asks.codes, by="ada")

    assert ask.code() == "allowed"


@pytest.mark.parametrize(
    "after",
    [
        TEXT.replace("slowly ", ""),
        TEXT.replace(" over the", "\nover the"),
        "\n\n".join(reversed(PARAGRAPHS)) + "\n",
    ],
)
def test_an_edited_line_a_new_wrap_and_another_order_are_another_form(after: str) -> None:
    assert Ask(after=after, seen=ALL, mutation=REFACTOR).code() == "allowed"


@pytest.mark.parametrize(
    ("tip", "after"),
    [(None, "New.\n"), (None, "<!-- hidden -->\n"), (TEXT, None), (TEXT, replaced(2)), ("a\0b", "b\n")],
)
def test_new_files_lost_paragraphs_and_binary_content_raise_the_class(
    tip: str | None, after: str | None
) -> None:
    all_ = (seen(tip, whole=True),) if tip is not None else ()

    assert Ask(tip=tip, after=after, seen=all_, mutation=REFACTOR).code() == "MUTATION_CLASS_UNDERSTATED"


def test_an_agent_must_declare_a_mutation_class() -> None:
    denial = Ask(after=replaced(1), seen=ALL, mutation=None).denial()

    assert denial is not None
    assert denial.error_code == "MUTATION_CLASS_MISSING"
    assert denial.asks is None
    assert "INTENT_EVOLUTION" in denial.action_hint


def test_a_text_is_read_again_before_its_class_is_argued_about() -> None:
    assert Ask(after=replaced(1), mutation=REFACTOR).code() == "BASELINE_REQUIRED"


# Which pattern allowed it.


def test_the_gate_names_the_pattern_that_owns_each_path() -> None:
    case = Ask(after=TEXT, tool="book.close").with_operations(
        {PATH: TEXT.encode(), ".ink-state.yml": b"x"}, Create(path=PATH, content=TEXT)
    )

    assert IntentGate(BOOK_PROFILE).matched(case) == {PATH: "**"}


@pytest.mark.parametrize("registry", [b"", b"\xff", b"active_intents: []\n"])
def test_an_empty_registry_names_no_pattern(registry: bytes) -> None:
    case = Ask(after=TEXT).case()
    case.tip.files[REGISTRY] = registry

    assert IntentGate(BOOK_PROFILE).matched(case) == {}
