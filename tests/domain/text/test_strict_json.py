"""JSON is taken only where it says one thing, and can be written again."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from penwright.domain.text.plain_names import is_plain_name
from penwright.domain.text.strict_json import read_json
from tests.support.each import for_each

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(value=values, ascii_only=st.booleans())
def test_any_value_round_trips(value: JsonValue, ascii_only: bool) -> None:
    assert read_json(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@for_each(
    "content, why",
    [
        (b"", "Expecting value"),
        (b"{} {}", "Extra data"),
        (b"\xff", "it is not UTF-8"),
        (b'{"a": {"b": 1, "b": 2}}', "duplicate key 'b' in one object"),
        (b"[NaN]", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b"[-1e999]", "the number -1e999 is too large"),
        (b"9" * 5000, f"the number {'9' * 40}… is too large"),
        (b'["\\ud83d"]', "it holds half of a surrogate pair"),
        (b'{"\\udc00": 1}', "it holds half of a surrogate pair"),
        (b"[" * 100_000, "it is nested too deep"),
    ],
)
def test_invalid_and_ambiguous_json_is_refused_with_the_reason(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        read_json(content)


@pytest.mark.parametrize("name", ["a", "0", "a.b_c-d", "x" * 64])
def test_a_plain_name_may_be_a_files(name: str) -> None:
    assert is_plain_name(name)


@for_each("name", ["", ".", "..", "-a", "A", "a/b", "a b", "a\n", "é", "x" * 65, "a\x00"])
def test_a_name_with_path_parts_is_not_plain(name: str) -> None:
    assert not is_plain_name(name)
