"""A dataset is taken whole, or refused with the lines that are wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from penwright.agents.evals.dataset import LONGEST_LINE, content_digest, read_dataset
from penwright.errors import UsageMistake
from schemas.evals import Sample
from tests.support.agents.evals import a_sample
from tests.support.each import for_each

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def line(**fields: object) -> bytes:
    return json.dumps({"id": "s1", "input": "Describe.", **fields}).encode()


def refused(content: bytes) -> UsageMistake:
    with pytest.raises(UsageMistake) as caught:
        read_dataset(content, "dawn.jsonl")
    assert "'dawn.jsonl'" in caught.value.message
    return caught.value


def test_blank_lines_and_a_byte_order_mark_are_ignored() -> None:
    content = b"\xef\xbb\xbf\n" + line(expected="grey") + b"\r\n\n  \n" + line(id="s2") + b"\n\n"

    assert read_dataset(content, "dawn.jsonl").samples == (
        Sample(id="s1", input="Describe.", expected="grey"),
        Sample(id="s2", input="Describe."),
    )


@given(inputs=st.lists(plain, min_size=1, max_size=5), ascii_only=st.booleans())
def test_samples_of_any_json_round_trip(inputs: list[JsonValue], ascii_only: bool) -> None:
    wanted = tuple(Sample(id=f"s{n}", input=each, expected=each) for n, each in enumerate(inputs))
    lines = [json.dumps(each.model_dump(), ensure_ascii=ascii_only) for each in wanted]

    assert read_dataset("\n".join(lines).encode(), "dawn.jsonl").samples == wanted


def test_duplicate_sample_ids_are_refused_with_their_lines() -> None:
    content = b"\n".join([line(id="a"), b"", line(id="b"), line(id="a"), line(id="b"), line(id="c")])

    error = refused(content)

    assert error.code == "duplicate-sample"
    assert "'a' on lines 1, 4; 'b' on lines 3, 5." in error.message


@for_each(
    "bad, named",
    [
        (b"{", "Expecting"),
        (b'"s1"', "the whole"),
        (b"\xff", "UTF-8"),
        (line(id=""), "id"),
        (line(id=7), "id"),
        (line(id="x" * 201), "id"),
        (line(id="a\nb"), "id"),
        (line(id="a\x00"), "id"),
        (b'{"id": "s1"}', "input"),
        (line(expcted="grey"), "expcted"),
        (b'{"id": "s1", "id": "s2", "input": 1}', "'id'"),
        (b'{"id": "s1", "input": NaN}', "NaN"),
        (b'{"id": "s1", "input": 1e999}', "1e999"),
        (b'{"id": "s1", "input": "\\ud83d"}', "surrogate"),
        (b'{"id": "s1", "input": ' + b"[" * 100_000, "nested"),
        (b'{"id": "s1", "input": ' + b"9" * 5000 + b"}", "too large"),
        (line(input="x" * LONGEST_LINE), "bytes long"),
    ],
)
def test_an_invalid_sample_is_reported_with_its_line_number(bad: bytes, named: str) -> None:
    error = refused(b"\n" + line() + b"\n" + bad + b"\n")

    assert error.code == "bad-dataset"
    assert "line 3: " in error.message
    assert named in error.message
    assert len(error.message) < 1_000


def test_invalid_lines_are_listed_up_to_a_limit() -> None:
    error = refused(b"\n".join([b"{"] * 5_000))

    assert "line 1: " in error.message
    assert "line 20: " in error.message
    assert "(and 4980 more)" in error.message


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_dataset_without_samples_is_refused(content: bytes) -> None:
    assert refused(content).code == "empty-dataset"


def test_dataset_digest_depends_on_values_not_on_notation() -> None:
    one = read_dataset(b'{"id":"s1","input":"D\\u00e9jeuner"}', "a")
    same = read_dataset('\n{"input": "Déjeuner", "id": "s1", "expected": null}\n'.encode(), "b")
    other = read_dataset(b'{"id":"s1","input":"Lunch"}', "a")

    assert one.digest == same.digest
    assert one.digest != other.digest


def test_a_sample_judged_in_another_way_is_another_one() -> None:
    digests = [
        content_digest(a_sample()),
        content_digest(a_sample(), "exact"),
        content_digest(a_sample(), {"matches": "grey"}),
        content_digest(a_sample(expected="red"), "exact"),
        content_digest(a_sample("s2"), "exact"),
    ]

    assert len(set(digests)) == len(digests)
