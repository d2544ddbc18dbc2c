"""Citations that go to other programs, and references that come from them; nothing is lost in silence."""

import re
import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations.entries import Entry, read_entries
from penwright.domain.citations.exchange.exporting import exported
from penwright.domain.citations.exchange.importing import imported
from penwright.domain.text.inline_citations import without_citations
from schemas.citations import ReferenceFormat
from tests.support.each import for_each

TODAY = date(2026, 5, 4)
HALF = '{"id": "b", "title": "\\ud800"}'
HUGE = "9" * 5_000
LEFT = "UNREADABLE_FIELD"
RIS = """TY  - JOUR
AU  - Lee, Ann
AU  - Marsh, J. R.
TI  - The tides and
 the shore
PY  - 2020/03/01
JO  - Coast
SP  - 11
EP  - 19
DO  - 10.1000/tide.7
ER  -
"""
CSL = """[{"id": "lee", "type": "article-journal", "title": "The tides",
  "author": [{"family": "Lee", "given": "Ann", "non-dropping-particle": "van"}],
  "issued": {"date-parts": [[2020, 3]]}, "DOI": "10.1000/tide.7", "volume": 4}]"""


def codes(content: str, form: ReferenceFormat, present: str = "") -> list[tuple[str, int]]:
    return [(each.code, each.line) for each in imported(content, form, present, TODAY).findings]


def test_citations_become_markers_and_a_bibliography() -> None:
    made = exported("So [[@a{x, title={X}}]] [[@book{y:1, title={Y}}]]. `[[@a{z}]]` [[@a{x, title = {X}}]]")

    assert made.text == "So [@x; @y:1]. `[[@a{z}]]` [@x]"
    assert [each.key for each in read_entries(made.bibliography).entries] == ["x", "y:1"]
    assert made.findings == ()


@for_each(
    "text, shown",
    [
        ("It rose. [[@a{x, t={X}}]] It fell.", "It rose [@x]. It fell."),
        ("It rose.\n[[@a{x, t={X}}]]\n", "It rose [@x].\n"),
        ("It rose.\n\n[[@a{x, t={X}}]]\n", "It rose.\n\n[@x]\n"),
        ("- It rose.\n- [[@a{x, t={X}}]]\n", "- It rose.\n- [@x]\n"),
        ("Did it? [[@a{x, t={X}}]] [[@a{y, t={Y}}]]\n\nIt did.", "Did it [@x; @y]?\n\nIt did."),
        ("It rose [[@a{x, t={X}}]]. It fell. [[@a{x, t={X}}]]", "It rose [@x]. It fell [@x]."),
        ("So says Lee et al. [[@a{x, t={X}}]] in May.", "So says Lee et al. [@x] in May."),
        ("So says Lee et al. [[@a{x, t={X}}]]", "So says Lee et al. [@x]"),
        ("She said: “It rose.” [[@a{x, t={X}}]]", "She said: “It rose” [@x]."),
        ("She asked: “Why?” [[@a{x, t={X}}]]", "She asked: “Why?” [@x]"),
        ("It rose.[^1] [[@a{x, t={X}}]] It fell.", "It rose [@x].[^1] It fell."),
        ("It rose.¹ [[@a{x, t={X}}]] It fell.[2] [[@a{x, t={X}}]]", "It rose [@x].¹ It fell [@x].[2]"),
        ("| It rose. [[@a{x, t={X}}]] | It fell. |", "| It rose [@x]. | It fell. |"),
        ("It rose … [[@a{x, t={X}}]] It rose...  [[@a{x, t={X}}]]", "It rose … [@x] It rose...  [@x]"),
        ("It rose. [@z] It fell.", "It rose. [@z] It fell."),
    ],
)
def test_a_citation_behind_a_sentence_is_exported_before_its_stop(text: str, shown: str) -> None:
    assert exported(text).text == shown


@given(
    st.lists(
        st.sampled_from(
            ["It rose.", "Why?", "by Lee et al.", "“No.”", " ", "\n\n", "[[@a{x, t={X}}]]", "so"]
        ),
        max_size=12,
    )
)
def test_an_export_loses_no_word_and_no_citation(parts: list[str]) -> None:
    text = " ".join(parts)
    made = exported(text).text

    plain = without_citations(text)
    assert sorted("".join(plain.split())) == sorted("".join(re.sub(r"\[@x(; @x)*\]", "", made).split()))
    assert made.count("@x") == text.count("[[@a")


def test_two_entries_of_one_key_are_said_and_both_kept() -> None:
    made = exported("A [[@a{x, title={X}}]].\nB [[@a{x, title={Other}}]].")

    assert made.text == "A [@x].\nB [@xa]."
    assert [(each.code, each.line, each.key) for each in made.findings] == [("CONFLICTING_KEY", 2, "x")]
    assert [each.field("title") for each in read_entries(made.bibliography).entries] == ["X", "Other"]


def test_one_work_of_two_entries_is_exported_once_and_the_difference_is_said() -> None:
    inline = "@article{lee2019, author={Lee, Ann}, title={The Sea}, year={2019}, doi={10.1000/x}}"
    fuller = inline.replace("lee2019", "{key}", 1).replace("year={2019}", "year={2020}, note={Read}")
    for key, text in (("lee2019", f"A [[{inline}]]."), ("sea", f"A [[{inline}]]. And [@sea].")):
        made = exported(text, read_entries(fuller.replace("{key}", key, 1)).entries)

        assert [each.code for each in made.findings] == ["ENTRIES_DIFFER"]
        assert "differ in note, year;" in made.findings[0].message
        (entry,) = read_entries(made.bibliography).entries
        assert (entry.key, entry.field("year"), entry.field("note")) == (key, "2019", "Read")
        assert made.text.startswith(f"A [@{key}].")


def test_a_work_that_markers_name_by_two_keys_is_said_at_each_of_the_second() -> None:
    entry = "@article{{{key}, author={{Lee, Ann}}, title={{The Sea}}, year={{2019}}{more}}}"
    shelf = read_entries(
        entry.format(key="lee2019", more="") + "\n" + entry.format(key="sea", more=", note={Read}")
    ).entries

    made = exported("It rose [@lee2019].\nIt fell [@sea].\nAs @sea shows.\nSo [@lee2019].", shelf)

    assert [(each.code, each.key, each.line) for each in made.findings] == [
        ("TWO_KEYS", "sea", 2),
        ("TWO_KEYS", "sea", 3),
    ]
    assert made.findings[0].message.endswith("cite it as 'lee2019'")


def test_what_cannot_be_read_stays_as_it_is_and_is_said() -> None:
    text = "A [[@a{x, title={open]] and [[@a{y, t={1}, t={2}}]] and [@z]."
    made = exported(text)

    assert made.text == text
    assert {each.code for each in made.findings} == {"UNBALANCED_CITATION", "DUPLICATE_FIELD", "UNKNOWN_KEY"}


def test_a_citation_beside_one_that_cannot_be_read_is_exported() -> None:
    made = exported("So. [[@a{y, t={1}, t={2}}]] [[@a{z, t={1}}]]")

    assert made.text == "So. [[@a{y, t={1}, t={2}}]] [@z]"


def test_the_work_that_an_entry_is_part_of_stands_behind_it_or_is_named() -> None:
    part, lost = "[[@incollection{part, crossref={all}}]]", "[[@incollection{lost, crossref={gone}}]]"

    made = exported(f"So. {part} {lost}", read_entries("@book{all, title={All}}").entries)

    assert [each.key for each in read_entries(made.bibliography).entries] == ["lost", "part", "all"]
    assert [each.code for each in made.findings] == ["NO_PARENT"]


def test_a_marker_takes_its_entry_from_the_bibliography_of_the_novel() -> None:
    shelf = read_entries("@book{z, title={Z}}\n@book{unused, title={U}}").entries

    made = exported("So [@z, p. 3].", shelf)

    assert made.text == "So [@z, p. 3]."
    assert made.findings == ()
    assert [each.key for each in read_entries(made.bibliography).entries] == ["z"]


@for_each(
    "text, keys",
    [
        ("As @lee2019sea showed.", ["lee2019sea"]),
        (
            "Said -@orr2020, @{10.1/x}; see [see @doe:99, p. 3] (@a_b.c).",
            ["10.1/x", "a_b.c", "doe:99", "orr2020"],
        ),
        ("@lee [p. 3] begins, and ends with @lee.", ["lee"]),
        ("To ann@host.org, `@code`, $@maths$, \\@escaped, https://a.example/@user <!-- @no -->", []),
    ],
)
def test_every_key_that_pandoc_would_cite_is_in_the_bibliography_or_named(text: str, keys: list[str]) -> None:
    shelf = [Entry("book", key, (("title", "T"),)) for key in keys]

    assert [each.key for each in read_entries(exported(text, shelf).bibliography).entries] == keys
    assert sorted({each.key for each in exported(text).findings}) == keys
    assert exported(text, shelf).text == text


@given(st.text(alphabet='[]{}@a,= \n`x"', max_size=120))
def test_a_text_without_citations_is_exported_as_it_is(text: str) -> None:
    made = exported(text)

    assert made.text == text or "[@" in made.text


def test_ris_is_read_with_all_its_fields() -> None:
    (added,) = imported(RIS, "ris", "", TODAY).added

    assert added.key == "lee2020tides"
    assert added.field("author") == "Lee, Ann and Marsh, J. R."
    assert (added.field("title"), added.field("pages")) == ("The tides and the shore", "11--19")
    assert added.field("doi") == "10.1000/tide.7"


def test_csl_json_is_read_with_its_own_ids_as_keys() -> None:
    (added,) = imported(CSL, "csl-json", "", TODAY).added

    assert (added.key, added.field("author"), added.field("volume")) == ("lee", "van Lee, Ann", "4")


@for_each(
    "content, form, found",
    [
        ("@book{a, title={x}}\n@book{a, title={y}}", "bibtex", [("DUPLICATE_KEY", 2)]),
        ("@book{a, title={x}}\n\n@book{b, title={y}\n@book{c, title={z}}", "bibtex", [("BROKEN_ENTRY", 3)]),
        ("just words", "bibtex", [("NO_REFERENCES", 1)]),
        ("", "ris", [("NO_REFERENCES", 1)]),
        ("[]", "csl-json", [("NO_REFERENCES", 1)]),
        ("TY  - BOOK\nTI  - Cut off\n", "ris", [("UNCLOSED_RECORD", 1)]),
        ("TY  - BOOK\nAU  - Lee\nER  -\n", "ris", [("NO_TITLE", 1)]),
        ("hello\nTI  - x\n", "ris", [("NOT_RIS", 1), ("NOT_RIS", 2)]),
        ("[{]", "csl-json", [("NOT_JSON", 1)]),
        ("{}", "csl-json", [("NOT_CSL", 1)]),
        ("@book{b, title={a\0b}}", "bibtex", [("BAD_SIGN", 1)]),
        ("@book{b\0, title={x}}", "bibtex", [("BAD_SIGN", 1)]),
        ("TY  - BOOK\nTI  - x\nUR  - http://a\0b\nER  -\n", "ris", []),
        ('[{"id": "a", "title": "half \\ud800"}]', "csl-json", [("BROKEN_ITEM", 0)]),
        ('[{"id": "\\ud800", "title": "T"}]', "csl-json", [("BROKEN_ITEM", 0)]),
        ('[{"id": "a", "title": "T", "URL": "\\u0000"}]', "csl-json", []),
        (f'[{{"title": "T", "volume": {HUGE}}}]', "csl-json", [(LEFT, 0)]),
        (f'[{{"title": "T", "issued": {{"date-parts": [[{HUGE}]]}}}}]', "csl-json", [(LEFT, 0)]),
        ('[{"id": "a", "title": "T"}, {"id": "a", "title": "U"}, 7]', "csl-json",
         [("DUPLICATE_KEY", 0), ("BROKEN_ITEM", 0)]),
    ],
)  # fmt: skip
def test_what_cannot_be_imported_is_named(
    content: str, form: ReferenceFormat, found: list[tuple[str, int]]
) -> None:
    assert codes(content, form) == found


@for_each(
    "field, code",
    [
        ('"issued": {"date-parts": [[-5]]}', "UNREADABLE_YEAR"),
        ('"issued": {"raw": "in spring"}', "UNREADABLE_YEAR"),
        ('"issued": {"literal": "long ago"}', "UNREADABLE_YEAR"),
        ('"DOI": 17', "UNREADABLE_DOI"),
        ('"DOI": "see page"', "UNREADABLE_DOI"),
    ],
)
def test_a_part_that_a_reference_cannot_have_is_left_out_and_said(field: str, code: str) -> None:
    made = imported(f'[{{"id": "a", "title": "T", {field}}}]', "csl-json", "", TODAY)

    assert [(each.code, each.key) for each in made.findings] == [(code, "a")]
    assert made.added == (Entry("misc", "a", (("title", "T"),)),)


@for_each(
    "issued, year",
    [
        ('{"literal": "2004"}', "2004"),
        ('{"raw": "May 3, 2006"}', "2006"),
        ('"2005-04"', "2005"),
        ("2005", "2005"),
        ('[{"date-parts": [2003]}]', "2003"),
        ("[[2002, 5]]", "2002"),
        ('{"date-parts": [["2001", "5"]]}', "2001"),
        ('{"date-parts": [[null]]}', ""),
        ('{"date-parts": [[]]}', ""),
        ("null", ""),
    ],
)
def test_a_year_is_read_in_every_form_that_programs_write(issued: str, year: str) -> None:
    made = imported(f'[{{"id": "a", "title": "T", "issued": {issued}}}]', "csl-json", "", TODAY)

    assert (made.added[0].field("year"), made.findings) == (year, ())


def test_fields_without_a_value_or_in_a_list_leave_the_item() -> None:
    item = '{"id": "a", "title": ["T"], "container-title": ["Shores"], "volume": null, "author": ['
    names = (
        '{"family": "King", "given": "M.", "suffix": "Jr."}',
        '{"family": "Beethoven", "given": "L.", "dropping-particle": "van"}',
        '{"name": "The Group"}',
    )

    made = imported(f"[{item}{','.join(names)}]}}]", "csl-json", "", TODAY)

    assert made.findings == ()
    assert made.added[0].field("title") == "T"
    assert made.added[0].field("author") == "King, Jr., M. and van Beethoven, L. and {The Group}"


@for_each(
    "field",
    ['"author": 7', '"author": [7]', '"volume": {}', '"editor": [[]]', '"publisher": ["a", 3], "page": []'],
)
def test_a_field_that_cannot_be_read_leaves_the_item_and_the_others(field: str) -> None:
    made = imported(
        f'[{{"id": "a", "title": "T", {field}}}, {{"id": "b", "title": "U"}}]', "csl-json", "", TODAY
    )

    assert [each.key for each in made.added] == ["a", "b"]
    assert {(each.code, each.key) for each in made.findings} <= {("UNREADABLE_FIELD", "a")}


@for_each("whole", ["[{}]", "{}", '{{"items": [{}]}}'.replace("{{", "{").replace("}}", "}")])
def test_csl_json_says_editors_edition_place_numbers_and_the_day_it_was_looked_at(whole: str) -> None:
    item = (
        '{"id": "a", "type": "book", "title": "T",'
        '"editor": [{"family": "Orr", "given": "A."}, "The Weir Group"],'
        '"edition": "2", "publisher": "P", "publisher-place": "Ghent", "collection-title": "Shores",'
        '"ISBN": ["978-1"], "URL": "https://example.org/x", "accessed": {"date-parts": [["2020", 1, 5]]}}'
    )

    (added,) = imported(whole.replace("{}", item), "csl-json", "", TODAY).added

    assert dict(added.fields) == {
        **{"editor": "Orr, A. and {The Weir Group}", "title": "T", "series": "Shores", "edition": "2"},
        **{"publisher": "P", "address": "Ghent", "isbn": "978-1", "url": "https://example.org/x"},
        **{"urldate": "2020-01-05"},
    }


@for_each(
    "kind, tags, said",
    [
        ("BOOK", "ED  - Orr, A.\nA2  - Lee, B.", {"editor": "Orr, A. and Lee, B."}),
        ("EDBOOK", "AU  - Orr, A.", {"editor": "Orr, A."}),
        ("CHAP", "AU  - Orr, A., Jr.\nA2  - Lee, B.", {"author": "Orr, Jr., A.", "editor": "Lee, B."}),
        ("JOUR", "A2  - Lee, B.\nSN  - 1234-5678", {"issn": "1234-5678"}),
        (
            "BOOK",
            "SN  - 978-1\nET  - 2nd\nCY  - Ghent",
            {"isbn": "978-1", "edition": "2nd", "address": "Ghent"},
        ),
        ("ELEC", "UR  - http://x.org\nY2  - 2020/01/05/", {"url": "http://x.org", "urldate": "2020-01-05"}),
        (
            "JOUR",
            "UR  - https://doi.org/10.1000/ABC",
            {"doi": "10.1000/abc", "url": "https://doi.org/10.1000/abc"},
        ),
        ("JOUR", "M3  - 10.1000/abc", {"doi": "10.1000/abc", "url": "https://doi.org/10.1000/abc"}),
        ("UNPB", "M1  - arXiv:1706.03762v5", {"eprint": "1706.03762", "archiveprefix": "arXiv"}),
    ],
)
def test_ris_says_editors_edition_place_and_numbers(kind: str, tags: str, said: dict[str, str]) -> None:
    (added,) = imported(f"TY  - {kind}\nTI  - T\n{tags}\nER  -\n", "ris", "", TODAY).added

    assert dict(added.fields) == {"title": "T"} | said


def test_a_doi_of_ris_has_no_resolver() -> None:
    ris = "TY  - JOUR\nTI  - T\nDO  - https://doi.org/10.1000/ABC\nER  -\n"

    made = imported(ris, "ris", "", TODAY)

    assert made.added[0].field("url") == "https://doi.org/10.1000/abc"


def test_a_doi_with_its_resolver_is_one_address() -> None:
    csl = '[{"id": "a", "title": "T", "DOI": "https://doi.org/10.1000/TIDE.7", "issued": {}}]'

    made = imported(csl, "csl-json", "", TODAY)

    assert made.added[0].field("url") == "https://doi.org/10.1000/tide.7"
    assert made.findings == ()


def test_a_key_that_stands_twice_is_named_also_where_the_first_entry_is_broken() -> None:
    made = imported("@book{a, title={x}, title={z}}\n@book{a, title={y}}", "bibtex", "", TODAY)

    assert [(each.code, each.line, each.key) for each in made.findings] == [("DUPLICATE_FIELD", 1, "a")]
    assert "'a'" in made.findings[0].message
    assert "left out" in made.findings[0].message


def test_what_is_no_text_leaves_the_others_and_the_file_as_they_should_be() -> None:
    for content, form in (
        ("@book{b, title={a\0b}}\n@book{c, title={z}}", "bibtex"),
        (f'[{HALF}, {{"id": "d", "title": "d", "URL": "\\u0000"}}, {{"id": "c", "title": "z"}}]', "csl-json"),
    ):
        made = imported(content, form, "", TODAY)  # type: ignore[arg-type]
        assert [each.key for each in made.added if each.key != "d"] == ["c"]
        assert made.bibliography.encode().count(b"\0") == 0
        assert str(made.findings).encode()


@pytest.mark.timeout(60)
def test_five_thousand_references_come_in_within_seconds() -> None:
    many = "\n".join(
        f"@article{{k{at}, title={{Title {at} of words}}, author={{Auth{at}, B.}}, year={{2000}}}}"
        for at in range(5_000)
    )
    began = time.perf_counter()
    made = imported(many, "bibtex", "", TODAY)
    again = imported(many, "bibtex", made.bibliography, TODAY)

    assert (len(made.added), len(again.added), len(again.findings)) == (5_000, 0, 5_000)
    assert time.perf_counter() - began < 30


def test_a_broken_entry_does_not_hide_the_next_one() -> None:
    made = imported("@book{b, title={y}\n@book{c, title={z}}", "bibtex", "", TODAY)

    assert [each.key for each in made.added] == ["c"]


def test_what_is_there_stays_unchanged_and_is_not_added_twice() -> None:
    present = "% mine\n@article{mine, title={X}, doi={10.1000/TIDE.7}}"

    made = imported(RIS, "ris", present, TODAY)

    assert (made.bibliography, made.added) == (present, ())
    assert [each.code for each in made.findings] == ["ALREADY_THERE"]


def test_another_work_under_a_used_key_gets_a_key_of_its_own() -> None:
    made = imported(
        "@book{a, title={New}, author={Lee, A}, year=2001}", "bibtex", "@book{a, title={Old}}", TODAY
    )

    assert [each.key for each in read_entries(made.bibliography).entries] == ["a", "lee2001new"]
    assert [each.code for each in made.findings] == ["CONFLICTING_KEY"]


def test_what_an_import_leaves_out_is_said_and_the_same_again_adds_nothing() -> None:
    content = "@preamble{ x }\n@misc{bare, note={}}\n@incollection{part, title={P}, crossref={whole}}\n"

    made = imported(content, "bibtex", "@misc{bare, note={Mine}}", TODAY)
    again = imported(content, "bibtex", made.bibliography, TODAY)

    assert {each.code for each in made.findings} == {"CONFLICTING_KEY", "PREAMBLE", "NO_PARENT"}
    assert (len(made.added), again.added) == (2, ())


@for_each(
    "title, latex",
    [
        (
            "On <i>Mus</i> in H<sub>2</sub>O, x<sup>2</sup>",
            r"On \emph{Mus} in H\textsubscript{2}O, x\textsuperscript{2}",
        ),
        ("<em>a <b>b</b></em> c", r"\emph{a \textbf{b}} c"),
        ("<span class='nocase'>NASA</span>", "{NASA}"),
        ("<span style='font-variant: small-caps'>Sc</span>", r"\textsc{Sc}"),
        ("Odd </i> and <i> left", "Odd and left"),
        ("A < b &amp; c > d", r"A < b \& c > d"),
    ],
)
def test_markup_of_a_title_becomes_latex_and_makes_no_other_work_of_it(title: str, latex: str) -> None:
    item = '[{"title": "%s", "author": [{"literal": "<b>A</b>"}], "type": "book", "publisher": "<i>P</i>"}]'
    others: tuple[tuple[ReferenceFormat, str], ...] = (
        ("ris", f"TY  - BOOK\nTI  - {title}\nAU  - A\nER  - \n"),
        ("bibtex", f"@book{{x, title={{{title}}}, author={{A}}}}"),
    )

    made = imported(item % title, "csl-json", "", TODAY)

    assert [made.added[0].field(name) for name in ("title", "author", "publisher")] == [latex, "A", "P"]
    for form, content in others:
        assert imported(content, form, "", TODAY).added[0].field("title") == latex
        assert codes(content, form, made.bibliography)[0][0] == "ALREADY_THERE"


def test_strings_of_a_bibliography_stand_for_what_they_say() -> None:
    content = (
        '@string{pub = "Pen # Guin"}\n@string(two = pub # " Ltd")\n@book{a, title = {T}, publisher = Pub, '
    )
    content += 'series = PUB # ", " # two, note = two}'

    (entry,) = imported(content, "bibtex", "", TODAY).added

    assert entry.field("publisher") == "Pen # Guin"
    assert (entry.field("series"), entry.field("note")) == ("Pen # Guin, Pen # Guin Ltd", "Pen # Guin Ltd")
