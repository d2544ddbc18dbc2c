"""Identifiers in all their spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations import identifiers
from penwright.domain.citations.building import doi_address
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, read_entry
from schemas.scholarly import Reference
from tests.support.each import for_each


@for_each(
    "text, doi",
    [
        ("10.1038/171737a0", "10.1038/171737a0"),
        ("https://doi.org/10.1038/NATURE14539", "10.1038/nature14539"),
        ("doi: 10.1016/S0140-6736(97)11096-0.", "10.1016/s0140-6736(97)11096-0"),
        ("dx.doi.org/10.1000.10/abc", "10.1000.10/abc"),
        ("10.1000", ""),
        ("10.1000/a b", ""),
        ("10.1000/<script>", ""),
        (
            "10.1002/(SICI)1097-0274(199909)36:1+<1::AID-XYZ2>3.0.CO;2-0",
            "10.1002/(sici)1097-0274(199909)36:1+<1::aid-xyz2>3.0.co;2-0",
        ),
        (
            "https://doi.org/10.1175/1520-0477(1996)077<0935:WOT>2.0.CO;2",
            "10.1175/1520-0477(1996)077<0935:wot>2.0.co;2",
        ),
        ("not a doi", ""),
        ("", ""),
    ],
)
def test_a_doi_has_one_form(text: str, doi: str) -> None:
    assert identifiers.doi(text) == doi


@pytest.mark.parametrize(
    ("text", "pmid"),
    [
        ("PMID: 0012345", "12345"),
        ("https://pubmed.ncbi.nlm.nih.gov/12345/", "12345"),
        ("PMC12345", ""),
        ("0", ""),
    ],
)
def test_a_pmid_is_its_digits(text: str, pmid: str) -> None:
    assert identifiers.pmid(text) == pmid


@for_each(
    "text, arxiv",
    [
        ("arXiv:1706.03762v5", "1706.03762"),
        ("https://arxiv.org/pdf/1706.03762v2.pdf", "1706.03762"),
        ("hep-th/9901001", "hep-th/9901001"),
        ("math.GT/0309136v1", "math.gt/0309136"),
        ("10.48550/arXiv.1706.03762", "1706.03762"),
        ("1706.037", ""),
    ],
)
def test_an_arxiv_id_has_no_version(text: str, arxiv: str) -> None:
    assert identifiers.arxiv(text) == arxiv


def test_what_cannot_be_read_is_named() -> None:
    reference = Reference(doi="see website", pmid="12", arxiv="soon")

    assert identifiers.unreadable(reference) == ("arxiv", "doi")
    assert [each.kind for each in identifiers.of_reference(reference)] == ["pmid"]


@for_each(
    "fields, arxiv",
    [
        ("journal = {arXiv preprint arXiv:1312.4400}", "1312.4400"),
        ("journal = {CoRR}, volume = {abs/1312.4400}", "1312.4400"),
        ("eprint = {1312.4400}", "1312.4400"),
        ("eprint = {hep-th/9711200v3}, archiveprefix = {arXiv}", "hep-th/9711200v3"),
        ("note = {arXiv:1312.4400 [cs]}", "1312.4400"),
        ("howpublished = {\\url{http://arxiv.org/pdf/1312.4400v2}}", "1312.4400"),
        ("url = {https://doi.org/10.48550/arXiv.1312.4400}", "1312.4400"),
        ("number = {arXiv:math.GT/0309136}", "math.gt/0309136"),
        ("abstract = {As arXiv:1312.4400 showed}", ""),
        ("title = {Against arXiv:1312.4400}", ""),
        ("eprint = {1312.4400}, eprinttype = {jstor}", ""),
        ("pages = {1312.4400}", ""),
    ],
)
def test_an_entry_names_an_arxiv_id_in_any_field_that_says_where_it_is(fields: str, arxiv: str) -> None:
    entry = read_entry(f"@misc{{a, {fields}}}")

    assert isinstance(entry, Entry)
    assert reference_of(entry).arxiv == arxiv


def test_an_arxiv_id_is_asked_for_in_both_forms() -> None:
    by_id = identifiers.to_ask(Reference(arxiv="1706.03762"))
    by_doi = identifiers.to_ask(Reference(doi="10.48550/arXiv.1706.03762"))

    assert {(each.kind, each.value) for each in by_id} == {(each.kind, each.value) for each in by_doi}
    assert {each.kind for each in by_id} == {"arxiv", "doi"}


@given(st.text(max_size=60))
def test_reading_again_changes_nothing(text: str) -> None:
    for read in (identifiers.doi, identifiers.pmid, identifiers.arxiv):
        assert read(read(text)) == read(text)


@for_each(
    "doi, address",
    [
        ("10.1016/s0012-821x(03)00102-x", "https://doi.org/10.1016/s0012-821x(03)00102-x"),
        (
            "10.1175/1520(1996)077<0935:w>2.0.co;2",
            "https://doi.org/10.1175/1520(1996)077%3C0935:w%3E2.0.co;2",
        ),
        ("10.1000/a#b", "https://doi.org/10.1000/a%23b"),
        ("10.1000/a?b=c&d=e", "https://doi.org/10.1000/a%3Fb=c&d=e"),
        ("10.1000/a%2fb", "https://doi.org/10.1000/a%252fb"),
    ],
)
def test_the_address_of_a_doi_leads_to_it(doi: str, address: str) -> None:
    assert doi_address(doi) == address
