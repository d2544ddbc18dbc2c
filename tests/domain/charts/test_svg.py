"""A chart as SVG: well-formed, escaped, and with its numbers in words."""

from typing import Literal
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.charts import made
from penwright.domain.charts.svg import WIDTH, svg
from penwright.domain.charts.values import Chart, Series

_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=30)
_VALUES = st.one_of(st.none(), st.floats(0, 1e9))
_SVG = "{http://www.w3.org/2000/svg}"


def drawn(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(svg(chart))


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    labels = tuple(draw(st.lists(_NAMES, max_size=8)))
    count = len(labels)
    looks: st.SearchStrategy[Literal["bar", "line"]] = st.sampled_from(("bar", "line"))
    rows = st.tuples(_NAMES, st.lists(_VALUES, min_size=count, max_size=count), looks)
    series = tuple(
        Series(name, tuple(values), look) for name, values, look in draw(st.lists(rows, max_size=5))
    )
    return Chart("x", draw(_NAMES), labels, series, stacked=draw(st.booleans()))


@given(charts())
def test_any_chart_is_a_document_that_stays_within_its_frame(chart: Chart) -> None:
    root = drawn(chart)

    for rect in root.iter(f"{_SVG}rect"):
        x, y = float(rect.get("x", "0")), float(rect.get("y", "0"))
        assert x >= 0
        assert y >= 0
        if rect.get("rx") is None:  # the legend may be as long as its names
            assert x + float(rect.get("width", "0")) <= WIDTH + 0.1


def test_names_are_text_and_never_elements() -> None:
    chart = Chart("x", "<script>a</script>", ('"><b>',), (Series("&", (1.0,)),))

    root = drawn(chart)

    assert {each.tag.removeprefix(_SVG) for each in root.iter()} <= {
        *("svg", "title", "desc", "style", "rect", "text", "line")
    }
    assert root.get("aria-label") == "<script>a</script>"


def test_the_numbers_are_told_in_words() -> None:
    chart = made.words_per_session([("Monday", 1200), ("Tuesday", 900)], 1000)

    told = drawn(chart).findtext(f"{_SVG}desc")

    assert told == "Monday: Words 1,200, Aimed at 1,000; Tuesday: Words 900, Aimed at 1,000"


@pytest.mark.parametrize("values", [(0.0, 0.0), (None, None)])
def test_a_chart_without_anything_above_zero_has_no_bars(values: tuple[float | None, ...]) -> None:
    bars = drawn(Chart("x", "x", ("a", "b"), (Series("n", values),))).findall(f"{_SVG}rect")

    assert len(bars) == 2  # the ground, and the sign of the legend


def test_bars_that_stand_on_one_another_reach_their_sum() -> None:
    chart = Chart("x", "x", ("a",), (Series("m", (30.0,)), Series("n", (70.0,))), stacked=True)

    bars = [each for each in drawn(chart).findall(f"{_SVG}rect") if each.get("width") == "34.0"]

    lower, upper = sorted(bars, key=lambda each: -float(each.get("y", "0")))
    assert float(upper.get("y", "0")) + float(upper.get("height", "0")) == pytest.approx(
        float(lower.get("y", "0")), abs=0.2
    )
