"""A BibTeX file is changed and merged piece by piece; what nobody changed stays as it stands."""

import pytest

from penwright.domain.citations.bibtex_pieces import joined, merged, pieces_of
from penwright.domain.citations.entries import Entry
from penwright.domain.library.shelf import Shelf

LEE = "@misc{lee2020,\n  title = {Tides},\n  file = {lee.pdf}\n}\n"
ORR = "@misc{orr1999,\n  title = {Lamps},\n  file = {orr.pdf}\n}\n"
VOSS = "@misc{voss2009,\n  title = {Silt},\n  file = {voss.pdf}\n}\n"
DATED = LEE.replace("  file", "  year = {2020},\n  file")
NOTED = LEE.replace("  file", "  note = {Borrowed},\n  file")
ODD = """% my own note

@comment{kept}
@misc{twice,
  note = {a},
  note = {b}
}

@book{broken, title = {A
"""


def test_pieces_joined_are_the_text_again() -> None:
    text = f"{ODD}{LEE}\n{ORR}"

    assert "".join(each.text for each in pieces_of(text)) == text
    assert [each.key for each in pieces_of(text) if each.key] == ["lee2020", "orr1999"]


@pytest.mark.parametrize("base", ["", LEE])
def test_what_each_side_added_is_in_the_merge(base: str) -> None:
    mine, theirs = (joined(pieces_of(f"{base}\n{more}")) for more in (ORR, VOSS))

    text, both = merged(base, mine, theirs)

    assert not both
    assert [each for each in (LEE, ORR, VOSS) if each in text] == [*([LEE] if base else []), ORR, VOSS]


def test_an_edit_by_hand_stays_beside_an_entry_that_was_added_meanwhile() -> None:
    text, both = merged(LEE, DATED, f"{LEE}\n{ORR}")

    assert (text, both) == (f"{DATED}\n{ORR}", False)


def test_an_entry_that_both_changed_stays_in_both_forms_and_is_told() -> None:
    assert merged(LEE, DATED, NOTED) == (f"{NOTED}\n{DATED}", True)
    assert merged(LEE, DATED, NOTED, theirs_win=True) == (NOTED, True)


def test_an_entry_that_one_side_removed_goes_unless_the_other_changed_it() -> None:
    both = f"{LEE}\n{ORR}"

    assert merged(both, ORR, both) == (ORR, False)
    assert merged(both, both, ORR) == (ORR, False)
    assert LEE.strip() not in merged(both, ORR, f"{DATED}\n{ORR}")[0]
    assert DATED in merged(both, ORR, f"{DATED}\n{ORR}")[0]
    assert DATED in merged(both, f"{DATED}\n{ORR}", ORR)[0]


def test_a_new_source_leaves_comments_and_what_cannot_be_read_as_they_stand() -> None:
    made = Entry(kind="misc", key="orr1999", fields=(("title", "Lamps"),))

    text = Shelf.read(f"{ODD}{LEE}").with_entry(made, "orr.pdf").text

    assert text.startswith(f"{ODD}{LEE}")
    assert text.endswith(ORR)
    assert Shelf.read(text).without(["orr.pdf"]).text == f"{ODD}{LEE}"
