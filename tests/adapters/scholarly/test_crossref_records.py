"""Works as Crossref sends them."""

from penwright.adapters.scholarly.crossref import record
from penwright.domain.citations.building import entry_of

WORK = {
    **{"DOI": "10.1000/weir", "title": ["Weirs"], "type": "book-chapter", "publisher": "P"},
    "container-title": ["Lecture Notes in Weirs", "Weirs 2014"],
    "short-container-title": ["LNW"],
    "editor": [{"family": "Orr", "given": "A."}],
    "author": [{"family": "Lee", "given": "B."}],
    **{"issued": {"date-parts": [[2019, 12]]}, "published-print": {"date-parts": [[2021]]}},
    **{"ISBN": ["978-1"], "publisher-location": "Ghent", "edition-number": "2"},
}


def test_all_containers_and_all_years_of_a_work_are_kept() -> None:
    found = record(WORK)

    assert (found.container, found.series) == ("Weirs 2014", "Lecture Notes in Weirs")
    assert found.containers == ("Lecture Notes in Weirs", "LNW")
    assert (found.year, found.years) == (2019, (2021,))


def test_an_entry_made_of_a_work_has_its_editors_edition_place_and_isbn() -> None:
    fields = dict(entry_of(record(WORK), "a").fields)

    assert (fields["author"], fields["editor"]) == ("Lee, B.", "Orr, A.")
    assert (fields["edition"], fields["address"], fields["isbn"]) == ("2", "Ghent", "978-1")


def test_a_work_of_editors_alone_has_no_author() -> None:
    fields = dict(entry_of(record(WORK | {"author": [], "type": "edited-book"}), "a").fields)

    assert "author" not in fields
    assert fields["editor"] == "Orr, A."
