"""The contract of ``Drafts``."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from penwright.errors import NotFound, Refused
from schemas.base import OpId
from schemas.drafts import AppendChange, Appended, ChangeSet, Draft, Missed, NewDraft, Rebased
from schemas.patching import ConflictPlace
from tests.adapters.store.builders import NOON, AnyStore, SetClock


def opened(store: AnyStore, draft_id: str = "d1", *, work: str = "tide", path: str = "1.md") -> Draft:
    text = store.blobs.put(b"The sea.\n")
    return store.drafts.open(NewDraft(draft_id=draft_id, work=work, path=path, base="b1", text=text))


def a_change(
    version: int, op_id: str, changes: ChangeSet = (9, (0, "x")), *, draft: str = "d1", author: str = "ann"
) -> AppendChange:
    return AppendChange(draft_id=draft, version=version, op_id=OpId(op_id), changes=changes, author=author)


def versions(changes: Sequence[object]) -> list[tuple[int, str]]:
    return [(each.version, each.op_id) for each in changes]  # type: ignore[attr-defined]


def test_a_file_has_one_open_draft_and_a_second_opening_finds_it(store: AnyStore) -> None:
    first, second = opened(store), opened(store, "d2")
    elsewhere = opened(store, "d3", path="2.md")

    assert first == second
    assert (first.version, first.unsaved, first.base, first.text, first.text_version) == (
        0,
        False,
        "b1",
        first.base_text,
        0,
    )
    assert [draft.draft_id for draft in store.drafts.of("tide")] == ["d1", elsewhere.draft_id]
    assert store.drafts.of("ebb") == ()
    assert store.drafts.read("d1") == first


def test_each_change_makes_a_version_and_is_read_back(store: AnyStore, clock: SetClock) -> None:
    opened(store)
    odd: ChangeSet = (4, (2, "", "é☕ \\u0000 '"), 3)

    assert store.drafts.append(a_change(0, "one", odd)) == Appended(version=1)
    clock.pass_time(minutes=1)
    assert store.drafts.append(a_change(1, "two", author="ben")) == Appended(version=2)

    kept = store.drafts.changes("d1", 0)
    assert versions(kept) == [(0, "one"), (1, "two")]
    assert (kept[0].changes, kept[0].author, kept[0].kind) == (odd, "ann", "person")
    draft = store.drafts.read("d1")
    assert (draft.version, draft.unsaved, draft.changed_by) == (2, True, "ben")
    assert draft.changed_at == NOON + timedelta(minutes=1)
    assert versions(store.drafts.changes("d1", 1)) == [(1, "two")]


def test_changes_are_read_from_a_time_on(store: AnyStore, clock: SetClock) -> None:
    opened(store)
    store.drafts.append(a_change(0, "one"))
    clock.pass_time(hours=1)
    store.drafts.append(a_change(1, "two"))

    assert versions(store.drafts.changes_from("d1", clock.now())) == [(1, "two")]
    assert versions(store.drafts.changes_from("d1", NOON)) == [(0, "one"), (1, "two")]


def test_a_change_to_an_old_version_is_not_kept_and_told_what_it_missed(store: AnyStore) -> None:
    opened(store)
    store.drafts.append(a_change(0, "one"))

    missed = store.drafts.append(a_change(0, "two"))

    assert isinstance(missed, Missed)
    assert (missed.version, versions(missed.changes)) == (1, [(0, "one")])
    assert store.drafts.read("d1").version == 1


def test_a_change_that_is_sent_again_is_kept_once(store: AnyStore) -> None:
    opened(store)
    store.drafts.append(a_change(0, "one"))
    store.drafts.append(a_change(1, "two"))

    assert store.drafts.append(a_change(0, "one")) == Appended(version=1, replayed=True)
    assert store.drafts.read("d1").version == 2


def test_of_changes_made_at_the_same_time_one_is_kept_and_the_others_hear_of_it(store: AnyStore) -> None:
    opened(store)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: store.drafts.append(a_change(0, f"op{n}")), range(8)))

    assert sum(isinstance(answer, Appended) for answer in answers) == 1
    assert len(store.drafts.changes("d1", 0)) == 1


def test_of_openings_at_the_same_time_all_get_one_draft(store: AnyStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        drafts = list(pool.map(lambda n: opened(store, f"d{n}"), range(8)))

    assert len({draft.draft_id for draft in drafts}) == 1


def test_a_text_is_kept_beside_the_changes_that_follow_it(store: AnyStore) -> None:
    opened(store)
    text = store.blobs.put(b"The sea.\nx")

    store.drafts.append(a_change(0, "one").model_copy(update={"text": text}))

    draft = store.drafts.read("d1")
    assert (draft.text, draft.text_version) == (text, 1)
    assert versions(store.drafts.changes("d1", 0)) == [(0, "one")]


def test_a_change_that_brings_the_files_news_leaves_the_draft_saved(store: AnyStore) -> None:
    before = opened(store)
    text = store.blobs.put(b"The sea.\nx")
    place = ConflictPlace(base="a", mine="b", theirs="c")
    change = a_change(0, "merge", author="").model_copy(
        update={
            "kind": "machine",
            "saved": True,
            "rebased": Rebased(base="b2", base_text=text, disputes=(place,)),
        }
    )

    store.drafts.append(change)

    draft = store.drafts.read("d1")
    assert (draft.base, draft.base_text, draft.unsaved, draft.changed_by) == ("b2", text, False, "")
    assert draft.changed_at == before.changed_at
    assert [(each.number, each.place) for each in draft.disputes] == [(1, place)]
    assert store.drafts.changes("d1", 0)[0].kind == "machine"
    assert store.drafts.drop_dispute("d1", 1).disputes == ()
    assert store.drafts.drop_dispute("d1", 1).disputes == ()


def test_a_saved_version_is_noted_and_a_later_change_is_unsaved_again(store: AnyStore) -> None:
    opened(store)
    store.drafts.append(a_change(0, "one"))
    store.drafts.append(a_change(1, "two"))
    text = store.blobs.put(b"saved")

    assert store.drafts.mark_saved("d1", 1, Rebased(base="b2", base_text=text)).unsaved
    draft = store.drafts.mark_saved("d1", 2, Rebased(base="b3", base_text=text))

    assert (draft.unsaved, draft.base) == (False, "b3")
    assert store.drafts.mark_saved("d1", 2, Rebased(base="b3", base_text=text)) == draft


def test_drafts_that_lie_unsaved_are_found_oldest_first(store: AnyStore, clock: SetClock) -> None:
    for number, path in enumerate(("a.md", "b.md", "c.md")):
        opened(store, f"d{number}", path=path)
    for draft in ("d1", "d0"):
        clock.pass_time(minutes=1)
        store.drafts.append(a_change(0, "one", draft=draft))

    def found(minutes: int) -> list[str]:
        return [d.draft_id for d in store.drafts.unsaved_since(NOON + timedelta(minutes=minutes))]

    assert (found(0), found(1), found(5)) == ([], ["d1"], ["d1", "d0"])


def test_a_closed_draft_takes_no_change_but_answers_one_that_it_had(store: AnyStore) -> None:
    opened(store)
    store.drafts.append(a_change(0, "one"))

    assert store.drafts.close("d1").state == "closed"

    assert store.drafts.append(a_change(0, "one")) == Appended(version=1, replayed=True)
    with pytest.raises(Refused) as refused:
        store.drafts.append(a_change(1, "two"))
    assert refused.value.code == "draft-closed"
    assert opened(store, "d2").draft_id == "d2"
    assert store.drafts.read("d1").version == 1


def test_an_unknown_draft_is_named(store: AnyStore) -> None:
    for ask in (
        lambda: store.drafts.read("none"),
        lambda: store.drafts.append(a_change(0, "one", draft="none")),
        lambda: store.drafts.changes("none", 0),
        lambda: store.drafts.close("none"),
    ):
        with pytest.raises(NotFound) as unknown:
            ask()
        assert unknown.value.code == "unknown-draft"
