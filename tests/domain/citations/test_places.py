"""When two journals, volumes or ranges of pages are one."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.citations.places import same_container, same_pages, same_volume
from tests.support.each import for_each


@for_each(
    "claimed, recorded",
    [
        ("J. Clin. Oncol.", "Journal of Clinical Oncology"),
        ("J Clin Oncol", "Journal of clinical oncology : official journal of a society"),
        ("Journal of Clinical Oncology", "J. Clin. Oncol."),
        ("JCO", "Journal of Clinical Oncology"),
        ("N Engl J Med", "The New England Journal of Medicine"),
        ("PNAS", "Proceedings of the National Academy of Sciences"),
        ("Proc. Natl. Acad. Sci. U.S.A.", "Proceedings of the National Academy of Sciences"),
        ("Proc Natl Acad Sci U S A", "Proceedings of the National Academy of Sciences of the USA"),
        ("Physics & Chemistry", "Physics and Chemistry"),
        ("BMJ", "BMJ (Clinical research ed.)"),
        ("nature", "Nature"),
        ("Science", "Science (New York, N.Y.)"),
        ("PLOS Medicine", "PLoS Medicine"),
        ("J. Phys. A", "Journal of Physics A"),
        ("CVPR", "2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)"),
        (
            "Proceedings of the IEEE Conference on Computer Vision and Pattern Recognition",
            "2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)",
        ),
        ("Zeitschrift für Physik", "Zeitschrift fur Physik"),
        ("自然", "自然"),
    ],
)  # fmt: skip
def test_these_are_one_journal(claimed: str, recorded: str) -> None:
    assert same_container(claimed, recorded)


@for_each(
    "claimed, recorded",
    [
        ("Nature", "Journal of Clinical Oncology"),
        ("Nature", "Nature Medicine"),
        ("Nature Medicine", "Nature"),
        ("Nature: a tale about dogs", "Nature"),
        ("Nature (of dogs)", "Nature"),
        ("Cells", "Cell"),
        ("C", "Cell"),
        ("J. Phys. B", "Journal of Physics A"),
        ("JCI", "Journal of Clinical Oncology"),
        ("自然", "科学"),
        ("The", "Nature"),
    ],
)
def test_these_are_two_journals(claimed: str, recorded: str) -> None:
    assert not same_container(claimed, recorded)


@for_each(
    "claimed, recorded, same",
    [
        ("12", "12", True),
        ("12(3)", "12", True),
        ("Vol. 012", "12", True),
        ("59", "LIX", True),
        ("73", "73-74", True),
        ("999", "12", False),
        ("3", "12(3)", True),
        ("60", "LIX", False),
        ("1", "12", False),
    ],
)
def test_volumes(claimed: str, recorded: str, same: bool) -> None:
    assert same_volume(claimed, recorded) is same


@for_each(
    "claimed, recorded, same",
    [
        ("436--444", "436-444", True),
        ("pp. 436–44", "436-444", True),
        ("436", "436-444", True),
        ("436-444", "436", True),
        ("E124", "e124", True),
        ("S12-S15", "S12-15", True),
        ("123S-129S", "123S–129S", True),
        ("xii-xv", "xii-xv", True),
        ("1--2", "436-444", False),
        ("43-44", "436-444", False),
        ("436--999", "436-444", False),
        ("e125", "e124", False),
        ("Axia", "11-19", False),
        ("pp. xi-xv", "xi-xv", True),
    ],
)
def test_pages(claimed: str, recorded: str, same: bool) -> None:
    assert same_pages(claimed, recorded) is same


@given(st.lists(st.from_regex(r"[B-CF-HJ-Z][a-z]{6,9}x", fullmatch=True), min_size=2, max_size=6), st.data())
def test_a_journal_is_known_by_cut_words(words: list[str], data: st.DataObject) -> None:
    cuts = [word[: data.draw(st.integers(4, len(word)))] for word in words]

    assert same_container(" ".join(f"{cut}." for cut in cuts), f"The {' '.join(words)}")


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_numbers_are_one_only_if_they_are_equal(one: int, other: int) -> None:
    assert same_volume(str(one), str(other)) is (one == other)
    assert same_pages(str(one), f"{other}-{other + 9}") is (one == other)
