"""Words of others inside our XML."""

from html import escape
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.escaping import attribute, clipped, element_text

words = st.text() | st.text(alphabet="<>&\"'\x00\u202e\n漢")


@given(words)
def test_escaped_text_stays_one_xml_value(value: str) -> None:
    root = ElementTree.fromstring(f"<a b={attribute(value)}>{element_text(value)}</a>")

    shown = "".join(sign if sign.isprintable() else " " for sign in value)
    assert (root.get("b"), root.text or "", len(root)) == (shown, shown, 0)


@given(words, st.integers(3, 40))
def test_a_clipped_text_fits_after_escaping(value: str, most: int) -> None:
    short = clipped(value, most)

    assert len(escape(short).encode()) <= most
    assert short == clipped(short, most)


def test_a_text_that_fits_is_unchanged_and_a_longer_one_ends_in_dots() -> None:
    assert clipped("a & b", 9) == "a & b"
    assert clipped("a & b", 8) == "a …"
