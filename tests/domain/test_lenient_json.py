"""JSON as models write it is mended without guessing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.models.lenient_json import tidied
from tests.support.each import for_each

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1]))
def test_correct_json_means_the_same(value: object, indent: int | None) -> None:
    assert json.loads(tidied(json.dumps(value, indent=indent))) == value


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('["a\nb\tc"]', ["a\nb\tc"]),
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ('["a,]", "\\",}"]', ["a,]", '",}']),
    ],
)
def test_line_ends_in_texts_and_commas_before_a_bracket_are_mended(written: str, meant: object) -> None:
    assert json.loads(tidied(written)) == meant


@for_each("broken", ['{"a": 1', '{"a" 1}', '["a" "b"]', "[1,,2]", "{a: 1}", "['a']"])
def test_the_rest_stays_broken(broken: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(tidied(broken))
