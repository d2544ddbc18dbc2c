"""Citations typed into a document of another program are citations after its conversion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations.typed import with_typed_citations


@pytest.mark.parametrize(
    ("converted", "meant"),
    [
        (r"As shown \[@lee2020\].", "As shown [@lee2020]."),
        (r"\[see \@lee2020, p. 3; \@okoro_18\]", "[see @lee2020, p. 3; @okoro_18]"),
        (r"\[-@lee2020\] and \[1\]", r"[-@lee2020] and \[1\]"),
        (
            r"Up. \[\[@article{lee, title={Tides\_a \[so\]}, year={2020}}\]\] Down \*so\*.",
            r"Up. [[@article{lee, title={Tides_a [so]}, year={2020}}]] Down \*so\*.",
        ),
    ],
)
def test_typed_citations_lose_the_signs_that_made_them_plain_text(converted: str, meant: str) -> None:
    assert with_typed_citations(converted) == meant


@pytest.mark.parametrize("text", [r"\[mail me@x.org\]", r"\[1\] a\*b", "[@real]", r"\[@cut", "a @ b"])
def test_all_other_text_stays_as_it_is(text: str) -> None:
    assert with_typed_citations(text) == text


@given(st.text(alphabet="\\[]@{}a1 \n", max_size=200))
def test_a_text_keeps_its_words(text: str) -> None:
    assert with_typed_citations(text).replace("\\", "") == text.replace("\\", "")
