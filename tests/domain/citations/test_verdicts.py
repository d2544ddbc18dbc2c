"""Exists, is that work, still stands: the verdict for every combination of answers."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations.verdicts import STANDING, judge
from schemas.scholarly import (
    Answer,
    Author,
    EditorialNotice,
    NoticeKind,
    Outage,
    Reference,
    ScholarlyRecord,
    SourceName,
    Verdict,
)
from tests.support.each import for_each

ALL: tuple[SourceName, ...] = ("crossref", "pubmed", "openalex", "datacite", "arxiv")
CLAIMED = Reference(
    doi="10.1000/tides",
    pmid="77",
    title="Tides of the northern harbours: a century of gauges",
    authors=(Author(family="van der Berg", given="A."), Author(family="Müller", given="B.")),
    year=2011,
    container="Journal of Coastal Oceanography",
    volume="12",
    pages="431-444",
)


def record(source: SourceName = "crossref", **changes: object) -> ScholarlyRecord:
    """The claimed work as a source has it."""
    return ScholarlyRecord.model_validate({**CLAIMED.model_dump(), "source": source, **changes})


def claim(**changes: object) -> Reference:
    return Reference.model_validate({**CLAIMED.model_dump(), **changes})


def answered(*records: ScholarlyRecord, out: tuple[SourceName, ...] = ()) -> Answer:
    outages = tuple(Outage(source=name, reason="slow") for name in out)
    return Answer(records=records, outages=outages, asked=ALL)


def test_a_work_that_a_registry_has_is_verified() -> None:
    verdict = judge(CLAIMED, answered(record(), record("pubmed"), record("openalex")))

    assert (verdict.status, verdict.fields) == ("verified", ())
    assert verdict.record is not None
    assert verdict.record.source == "crossref"
    assert verdict.confirmed_by == ("crossref", "pubmed", "openalex")


def test_a_source_of_ones_own_is_verified_unless_something_of_it_was_guessed() -> None:
    sure, guessed = record("library"), record("library", unsure=("authors", "year"))
    verdicts = [judge(CLAIMED, Answer(records=(each,), asked=("library",))) for each in (sure, guessed)]

    assert [each.status for each in verdicts] == ["verified", "unverifiable"]
    assert "a guess from its file is its authors and year" in verdicts[1].reason


@for_each(
    "changes, fields",
    [
        ({"title": "Salt marshes of the southern bays"}, ("title",)),
        ({"title": "Tides of the southern harbours: a century of gauges"}, ("title",)),
        ({"title": ""}, ("title",)),
        ({"authors": (Author(family="Okafor"), Author(family="Müller"))}, ("authors",)),
        ({"authors": (Author(family="Müller"), Author(family="van der Berg"))}, ("authors",)),
        ({"authors": (Author(family="Berg"), Author(family="Okafor"))}, ("authors",)),
        ({"authors": (*CLAIMED.authors, Author(family="Okafor"))}, ("authors",)),
        ({"authors": ()}, ("authors",)),
        ({"year": 2009}, ("year",)),
        ({"year": None}, ("year",)),
        ({"year": 2013, "authors": ()}, ("authors", "year")),
        ({"doi": "see publisher"}, ("doi",)),
        ({"title": f"{CLAIMED.title}: a tale about dogs"}, ("title",)),
        ({"authors": (Author(family="van der Berg", given="Zed"),)}, ("authors",)),
        ({"authors": (Author(family="Berg", given="A."), Author(family="Müller", given="Z."))}, ("authors",)),
        ({"authors": (Author(family="Berg", given="A."), Author(family="berg"))}, ("authors",)),
        ({"container": "Nature"}, ("container",)),
        ({"container": "Nature", "volume": "999", "pages": "1--2"}, ("container", "pages", "volume")),
        ({"volume": "999"}, ("volume",)),
        ({"pages": "1--2"}, ("pages",)),
    ],
)
def test_what_differs_is_named(changes: dict[str, object], fields: tuple[str, ...]) -> None:
    verdict = judge(claim(**changes), answered(record(), record("pubmed")))

    assert (verdict.status, verdict.fields) == ("mismatch", fields)


@for_each(
    "changes",
    [
        {"year": 2012},
        {"year": 2010},
        {"title": "TIDES OF THE NORTHERN HARBORS"},
        {"title": "<i>Tides</i> of the {Northern} Harbours&#58; a Century of Gauges"},
        {"authors": (Author(family="Berg"),)},
        {"authors": (Author(family="Van Der Berg"), Author(family="Mueller"))},
        {"authors": (Author(family="Berg"), Author(family="others"))},
        {"doi": "https://doi.org/10.1000/TIDES", "pmid": "PMID 77"},
        {"container": "J. Coast. Oceanogr.", "volume": "12(3)", "pages": "431--44"},
        {"container": "", "volume": "", "pages": ""},
    ],
)
def test_what_only_looks_different_does_not_count(changes: dict[str, object]) -> None:
    assert judge(claim(**changes), answered(record(), record("pubmed"))).status == "verified"


@pytest.mark.parametrize(
    ("likeness", "claimed"), [("near", "Tides of a northern harbour: the century of gauge"), ("far", "Bees")]
)
def test_a_similar_title_without_identifiers_goes_to_a_person(likeness: str, claimed: str) -> None:
    verdict = judge(claim(doi="", pmid="", title=claimed), answered(record()))

    assert verdict.status == ("mismatch" if likeness == "near" else "not_found")
    assert (verdict.record is not None) == (likeness == "near")


@pytest.mark.parametrize(
    ("recorded", "status"),
    [
        ((*CLAIMED.authors, Author(family="others")), "verified"),
        ((CLAIMED.authors[0], Author(family="Okafor"), Author(family="others")), "mismatch"),
        ((*CLAIMED.authors, *(Author(family=f"Auth{sign}") for sign in "abcdefgh")), "verified"),
        ((*CLAIMED.authors, *(Author(family=f"Auth{sign}") for sign in "abcdefg")), "mismatch"),
    ],
)
def test_a_record_that_breaks_off_is_asked_for_the_authors_that_it_names(
    recorded: tuple[Author, ...], status: str
) -> None:
    more = (Author(family=f"Auth{sign}") for sign in "abcdefghi" if len(recorded) > 3)
    claimed = claim(authors=(*CLAIMED.authors, *more, Author(family="Lindqvist")))

    assert judge(claimed, answered(record(authors=recorded))).status == status


def test_a_doi_and_a_pmid_must_name_one_work() -> None:
    other = record("pubmed", doi="10.1000/gulls", title="Gulls of the southern bays")
    same_title = record("pubmed", doi="10.1000/elsewhere")

    for of_pmid in (other, same_title):
        verdict = judge(CLAIMED, answered(record(pmid=""), of_pmid))
        assert (verdict.status, verdict.fields) == ("mismatch", ("pmid",))
        assert "PMID 77" in verdict.reason
        assert "DOI 10.1000/tides" in verdict.reason


def test_a_subtitle_that_no_record_has_is_left_out_of_the_comparison_and_to_a_person() -> None:
    plain = record(title="Tides of the northern harbours")
    claimed = claim(title="Tides of the northern harbours: a tale about dogs")

    alone, both = (
        judge(claimed, answered(plain)),
        judge(claimed, answered(plain, record("openalex", title=claimed.title))),
    )
    other = judge(claim(title="Tides of the southern harbours: a tale"), answered(plain))

    assert (alone.status, alone.fields, alone.similarity) == ("unverifiable", (), 1.0)
    assert "“a tale about dogs”" in alone.reason
    assert (both.status, other.status) == ("verified", "mismatch")


def test_a_pmid_that_nobody_knows_is_a_mismatch_only_if_everybody_answered() -> None:
    known = record(pmid="")

    assert judge(CLAIMED, answered(known)).fields == ("pmid",)
    assert judge(CLAIMED, answered(known, out=("pubmed",))).status == "unverifiable"


def test_a_real_work_under_a_false_identifier_is_a_mismatch() -> None:
    verdict = judge(claim(doi="10.1000/nothing", pmid=""), answered(record()))

    assert (verdict.status, verdict.fields) == ("mismatch", ("doi",))
    assert verdict.record == record()


def test_registries_that_disagree_about_an_identifier_leave_it_to_a_person() -> None:
    liar = record("openalex", title="Gulls of the southern bays")

    verdict = judge(claim(pmid=""), answered(record(), liar))

    assert (verdict.status, verdict.fields) == ("mismatch", ("title",))


@for_each("kind", ["retraction", "withdrawal"])
@for_each("source", sorted(STANDING))
def test_one_retraction_is_enough_whoever_is_out(kind: NoticeKind, source: SourceName) -> None:
    told = record(source, notices=(EditorialNotice(kind=kind, source=source),))

    verdict = judge(CLAIMED, answered(record(), record("pubmed"), told, out=("datacite",)))

    assert verdict.status == "retracted"
    assert verdict.notices[0].kind == kind


def test_a_retraction_counts_under_another_title_of_the_same_identifier() -> None:
    told = record(
        "pubmed", title="Tides of harbours", notices=(EditorialNotice(kind="retraction", source="pubmed"),)
    )

    disputed = judge(claim(pmid=""), answered(record(), told))

    assert (disputed.status, [each.kind for each in disputed.notices]) == ("mismatch", ["retraction"])
    assert judge(claim(doi="", pmid=""), answered(record(), told)).status == "retracted"


def test_a_title_that_says_retracted_is_believed() -> None:
    told = record(title=f"RETRACTED: {CLAIMED.title}")

    assert judge(claim(pmid=""), answered(told)).status == "retracted"


def test_concern_and_correction() -> None:
    concern = record(notices=(EditorialNotice(kind="concern", source="crossref"),))
    correction = record(notices=(EditorialNotice(kind="correction", source="crossref"),))

    assert judge(claim(pmid=""), answered(concern)).status == "unverifiable"
    verdict = judge(claim(pmid=""), answered(correction))
    assert (verdict.status, len(verdict.notices)) == ("verified", 1)


@pytest.mark.parametrize("out", sorted(STANDING))
def test_a_work_is_not_verified_while_one_that_knows_of_retractions_is_out(out: SourceName) -> None:
    verdict = judge(claim(pmid=""), answered(record("datacite"), out=(out,)))

    assert verdict.status == "unverifiable"
    assert out in verdict.reason


@pytest.mark.parametrize("out", ["datacite", "arxiv"])
def test_an_outage_of_the_others_does_not_matter_to_a_work_that_was_found(out: SourceName) -> None:
    assert judge(claim(pmid=""), answered(record(), out=(out,))).status == "verified"


def test_nothing_found_is_not_found_only_if_everybody_answered() -> None:
    assert judge(CLAIMED, answered()).status == "not_found"
    assert judge(CLAIMED, answered(out=("arxiv",))).status == "unverifiable"
    assert judge(CLAIMED, Answer()).status == "unverifiable"


def test_the_workspaces_own_bibliography_proves_nothing() -> None:
    own = record("bibliography")

    assert judge(CLAIMED, answered(own)).status == "not_found"
    assert judge(claim(doi="", pmid=""), answered(own)).status == "unverifiable"


def test_a_preprint_may_be_years_older_than_the_article() -> None:
    preprint = record("arxiv", arxiv="0801.0001", doi="10.1000/tides", pmid="", year=2008)

    assert judge(claim(arxiv="0801.0001", pmid=""), answered(record(pmid=""), preprint)).status == "verified"


def test_of_two_records_that_fit_the_same_one_is_taken_in_any_order() -> None:
    first, second = record(doi="10.1000/tides.a", pmid=""), record(doi="10.1000/tides.b", pmid="")
    claimed = claim(doi="", pmid="")

    taken = {judge(claimed, answered(*order)).record for order in ((first, second), (second, first))}

    assert taken == {first}


@pytest.mark.parametrize("name", ["container", "volume", "pages"])
def test_a_registry_that_says_nothing_of_the_place_does_not_confirm_it(name: str) -> None:
    silent = record("openalex", container="", volume="", pages="")

    for order in ((record(), silent), (silent, record())):
        verdict = judge(claim(**{name: "999 Dogs"}, pmid=""), answered(*order))
        assert (verdict.status, verdict.fields) == ("mismatch", (name,))


def test_one_registry_that_confirms_the_place_is_enough() -> None:
    other = record("openalex", container="SSRN", volume="7", pages="1")

    assert judge(claim(pmid=""), answered(other, record())).status == "verified"


def test_a_retraction_is_said_whatever_the_place_is() -> None:
    told = record(notices=(EditorialNotice(kind="retraction", source="crossref"),))

    assert judge(claim(pmid="", volume="999"), answered(told)).status == "retracted"


def test_any_container_and_any_year_of_a_record_may_be_claimed() -> None:
    series, late = (
        record(container="Lecture Notes", containers=("Journal of Coastal Oceanography",)),
        record(year=2008, years=(2009, 2011)),
    )

    assert judge(CLAIMED, answered(series)).status == "verified"
    assert judge(CLAIMED, answered(late)).status == "verified"
    assert judge(claim(container="Rivers"), answered(series)).fields == ("container",)
    assert judge(claim(year=2014), answered(late)).fields == ("year",)


def test_a_work_that_has_editors_alone_is_cited_by_them() -> None:
    edited = record(authors=(), editors=[each.model_dump() for each in CLAIMED.authors])

    assert judge(CLAIMED, answered(edited)).status == "verified"


def test_a_doi_that_a_registry_has_without_a_title_is_found() -> None:
    verdict = judge(claim(pmid=""), answered(record(title="", pmid="", authors=())))

    assert verdict.status == "unverifiable"
    assert verdict.reason == (
        "found, no title: crossref has DOI 10.1000/tides without one; compare it yourself"
    )
    assert judge(CLAIMED, answered(record(title=""), record("pubmed"))).status == "verified"


def test_a_preprint_may_be_cited_as_one() -> None:
    printed = record(arxiv="0801.0001", pmid="")
    claimed = claim(
        pmid="", arxiv="0801.0001", container="arXiv preprint arXiv:0801.0001", volume="", pages=""
    )

    assert judge(claimed, answered(printed)).status == "verified"
    assert judge(claimed.model_copy(update={"arxiv": ""}), answered(record(pmid=""))).fields == ("container",)


SOURCES = st.sampled_from(["crossref", "pubmed", "openalex", "datacite", "arxiv", "bibliography"])
RECORDS = st.builds(
    record,
    SOURCES,
    doi=st.sampled_from(["", "10.1000/tides", "10.1000/gulls"]),
    pmid=st.sampled_from(["", "77", "78"]),
    title=st.sampled_from([CLAIMED.title, "Gulls of the southern bays", "Tides of the northern harbours"]),
    authors=st.sampled_from([(), CLAIMED.authors, (Author(family="Okafor"),)]),
    year=st.sampled_from([None, 2009, 2010, 2011]),
    notices=st.sampled_from([(), (EditorialNotice(kind="retraction", source="crossref"),)]),
)
ANSWERS = st.tuples(st.lists(RECORDS, max_size=6), st.lists(st.sampled_from(ALL), max_size=3, unique=True))
CLAIMS = st.builds(
    claim,
    doi=st.sampled_from(["", "10.1000/tides"]),
    pmid=st.sampled_from(["", "77"]),
    title=st.sampled_from([CLAIMED.title, "Gulls of the southern bays"]),
)


@given(CLAIMS, ANSWERS, st.randoms(use_true_random=False))
def test_the_verdict_does_not_depend_on_the_order_of_the_records(
    claimed: Reference, given_: tuple[list[ScholarlyRecord], list[SourceName]], chance: random.Random
) -> None:
    records, out = given_
    shuffled = chance.sample(records, len(records))

    assert judge(claimed, answered(*records, out=tuple(out))) == judge(
        claimed, answered(*shuffled, out=tuple(out))
    )


@given(CLAIMS, ANSWERS)
def test_no_verdict_claims_more_than_was_answered(
    claimed: Reference, given_: tuple[list[ScholarlyRecord], list[SourceName]]
) -> None:
    records, out = given_
    verdict = judge(claimed, answered(*records, out=tuple(out)))

    if verdict.status == "verified":
        assert_verified_is_safe(verdict, out)
    if verdict.status == "not_found":
        assert out == []
    if verdict.status == "mismatch":
        assert verdict.fields != ()
    assert verdict.reason != ""


def assert_verified_is_safe(verdict: Verdict, out: list[SourceName]) -> None:
    assert verdict.record is not None
    assert verdict.record.source != "bibliography"
    assert not STANDING & set(out)
    assert {each.kind for each in verdict.notices} <= {"correction"}


WORD = st.from_regex(r"[b-df-hj-np-tv-z]{5,9}", fullmatch=True)
"""Words that are in no field of the claimed work, and no Roman figure."""
NUMBER = st.integers(1, 99_999)
ALTERED = st.one_of(
    WORD.map(lambda word: {"title": f"{CLAIMED.title}: {word}"}),
    WORD.map(lambda word: {"title": f"{CLAIMED.title} {word}"}),
    WORD.map(lambda word: {"container": word}),
    WORD.map(lambda word: {"container": f"{CLAIMED.container} {word}"}),
    NUMBER.filter(lambda number: number != 12).map(lambda number: {"volume": str(number)}),
    NUMBER.filter(lambda number: number != 431).map(lambda number: {"pages": f"{number}"}),
    NUMBER.filter(lambda number: number not in (4, 44, 444)).map(lambda number: {"pages": f"431-{number}"}),
    NUMBER.filter(lambda number: abs(number - 2011) > 1).map(lambda number: {"year": number}),
    WORD.map(lambda word: {"authors": (Author(family=word, given="A."), CLAIMED.authors[1])}),
    WORD.map(lambda word: {"authors": (*CLAIMED.authors, Author(family=word))}),
    st.sampled_from("BCDEFGHIJKLMNOPQRSTUVWXYZ").map(
        lambda sign: {"authors": (Author(family="van der Berg", given=f"{sign}."),)}
    ),
    st.sampled_from("ACDEFGHIJKLMNOPQRSTUVWXYZ").map(
        lambda sign: {"authors": (CLAIMED.authors[0], Author(family="Mueller", given=f"{sign}."))}
    ),
    st.sampled_from(CLAIMED.authors).map(lambda author: {"authors": (*CLAIMED.authors, author)}),
    WORD.map(lambda word: {"doi": f"10.1000/{word}"}),
    NUMBER.filter(lambda number: number != 77).map(lambda number: {"pmid": str(number)}),
)


@given(ALTERED, st.lists(st.sampled_from(ALL), min_size=1, max_size=5, unique=True), st.booleans())
def test_one_altered_field_is_never_verified(
    altered: dict[str, object], sources: list[SourceName], named: bool
) -> None:
    found = {} if named or altered.keys() & {"doi", "pmid"} else {"doi": "", "pmid": ""}
    answer = answered(*(record(source) for source in sources))

    assert judge(claim(**found), answer).status == "verified"
    assert judge(claim(**{**found, **altered}), answer).status in ("mismatch", "not_found")
