"""The least a change may be called."""

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.text.comparing.changes import changed_blocks, changes_of
from penwright.domain.text.mutation_floor import Floor, Thresholds, minimum_mutation_class
from schemas.trace import MutationClass, MutationDetail
from tests.support.each import for_each

LONG = "The harbour lay grey under the morning, and nobody had yet rowed out to the nets, said old Mira."


def floor(before: str, after: str, path: str = "Current version/Full_Book.md") -> Floor:
    changes = {path: changed_blocks(before.encode(), after.encode())}
    return minimum_mutation_class(changes, canon=BOOK_PROFILE.canon)


@for_each(
    "after, detail",
    [
        (LONG.replace(" grey", "\ngrey"), MutationDetail.MECHANICAL),
        (LONG.replace("grey", "white"), MutationDetail.LINE_EDIT),
        (LONG.replace(", and nobody", ".\n\nAnd nobody"), MutationDetail.LINE_EDIT),
        (LONG.replace(" lay", "\n\nlay"), MutationDetail.RELOCATION),
        (LONG.replace("said old Mira", "old Mira said"), MutationDetail.LINE_EDIT),
        (LONG.replace(", said old Mira", ". Mira, old, said so"), MutationDetail.LINE_EDIT),
        (LONG.replace("and nobody", "and I knew nobody"), MutationDetail.LINE_EDIT),
        (LONG.replace("old Mira", "old Émile"), MutationDetail.EVOLUTION),
        (LONG.replace("old Mira", "old Jonas"), MutationDetail.EVOLUTION),
        (LONG.replace("the nets", "the 12 nets"), MutationDetail.EVOLUTION),
        (LONG + " " + "It rained and rained. " * 6, MutationDetail.EVOLUTION),
        (LONG + "\n\nA stranger came.", MutationDetail.EVOLUTION),
        ("", MutationDetail.EVOLUTION),
        ("# The Harbour\n\n" + LONG, MutationDetail.EVOLUTION),
    ],
)
def test_the_minimum_class_follows_from_the_blocks(after: str, detail: MutationDetail) -> None:
    found = floor(LONG, after)
    assert found.detail is detail
    assert bool(found.reasons) == (detail is MutationDetail.EVOLUTION)


def test_changing_places_is_a_relocation_within_and_between_files() -> None:
    assert floor("A one.\n\nB two.", "B two.\n\nA one.").detail is MutationDetail.RELOCATION
    between = changes_of({"a.md": (b"A one.\n\nB two.\n", b"B two.\n"), "b.md": (b"C.\n", b"C.\n\nA one.\n")})
    assert minimum_mutation_class(between).detail is MutationDetail.RELOCATION


def test_canon_and_new_files_are_evolution() -> None:
    assert (
        floor(LONG, LONG.replace("grey", "white"), "Global Material/Lore.md").detail
        is MutationDetail.EVOLUTION
    )
    new = {"notes.md": changed_blocks(None, b"A note.\n")}
    assert minimum_mutation_class(new, created=["notes.md"]).reasons[0] == "'notes.md' is new"


def test_the_reason_names_the_block() -> None:
    assert floor(LONG, LONG + "\n\nA stranger came.").reasons == (
        "Current version/Full_Book.md: 'A stranger came.' is new",
    )


def test_only_evolution_counts_as_intent_evolution() -> None:
    assert [detail.coarse for detail in MutationDetail] == [MutationClass.AST_REFACTOR] * 3 + [
        MutationClass.INTENT_EVOLUTION
    ]


def test_words_gained_in_one_section_do_not_offset_losses_in_another() -> None:
    rain = " and the rain fell on the roofs and on the boats and on the nets and on us all"
    before = f"# A\n\n{LONG}\n\n# B\n\n{LONG[:-1]}{rain}."
    after = f"# A\n\n{LONG[:-1]}{rain}.\n\n# B\n\n{LONG}"
    assert floor(before, before.replace("grey", "pale")).detail is MutationDetail.LINE_EDIT
    mended = floor(before, after.replace("grey", "pale"))
    assert mended.detail is MutationDetail.EVOLUTION
    assert any("words became" in reason and "'A'" in reason for reason in mended.reasons)


def test_a_file_without_a_list_of_blocks_is_evolution() -> None:
    assert minimum_mutation_class({"a.md": ()}).detail is MutationDetail.MECHANICAL
    assert minimum_mutation_class({"a.md": ()}, unlisted=["a.md"]).reasons == ("'a.md' changed as a whole",)


def test_canon_and_thresholds_are_arguments() -> None:
    changes = {"Bible/Lore.md": changed_blocks(LONG.encode(), LONG.replace("grey", "white").encode())}
    assert minimum_mutation_class(changes).detail is MutationDetail.LINE_EDIT
    assert minimum_mutation_class(changes, canon=["Bible/*"]).reasons == ("'Bible/Lore.md' is canon",)
    assert (
        minimum_mutation_class(changes, thresholds=Thresholds(similarity=99)).detail
        is MutationDetail.EVOLUTION
    )


def test_a_limit_of_reasons_does_not_change_the_floor() -> None:
    changes = {"a.md": changed_blocks(LONG.encode(), f"{LONG}\n\nA stranger came.\n\n{LONG} Twice.".encode())}
    every, one = (
        minimum_mutation_class(changes, created=["a.md"]),
        minimum_mutation_class(changes, created=["a.md"], most=1),
    )
    assert len(every.reasons) > 1
    assert (one.detail, one.similarity, one.reasons) == (every.detail, every.similarity, every.reasons[:1])
