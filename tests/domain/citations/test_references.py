"""Keys, entries and what a document cites already: stable, unique, and made of records alone."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations.building import entry_of
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, bibliography, read_entries, read_entry, written
from penwright.domain.citations.identifiers import doi
from penwright.domain.citations.keys import is_key, key_for
from penwright.domain.citations.references import References, canonical, cited, references_in
from penwright.domain.citations.works import folded, same_work
from penwright.domain.text.inline_citations import find_citations
from schemas.citations import CitationFinding
from schemas.scholarly import Author, Reference, ScholarlyRecord
from tests.support.each import for_each

TODAY = date(2026, 5, 4)
LEE = ScholarlyRecord(
    source="crossref",
    doi="10.1000/tide.7",
    title="The tides & the shore",
    authors=(Author(family="Lee", given="Ann"), Author(family="Harbour Institute")),
    year=2020,
    container="Coast & Sea",
    volume="4",
    issue="2",
    pages="11-19",
    kind="article",
)
ANY = st.text(max_size=60)
AUTHORS = st.lists(st.builds(Author, family=ANY, given=ANY), max_size=3).map(tuple)
RECORDS = st.builds(
    ScholarlyRecord,
    source=st.just("crossref"),
    title=ANY,
    authors=AUTHORS,
    year=st.none() | st.integers(1500, 2099),
    container=ANY,
    pages=ANY,
    publisher=ANY,
    url=ANY,
    kind=st.sampled_from(["article", "book", "chapter", "thesis", "other"]),
    doi=st.sampled_from(["", "10.1000/a_b&c", "10.1000/x{y}z"]),
)


def entry(text: str) -> Entry:
    read = read_entry(text)
    assert isinstance(read, Entry)
    return read


@pytest.mark.parametrize(
    ("work", "key"),
    [
        (LEE, "lee2020tides"),
        (Reference(title="Über das Meer", authors=(Author(family="Müller-Groß"),)), "mullergrossndmeer"),
        (Reference(title="A study", authors=(Author(family="3M Company"),)), "mcompanyndstudy"),
        (Reference(title="海について", authors=(Author(family="王"),), year=2001), "anon2001"),
    ],
)
def test_a_key_is_surname_year_and_first_significant_word(work: Reference, key: str) -> None:
    assert key_for(work, ()) == key


def test_a_taken_key_gets_a_letter_behind_the_year() -> None:
    assert key_for(LEE, {"lee2020tides"}) == "lee2020atides"
    assert key_for(LEE, {"lee2020tides", "lee2020atides"}) == "lee2020btides"


@given(RECORDS, st.sets(st.sampled_from(["lee2020tides", "anonnd", "anonnda", "anonndb"])))
def test_keys_are_ascii_new_and_never_begin_with_a_digit(record: ScholarlyRecord, taken: set[str]) -> None:
    key = key_for(record, taken)

    assert is_key(key)
    assert key not in taken
    assert key.isascii()


def test_an_entry_is_made_of_the_record_in_a_fixed_order() -> None:
    assert written(entry_of(LEE, "k", TODAY)) == (
        r"@article{k, author = {Lee, Ann and {Harbour Institute}}, title = {The tides \& the shore}, "
        r"journal = {Coast \& Sea}, year = {2020}, volume = {4}, number = {2}, pages = {11--19}, "
        "doi = {10.1000/tide.7}, url = {https://doi.org/10.1000/tide.7}}"
    )


def test_an_address_without_doi_says_when_it_was_read_and_is_not_escaped() -> None:
    record = ScholarlyRecord(source="openalex", title="T", url="https://a.example/x_y?a=1&b=2#c")

    assert "url = {https://a.example/x_y?a=1&b=2#c}, urldate = {2026-05-04}" in written(
        entry_of(record, "k", TODAY)
    )


@given(RECORDS)
def test_an_entry_is_read_back_as_it_was_written(record: ScholarlyRecord) -> None:
    made = entry_of(record, "key", TODAY)

    assert written(entry(written(made))) == written(made)
    assert read_entries(bibliography([made])).entries == (made,)


@given(RECORDS)
def test_an_entry_in_a_sentence_is_one_citation_on_one_line(record: ScholarlyRecord) -> None:
    text = written(entry_of(record, "key", TODAY))

    (found,) = find_citations(f"It is so [[{text}]]. End [[@a{{z, t={{y}}}}]]").citations[:1]

    assert found.entry == text
    assert len(text.splitlines()) == 1


def test_a_work_cited_again_has_the_same_entry_byte_for_byte() -> None:
    text = (
        "So. [[@article{old,  title={The tides \\& the shore}, author={Lee, A. and {Harbour Institute}}, "
        "journal={Coast \\& Sea}, year=2020, note={mine}, doi = {https://doi.org/10.1000/TIDE.7}}]]"
    )

    references, found = cited(references_in(text), LEE, TODAY)

    assert (found.key, f"[[{found.text}]]") == ("old", text[4:])
    assert references == references_in(text)
    assert references.unlike(LEE) == ()


def test_two_works_of_one_author_and_year_get_two_keys() -> None:
    references, first = cited(References(), LEE, TODAY)
    other = LEE.model_copy(update={"doi": "10.1000/tide.8", "title": "Tides again"})

    _, second = cited(references, other, TODAY)

    assert (first.key, second.key) == ("lee2020tides", "lee2020atides")


@given(st.lists(RECORDS.filter(lambda record: doi(record.doi) or folded(record.title)), max_size=6))
def test_each_work_has_one_entry_and_each_entry_one_key(records: list[ScholarlyRecord]) -> None:
    references, entries = References(), []
    for record in records:
        references, found = cited(references, record, TODAY)
        entries.append(found)
    again = [cited(references, record, TODAY)[1] for record in records]

    assert again == entries
    assert len({each.key for each in references.known}) == len(references.known)


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"doi": "10.1000/TIDE.7", "title": "Else"}, True),
        ({"doi": "10.1000/other"}, False),
        ({"doi": "", "title": "The Tides & the Shore."}, True),
        ({"doi": "", "year": 2021}, False),
        ({"doi": "", "title": ""}, False),
    ],
)
def test_identifiers_decide_before_titles(changes: dict[str, object], same: bool) -> None:
    assert same_work(LEE, LEE.model_copy(update=changes)) is same


def test_a_pmid_decides_where_one_of_both_has_no_doi() -> None:
    one, other = Reference(doi="10.1000/a1", pmid="12"), Reference(pmid="0012", title="x")

    assert same_work(one, other)


def test_an_entry_claims_what_it_says_without_latex() -> None:
    text = r"@article{k, author={K{\"o}nig, J. and {The Sea \& Co}}, title={On {DNA}}, date={2019-02}}"

    assert reference_of(entry(text)) == Reference(
        title="On DNA",
        authors=(Author(family="König", given="J."), Author(family="The Sea & Co")),
        year=2019,
    )


@for_each(
    "text, code",
    [
        ("@article{k, title={open", "BROKEN_ENTRY"),
        ("@article{k title={x}}", "BROKEN_ENTRY"),
        ("@article{k, title={a}, Title={b}}", "DUPLICATE_FIELD"),
        ("@article{, title={a}}", "NO_KEY"),
        ("@article{a b, title={a}}", "BAD_KEY"),
        ("@a{x, t={1}} @a{y, t={2}}", "BROKEN_ENTRY"),
        ("nothing", "BROKEN_ENTRY"),
    ],
)
def test_an_entry_that_cannot_be_read_is_named(text: str, code: str) -> None:
    read = read_entry(text)

    assert isinstance(read, CitationFinding)
    assert read.code == code


def test_the_house_form_keeps_every_field_and_a_good_key() -> None:
    read = entry("@article{k, pages={1-9}, note={n}, title={T}, doi={doi:10.1000/Q.1}}")

    assert written(canonical(read, References())) == (
        "@article{k, title = {T}, pages = {1--9}, doi = {10.1000/q.1}, url = {https://doi.org/10.1000/q.1}, "
        "note = {n}}"
    )


@for_each(
    "value, read",
    [
        (r"{A \{ B \} C}", r"A \{ B \} C"),
        (r"{A \{ B}", r"A \{ B"),
        (r"{A \} B}", r"A \} B"),
        (r"{{\"o} \& \_}", r"{\"o} \& \_"),
        ('"P" # " and " # "Q"', "P and Q"),
        ('{P} # " {a}nd " # {{"}Q{"}}', 'P {a}nd {"}Q{"}'),
        ('1 # "~" # jan', "1~jan"),
        ('{"P" # "Q"}', '"P" # "Q"'),
        ('"C# and F#"', "C# and F#"),
    ],
)
def test_an_entry_is_one_thing_in_a_text_and_in_a_bibliography(value: str, read: str) -> None:
    """What finds a citation's end and what reads its entry count the same braces."""
    text = f"@article{{k, title = {value}}}"
    (found,) = find_citations(f"So. [[{text}]] End.").citations

    assert (found.entry, entry(text).field("title")) == (text, read)
    assert find_citations(f"So. [[{written(entry(text))}]]").citations[0].entry == written(entry(text))
    bib = bibliography([entry(text)])
    assert bib.count("{") == bib.count("}")
    assert [each.key for each in read_entries(bib).entries] == ["k"]
