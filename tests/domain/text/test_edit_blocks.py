"""Edits as plain text: read to the letter, or refused by name."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.edit_blocks import parse
from penwright.errors import ModelMistake
from schemas.patching import EditReply, Operation
from tests.support.each import for_each
from tests.support.sweeps import EXAMPLES

REPLY = r"""status: continue
rationale: The opening is slow.
It also repeats itself.

@@@ replace
count: all
reason: Too many ships.
@@@ find
A ship passed.
@@@ with
\textbf{A} ship \ref{x} passed \noindent {"quoted": 1}
@@@ end

@@@ insert_after
@@@ find
## The storm
@@@ with

```python
print("```")
```
@@@ end
@@@ append
@@@ with
The end.

@@@ end
@@@ delete
reason: Twice.
@@@ find
Again.
@@@ end
"""
READ = EditReply(
    status="continue",
    rationale="The opening is slow.\nIt also repeats itself.",
    operations=(
        Operation(
            find="A ship passed.",
            replace=r'\textbf{A} ship \ref{x} passed \noindent {"quoted": 1}',
            count="all",
            reason="Too many ships.",
        ),
        Operation(kind="insert_after", find="## The storm", replace='\n```python\nprint("```")\n```'),
        Operation(kind="append", replace="The end.\n"),
        Operation(kind="delete", find="Again.", reason="Twice."),
    ),
)


def block(kind: str, *parts: tuple[str, str], fence: str = "@@@", fields: str = "") -> str:
    told = "".join(f"{fence} {name}\n{text}\n" for name, text in parts)
    return f"{fence} {kind}\n{fields}{told}{fence} end\n"


def code(reply: str) -> str:
    with pytest.raises(ModelMistake) as refused:
        parse(reply)
    return refused.value.code


def test_a_reply_is_read_to_the_letter() -> None:
    assert parse(REPLY) == READ


def test_a_fence_around_the_whole_reply_is_left_out() -> None:
    assert parse(f"```text\n{REPLY}```\n") == READ


def test_text_with_marker_lines_goes_into_markers_with_more_signs() -> None:
    text = "Write so:\n@@@ replace\n@@@ find\nx\n@@@ end"

    read = parse(block("append", ("with", text), fence="@@@@@"))

    assert read.operations == (Operation(kind="append", replace=text),)


def test_a_satisfied_reply_needs_no_blocks() -> None:
    assert parse("Nothing is left to do.\n\n**Status:** satisfied") == EditReply(
        status="satisfied", rationale="Nothing is left to do."
    )


@pytest.mark.parametrize(
    ("written", "count"), [("2", 2), ("all", "all"), ("ALL", "ALL"), ("-1", "-1"), ("", "")]
)
def test_a_count_is_passed_on_as_it_is(written: str, count: int | str) -> None:
    read = parse(block("replace", ("find", "a"), ("with", "b"), fields=f"count: {written}\n"))

    assert read.operations[0].count == count


@for_each(
    "reply, named",
    [
        ("", "empty-reply"),
        (" \n", "empty-reply"),
        (REPLY[: REPLY.rindex("@@@ end")], "truncated-block"),
        (REPLY[: REPLY.index("passed \\noindent")], "truncated-block"),
        ("@@@ replace", "truncated-block"),
        (REPLY.replace("@@@ end\n", "", 1), "unclosed-block"),
        (REPLY.replace("@@@ replace\ncount", "count"), "stray-marker"),
        ("@@@ end", "stray-marker"),
        (REPLY.replace("@@@ append", "@@@ prepend"), "unknown-kind"),
        (block("replace", ("find", "a")), "wrong-part"),
        (block("replace", ("with", "b"), ("find", "a")), "wrong-part"),
        (block("replace", ("find", "a"), ("with", "b"), ("with", "c")), "wrong-part"),
        (block("append", ("find", "a"), ("with", "b")), "wrong-part"),
        (block("delete"), "wrong-part"),
        (block("append", ("with", "b"), fields="place: top\n"), "unknown-field"),
        (block("append", ("with", "b"), fields="reason: a\nreason: b\n"), "unknown-field"),
        (block("append", ("with", "b"), fields="some text\n"), "unknown-field"),
        ("status: done\n", "bad-status"),
        ("status:\n", "bad-status"),
    ],
)
def test_what_cannot_be_read_is_refused_whole_and_by_name(reply: str, named: str) -> None:
    assert code(reply) == named


TEXT = st.text(alphabet='ab\\`~@{}"$ \n\r\t\u2028é', max_size=60)
LINES = st.text(alphabet="ab:\\ @é", max_size=20).map(str.strip)
KINDS = {
    "replace": ("find", "with"),
    "insert_after": ("find", "with"),
    "append": ("with",),
    "delete": ("find",),
}


@st.composite
def operations(draw: st.DrawFn) -> Operation:
    kind = draw(st.sampled_from(list(KINDS)))
    told = {("replace" if part == "with" else part): draw(TEXT) for part in KINDS[kind]}
    count = draw(st.one_of(st.integers(0, 99), st.just("all")))
    return Operation.model_validate({"kind": kind, "count": count, "reason": draw(LINES), **told})


@given(st.lists(operations(), max_size=4), st.sampled_from(["continue", "satisfied"]))
def test_whatever_the_text_is_it_is_read_as_it_was_written(made: list[Operation], status: str) -> None:
    texts = {"find": "find", "with": "replace"}
    reply = f"status: {status}\n" + "".join(
        block(
            each.kind,
            *((part, getattr(each, texts[part])) for part in KINDS[each.kind]),
            fence="@" * 70,
            fields=f"count: {each.count}\nreason: {each.reason}\n",
        )
        for each in made
    )

    assert parse(reply) == EditReply.model_validate({"status": status, "operations": tuple(made)})


@given(st.integers(0, len(REPLY)))
def test_a_reply_that_breaks_off_gives_whole_blocks_or_none(size: int) -> None:
    try:
        read = parse(REPLY[:size])
    except ModelMistake:
        return
    assert read.operations == READ.operations[: len(read.operations)]


CODES = {
    *("truncated-block", "unclosed-block", "stray-marker", "unknown-kind", "wrong-part", "unknown-field"),
    *("bad-status", "empty-reply"),
}


def test_garbled_replies_are_read_whole_or_refused_by_name() -> None:
    chance = Random(10)
    for _ in range(25 * EXAMPLES):
        lines = REPLY.split("\n")
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(lines))
            line = chance.choice(["", lines[at], lines[at][:-1], f" {lines[at]}", chance.choice(lines)])
            lines[at : at + chance.randint(0, 2)] = [line] * chance.randint(0, 2)
        try:
            read = parse("\n".join(lines))
        except ModelMistake as refused:
            assert refused.code in CODES  # noqa: PT017
        else:
            assert len(read.operations) == lines.count("@@@ end")


@given(st.text(alphabet="@ \nabdefhinprtuwlcos_:", max_size=200))
def test_any_text_is_read_or_refused(reply: str) -> None:
    try:
        read = parse(reply)
    except ModelMistake:
        return
    assert reply.count("@@@") >= 3 * len(read.operations)
