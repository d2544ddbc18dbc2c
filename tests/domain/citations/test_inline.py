"""Citations are found whole, or reported; what only looks like one is left alone."""

import itertools
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.inline_citations import (
    find_citations,
    protected_spans,
    with_keys_alone,
    without_citations,
)

SIGNS = st.text(alphabet='[]{}@abc,= \n`$<!->\\"#.', max_size=200)


def test_an_entry_with_brackets_and_nested_braces_is_one_citation() -> None:
    text = "So it is. [[@article{lee2020f, title = {[18F] and {DNA [x]] y}}, year = 2020}]] More."

    (found,) = find_citations(text).citations

    assert text[found.start : found.end].startswith("[[@article")
    assert text[found.end :] == " More."
    assert found.entry == "@article{lee2020f, title = {[18F] and {DNA [x]] y}}, year = 2020}"
    assert (found.kind, found.key) == ("article", "lee2020f")


def test_several_citations_in_a_row_are_each_found() -> None:
    text = "So. [[@a{x, t={1}}]] [[@a{y, t={2}}]][[@a{z, t={3}}]]"

    assert [each.key for each in find_citations(text).citations] == ["x", "y", "z"]


def test_a_citation_that_does_not_close_is_reported_with_its_line_and_hides_none_after_it() -> None:
    found = find_citations("One.\nTwo [[@book{bad, title={open]] and [[@book{good, t={x}}]].")

    assert [each.key for each in found.citations] == ["good"]
    assert [(each.code, each.line, each.key) for each in found.findings] == [
        ("UNBALANCED_CITATION", 2, "bad")
    ]


def test_a_citation_without_a_key_is_reported() -> None:
    assert [each.code for each in find_citations("A [[@book{, t={x}}]].").findings] == ["NO_KEY"]


def test_what_stands_in_code_maths_or_a_comment_is_no_citation() -> None:
    text = "`[[@a{x}]]` and <!-- [[@a{x}]] --> and $$[[@a{x}]]$$\n\n```\n[[@a{x}]]\n```\n"

    assert find_citations(text).citations == ()
    assert find_citations("A [[@a{x, t={``y''}}]] and `code`.").citations[0].key == "x"


def test_two_prices_do_not_hide_a_citation_between_them() -> None:
    assert len(find_citations("It cost $5 [[@a{x, t={y}}]] or 6$ then.").citations) == 1


def test_own_words_are_what_is_left_without_citations_and_the_blanks_before_them() -> None:
    assert without_citations("A [[@a{x, t={y}}]]  [[@a{z, t={y}}]]. B") == "A. B"


@given(SIGNS)
def test_spans_are_in_order_apart_and_begin_as_a_citation(text: str) -> None:
    spans = protected_spans(text)

    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    assert all(text.startswith("[[@", start) for start, _ in spans)


@given(SIGNS)
def test_each_citation_is_balanced(text: str) -> None:
    for each in find_citations(text).citations:
        assert each.entry.count("{") == each.entry.count("}")
        assert text[each.start : each.end].endswith("]]")


def test_ten_thousand_broken_citations_are_read_and_the_report_is_bounded() -> None:
    found = find_citations("[[@a{{ " * 10_000)

    assert len(found.findings) == 1_001
    assert "9000 more" in found.findings[0].message


@pytest.mark.parametrize("size", [500_000, pytest.param(5_000_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("unit", ["[[@a{{{{", "[[@", "[[@a{x}]]"])
def test_the_time_of_reading_openings_grows_with_their_length_and_memory_is_bounded(
    unit: str, size: int
) -> None:
    """In a process of its own: memory is measured at its peak; the larger size is the whole one.

    Ten times the text may take 25 times as long, on a machine of any speed; squared, it would be 100.
    """
    read = (
        "import re, time\n"
        "from penwright.domain.text.inline_citations import find_citations\n"
        "def measured(size):\n"
        f"    text = {unit!r} * (size // {len(unit)})\n"
        "    began = time.process_time()\n"
        "    found = find_citations(text)\n"
        "    return found, time.process_time() - began\n"
        f"few = min(measured({size // 10})[1] for _ in range(3))\n"
        f"found, spent = measured({size})\n"
        # The peak since this program began; getrusage begins with that of the process that forked.
        "peak = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]\n"
        "print(spent / few, int(peak) // 1024)\n"
        "assert max((len(each.key) for each in found.findings), default=0) <= 200\n"
    )
    told = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=True)
    growth, megabytes = told.stdout.split()

    assert float(growth) < 25
    assert int(megabytes) < 500


def test_for_reading_a_citation_is_its_key_and_what_is_broken_stays() -> None:
    rest = "twice.\n\n`[[@book{code, x}]]` [[@book{open"
    whole = f"It ebbs [[@article{{orr2019tide, title = {{The [[Tide]]}}}}]] {rest}"

    assert with_keys_alone(whole) == f"It ebbs [orr2019tide] {rest}"
    assert with_keys_alone("No citation [here].") == "No citation [here]."
