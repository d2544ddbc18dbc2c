"""When two names are one person: particles, umlauts, initials, suffixes, other scripts."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations.names import same_person, whole_name
from schemas.scholarly import Author
from tests.support.each import for_each


def author(name: str) -> Author:
    family, _, given_ = name.partition(", ")
    return Author(family=family, given=given_)


@for_each(
    "one, other",
    [
        ("van der Berg, A.", "Berg, Anna"),
        ("Vanderberg, A.", "van der Berg, Anna"),
        ("D'Angelo, M", "D’Angelo, Maria"),
        ("Dangelo, M", "D’Angelo, Maria"),
        ("O'Neil, C.", "O’Neil, Cathy"),
        ("ONeil, C.", "O’Neil, Cathy"),
        ("Mueller, J", "Müller, Jürgen"),
        ("Muller, Jurgen", "Müller, Jürgen"),
        ("Mu\u0308ller, J.", "Mueller, J."),
        ("Soerensen, P.", "Sørensen, Per"),
        ("Smith Jr., J. R.", "Smith, John Robert"),
        ("Smith, John Jr", "Smith, J. R."),
        ("Smith, JR", "Smith, John Robert"),
        ("Sartre, J.-P.", "Sartre, Jean-Paul"),
        ("Sartre, JP", "Sartre, Jean Paul"),
        ("Wang, X. M.", "Wang, Xiao-Ming"),
        ("Wang, Xiaoming", "Wang, Xiao-Ming"),
        ("Venter, Craig", "Venter, J. Craig"),
        ("García, G.", "García Márquez, Gabriel"),
        ("Dostoevsky, Aleksandr", "Dostoevsky, Alexander"),
        ("Plato, ", "Plato, "),
        ("李, 明", "李, 明"),
        ("Иванов, И.", "Иванов, Иван"),
        ("محمد, علي", "محمد, ع"),
        ("Lee, ", "Lee, Ann"),
    ],
)
def test_these_are_one_person(one: str, other: str) -> None:
    assert same_person(author(one), author(other))
    assert same_person(author(other), author(one))


@for_each(
    "one, other",
    [
        ("Lee, Zed", "Lee, A"),
        ("Lee, Z.", "Lee, Ann"),
        ("Lee, Adam", "Lee, Anna"),
        ("Lee, A. C.", "Lee, A. B."),
        ("Lee, AC", "Lee, Ann Beth"),
        ("Smith Jr., K.", "Smith, John"),
        ("van der Berg, B.", "Berg, Anna"),
        ("李, 明", "李, 强"),
        ("Иванов, П.", "Иванов, Иван"),
        ("Leeds, A.", "Lee, A."),
    ],
)
def test_these_are_two(one: str, other: str) -> None:
    assert not same_person(author(one), author(other))
    assert not same_person(author(other), author(one))


@for_each(
    "name, family, given_",
    [
        ("John Smith Jr.", "Smith Jr.", "John"),
        ("Anna van der Berg", "van der Berg", "Anna"),
        ("van der Berg", "van der Berg", ""),
        ("van der Berg, Anna", "van der Berg", "Anna"),
        ("Plato", "Plato", ""),
        ("Al Gore", "Gore", "Al"),
    ],
)
def test_a_name_in_one_piece_is_divided(name: str, family: str, given_: str) -> None:
    assert whole_name(name) == Author(family=family, given=given_)


@given(st.text(max_size=30), st.text(max_size=30))
def test_everybody_with_letters_is_the_same_person_as_himself(family: str, given_: str) -> None:
    one = Author(family=f"Lee {family}", given=given_)

    assert same_person(one, one)
