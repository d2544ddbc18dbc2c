"""The text of a scene in real git: operations of models, and what people type, one commit each."""

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from penwright.errors import Refused, UsageMistake
from schemas.base import BlobRef
from schemas.intents import Approval
from schemas.manuscript_text import OperationsApplied, PushNovel, SelectSceneIntent, SyncNovel
from schemas.patching import Operation
from tests.support.books.repos import add_remote, clone, commit_all, git, write
from tests.support.manuscripts.novel_repo import NovelRepo, replace

DRAFT = """\
# Ebb

The keeper counts the lamps at dusk and again at dawn.

# Flow

Nobody has asked him why he counts them twice.
"""


@pytest.fixture
def novel(tmp_path: Path) -> NovelRepo:
    return NovelRepo(tmp_path / "tides", {"-": DRAFT})


@pytest.fixture
def empty(tmp_path: Path) -> NovelRepo:
    return NovelRepo(tmp_path / "tides")


def trailers(novel: NovelRepo) -> dict[str, str]:
    """Trailers of the newest commit."""
    lines = git(novel.folder, "log", "-1", "--format=%(trailers:only,unfold)").splitlines()
    return dict(line.split(": ", 1) for line in lines if line)


def records(novel: NovelRepo) -> list[dict[str, Any]]:
    """The ledger's lines at the tip."""
    return [
        json.loads(row)
        for row in git(novel.folder, "show", "main:.orchestration/agent_trace.jsonl").splitlines()
    ]


def denial_code(done: OperationsApplied) -> str:
    """Why the gate said no."""
    return done.denial.error_code if done.denial else ""


# Reading


def test_a_scene_is_read_with_its_revision_words_and_sections(novel: NovelRepo) -> None:
    read = novel.read()

    assert novel.text(read.text) == DRAFT
    assert read.revision == novel.revision
    assert [(each.title, each.level, each.words) for each in read.sections] == [
        ("Ebb", 1, 11),
        ("Flow", 1, 9),
    ]


def test_a_scene_without_a_file_is_empty(empty: NovelRepo) -> None:
    read = empty.read()

    assert (read.outcome, read.revision, read.words, empty.text(read.text)) == ("read", "", 0, "")


def test_what_a_person_typed_into_the_file_is_committed_as_theirs_and_read(novel: NovelRepo) -> None:
    write(novel.folder, {"manuscript.md": DRAFT + "\nAnd so on.\n"})

    read = novel.read()

    assert read.human_edits == ("manuscript.md",)
    assert novel.text(read.text).endswith("And so on.\n")
    assert trailers(novel)["Penwright-Contributor"] == "human"


def test_a_file_in_another_encoding_is_refused_by_name(novel: NovelRepo) -> None:
    (novel.folder / "manuscript.md").write_bytes("# Bär".encode("latin-1"))
    commit_all(novel.folder)

    for answer in (novel.read(), novel.save("x", base=""), novel.undo()):
        assert (answer.outcome, answer.code) == ("refused", "scene-not-text")
        assert "save it as UTF-8" in answer.message


# Operations of a model


def test_an_operation_becomes_one_commit_under_its_intent_with_a_record(novel: NovelRepo) -> None:
    before = novel.commits

    done = novel.apply(DRAFT, replace("at dusk and again at dawn", "at dusk"))

    assert done.outcome == "applied"
    assert [each.outcome for each in done.results] == ["applied"]
    assert "counts the lamps at dusk." in novel.text(done.text) == novel.committed + "\n"
    assert (done.revision, novel.commits) == (novel.revision, before + 1)
    said = trailers(novel)
    assert (said["Penwright-Novel"], said["Penwright-Step"], said["Penwright-Intent"]) == (
        "tides",
        "revise",
        "INT-001",
    )
    assert (said["Penwright-Contributor"], said["Penwright-Model"]) == ("model", "scripted/one")
    (record,) = records(novel)
    assert record["intent"]["id"] == "INT-001"


def test_the_same_request_again_answers_the_same_and_commits_nothing(novel: NovelRepo) -> None:
    order = novel.applying(DRAFT, replace("counts the lamps", "counts the boats"))
    first = novel.ask.apply_operations(order)
    novel.save(novel.committed + "\n\nMore.\n")
    before = novel.commits

    again = novel.ask.apply_operations(order)

    assert again == first
    assert novel.commits == before


def test_what_a_person_wrote_meanwhile_elsewhere_stays(novel: NovelRepo) -> None:
    novel.save(DRAFT.replace("Nobody has asked him", "Everybody has asked him"))

    done = novel.apply(DRAFT, replace("counts the lamps", "counts the boats"))

    assert done.outcome == "applied"
    assert "counts the boats" in novel.committed
    assert "Everybody has asked him" in novel.committed


def test_an_operation_where_a_person_wrote_meanwhile_is_left_out_as_a_conflict(novel: NovelRepo) -> None:
    novel.save(DRAFT.replace("counts the lamps", "counts the gulls"))

    done = novel.apply(
        DRAFT, replace("counts the lamps", "counts the boats"), replace("counts them twice", "bothers")
    )

    assert [each.outcome for each in done.results] == ["conflict", "applied"]
    assert "counts the gulls" in novel.committed
    assert "why he bothers" in novel.committed


def test_a_reply_of_which_every_place_was_changed_is_a_conflict_without_a_commit(novel: NovelRepo) -> None:
    novel.save(DRAFT.replace("counts the lamps", "counts the gulls"))
    before = novel.commits

    done = novel.apply(DRAFT, replace("counts the lamps", "counts the boats"))

    assert (done.outcome, done.revision, novel.commits) == ("conflict", novel.revision, before)


@pytest.mark.parametrize(
    ("operation", "outcome"),
    [
        (replace("a passage that stands nowhere in it", "x"), "not_found"),
        (replace("counts", "adds up"), "ambiguous"),
        (replace("", "x"), "empty_find"),
        (replace("Nobody has asked him", "x", count="ALL"), "bad_count"),
    ],
)
def test_an_anchor_that_is_missing_double_or_empty_changes_nothing(
    novel: NovelRepo, operation: Operation, outcome: str
) -> None:
    before = novel.commits

    done = novel.apply(DRAFT, operation)

    assert (done.outcome, done.results[0].outcome) == ("unchanged", outcome)
    assert (novel.commits, done.revision) == (before, novel.revision)


def test_operations_on_a_section_that_its_author_deleted_are_conflicts(novel: NovelRepo) -> None:
    novel.save(DRAFT.partition("# Flow")[0])

    done = novel.apply(DRAFT, replace("counts them twice", "bothers"))

    assert done.outcome == "conflict"
    assert "Flow" not in novel.committed


def test_operations_that_are_none_are_refused(novel: NovelRepo) -> None:
    order = novel.applying(DRAFT).model_copy(update={"operations": novel.put('[{"kind": "burn"}]')})

    done = novel.ask.apply_operations(order)

    assert (done.outcome, done.code) == ("refused", "bad-operations")


def test_a_change_that_the_gate_denies_comes_back_with_its_reason(novel: NovelRepo) -> None:
    order = novel.applying(DRAFT, replace("counts the lamps", "counts the boats"))
    git(novel.folder, "rm", "-q", ".orchestration/active_intents.yaml")
    commit_all(novel.folder)

    done = novel.ask.apply_operations(order)

    assert done.outcome == "denied"
    assert done.denial is not None
    assert done.denial.error_code == "REGISTRY_MISSING"
    assert "counts the lamps" in novel.committed


def test_a_change_without_an_intent_is_denied(novel: NovelRepo) -> None:
    done = novel.apply(DRAFT, replace("counts the lamps", "counts the boats"), pin=None)

    assert done.denial is not None
    assert done.denial.error_code == "INTENT_NOT_SELECTED"


def test_a_person_may_allow_what_the_gate_denied_and_the_same_request_commits(novel: NovelRepo) -> None:
    order = novel.applying(DRAFT, replace("counts the lamps", "counts the boats"))
    registry = novel.folder / ".orchestration/active_intents.yaml"
    registry.write_text(registry.read_text().replace("Write the manuscript", "Write it"))
    commit_all(novel.folder)

    denied = novel.ask.apply_operations(order)

    assert denied.outcome == "denied"
    need = denied.denial.asks if denied.denial else None
    assert need is not None
    assert need.codes == ("INTENT_CHANGED",)
    allowed = Approval(id="AP-1", plan_digest=need.plan_digest, codes=need.codes, by="ada")
    assert novel.ask.apply_operations(order.model_copy(update={"approval": allowed})).outcome == "applied"
    assert trailers(novel)["Approved-By"] == "ada AP-1"


# What people type


def test_a_save_is_a_persons_commit_without_an_intent(novel: NovelRepo) -> None:
    saved = novel.save(DRAFT + "\nMore.\n", who="ada")

    assert (saved.outcome, saved.revision, saved.mine) == ("saved", novel.revision, None)
    said = trailers(novel)
    assert (said["Penwright-Contributor"], said["Penwright-Person"]) == ("human", "ada")
    assert "Penwright-Intent" not in said
    assert git(novel.folder, "log", "-1", "--format=%an") == "Ada Author"
    assert novel.text(saved.text) == DRAFT + "\nMore.\n"


def test_a_save_on_an_older_text_keeps_what_was_written_meanwhile(novel: NovelRepo) -> None:
    base = novel.revision
    novel.apply(DRAFT, replace("counts the lamps", "counts the boats"))

    saved = novel.save(DRAFT.replace("Nobody", "Everybody"), base=base)

    assert saved.outcome == "merged"
    assert "counts the boats" in novel.text(saved.text)
    assert "Everybody" in novel.text(saved.text)
    assert novel.text(saved.mine) == DRAFT.replace("Nobody", "Everybody")


def test_two_versions_of_one_place_come_back_and_neither_is_lost(novel: NovelRepo) -> None:
    base, mine = novel.revision, DRAFT.replace("counts the lamps", "counts the gulls")
    novel.apply(DRAFT, replace("counts the lamps", "counts the boats"))
    before = novel.commits

    saved = novel.save(mine, base=base)

    assert (saved.outcome, saved.code, novel.commits) == ("conflict", "edited-meanwhile", before)
    assert novel.text(saved.mine) == mine
    assert "boats" in novel.text(saved.theirs)
    (place,) = saved.places
    assert ("lamps" in place.base, "gulls" in place.mine, "boats" in place.theirs) == (True, True, True)


def test_a_conflict_is_settled_by_saving_on_the_new_revision(novel: NovelRepo) -> None:
    base = novel.revision
    novel.apply(DRAFT, replace("counts the lamps", "counts the boats"))
    met = novel.save(DRAFT.replace("counts the lamps", "counts the gulls"), base=base)

    settled = novel.save(DRAFT.replace("counts the lamps", "counts gulls and boats"), base=met.revision)

    assert settled.outcome == "saved"
    assert "gulls and boats" in novel.committed


def test_a_base_that_nobody_knows_is_a_conflict(novel: NovelRepo) -> None:
    saved = novel.save("Another text.\n", base="0" * 40)

    assert (saved.outcome, saved.code) == ("conflict", "unknown-base")
    assert novel.text(saved.mine) == "Another text.\n"


def test_the_same_text_again_is_no_commit(novel: NovelRepo) -> None:
    before = novel.commits

    saved = novel.save(DRAFT)

    assert (saved.outcome, saved.revision, novel.commits) == ("unchanged", novel.revision, before)


def test_a_repeated_save_answers_the_same_whatever_came_meanwhile(novel: NovelRepo) -> None:
    order = novel.saving(DRAFT + "\nMore.\n")
    first = novel.ask.save_text(order)
    novel.save("Quite another text.\n")
    before = novel.commits

    assert novel.ask.save_text(order) == first
    assert novel.commits == before


def test_an_op_id_that_named_another_save_is_refused(novel: NovelRepo) -> None:
    novel.save("One.\n", op="t:again")

    with pytest.raises(Refused) as refused:
        novel.save("Two.\n", op="t:again")

    assert refused.value.code == "op-id-reused"


def test_unsaved_edits_of_the_file_are_kept_beside_what_an_editor_saves(novel: NovelRepo) -> None:
    base = novel.revision
    write(novel.folder, {"manuscript.md": DRAFT.replace("Nobody", "Everybody")})

    saved = novel.save(DRAFT.replace("the lamps", "the gulls"), base=base)

    assert saved.outcome == "merged"
    assert "Everybody" in novel.committed
    assert "the gulls" in novel.committed
    assert (novel.folder / "manuscript.md").read_text() == novel.committed + "\n"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a\0b"])
def test_what_is_no_text_is_not_saved_and_not_lost(novel: NovelRepo, content: bytes) -> None:
    before = novel.commits

    saved = novel.save(content)

    assert (saved.outcome, saved.code, novel.commits) == ("refused", "text-not-utf8", before)
    assert saved.mine == novel.put(content)


def test_a_first_save_makes_the_file(empty: NovelRepo) -> None:
    empty.scene = "The Pier at Night"

    saved = empty.save("Fog.\n")

    assert (saved.outcome, empty.committed) == ("saved", "Fog.")


def test_a_name_that_differs_only_in_case_is_refused(tmp_path: Path) -> None:
    novel = NovelRepo(tmp_path / "tides", {"pier": "Fog.\n"}, scene="Pier")

    saved = novel.save("Wind.\n", base="")

    assert (saved.outcome, saved.code) == ("refused", "scene-name-taken")


def test_a_name_that_leaves_the_folder_is_a_mistake(novel: NovelRepo) -> None:
    novel.scene = "../../etc/passwd"

    with pytest.raises(UsageMistake) as mistake:
        novel.save("x", base="")

    assert mistake.value.code == "bad-scene-name"


# Line ends, size, scripts


def test_crlf_stays_crlf_and_is_read_as_lf(tmp_path: Path) -> None:
    novel = NovelRepo(tmp_path / "tides", {"-": DRAFT.replace("\n", "\r\n")})

    read = novel.read()
    novel.apply(novel.text(read.text), replace("counts the lamps", "counts the boats"))
    novel.save(novel.text(novel.read().text) + "\nMore.\n")

    content = (novel.folder / "manuscript.md").read_bytes()
    assert novel.text(read.text) == DRAFT
    assert content.count(b"\r\n") == content.count(b"\n") == DRAFT.count("\n") + 2
    assert b"counts the boats" in content


def test_five_megabytes_are_read_patched_and_saved(tmp_path: Path) -> None:
    paragraph = "The tide {} goes out, and the keeper counts what it has left on the stones below.\n\n"
    text = "".join(paragraph.format(number) for number in range(60_000))
    assert len(text) > 5_000_000
    novel = NovelRepo(tmp_path / "tides", {"-": text})
    began = perf_counter()

    done = novel.apply(
        text, replace("The tide 31415 goes out, and the keeper counts", "The tide 31415 stays, and he counts")
    )
    saved = novel.save(novel.text(done.text).replace("The tide 7 goes out", "The tide 7 is late"))

    assert (done.outcome, saved.outcome) == ("applied", "saved")
    assert perf_counter() - began < 60


def test_scripts_are_mixed_freely(novel: NovelRepo) -> None:
    text = "# 潮\n\n灯台守は二度数える。 Ο φύλακας μετρά. يعدّ الحارس. \U0001f6a2\n"
    novel.save(text)

    done = novel.apply(text, replace("Ο φύλακας μετρά", "Ο φύλακας κοιμάται"))

    assert done.outcome == "applied"
    assert novel.committed == text.replace("μετρά", "κοιμάται").rstrip("\n")


def test_a_text_without_headings_has_no_sections(novel: NovelRepo) -> None:
    novel.save("Only this.\n\nAnd that.\n")

    assert novel.read().sections == ()


# Taking back


def test_undo_takes_back_one_change_after_the_other(novel: NovelRepo) -> None:
    novel.save("One.\n")
    novel.save("Two.\n")

    answers = [novel.undo(), novel.undo()]

    assert [novel.text(each.text) for each in answers] == ["One.\n", DRAFT]
    assert novel.committed + "\n" == DRAFT
    assert answers[0].outcome == "restored"


def test_undo_after_undo_and_a_new_change_takes_back_that_change(novel: NovelRepo) -> None:
    novel.save("One.\n")
    novel.undo()
    novel.save("Two.\n")

    assert novel.text(novel.undo().text) == DRAFT
    assert novel.undo().outcome == "restored"
    assert novel.committed == ""


def test_there_is_an_end_to_undoing(novel: NovelRepo) -> None:
    assert novel.text(novel.undo().text) == ""

    again = novel.undo()

    assert (again.outcome, again.code) == ("refused", "nothing-to-undo")


def test_undo_takes_back_what_a_model_wrote_as_a_persons_change(novel: NovelRepo) -> None:
    novel.apply(DRAFT, replace("counts the lamps", "counts the boats"))

    undone = novel.undo(who="ada")

    assert novel.text(undone.text) == DRAFT
    assert trailers(novel)["Penwright-Contributor"] == "human"


def test_a_rollback_goes_back_to_a_revision_and_can_be_taken_back(novel: NovelRepo) -> None:
    first = novel.revision
    novel.save("One.\n")
    novel.save("Two.\n")

    back = novel.rollback(first[:10])
    forth = novel.rollback(back.replaced)

    assert novel.text(back.text) == DRAFT
    assert novel.text(forth.text) == "Two.\n"


def test_a_rollback_to_a_commit_and_to_nothing_that_exists(novel: NovelRepo) -> None:
    first = git(novel.folder, "rev-parse", "HEAD")
    novel.save("One.\n")

    refused, done = novel.rollback("deadbeef"), novel.rollback(first)

    assert (refused.outcome, refused.code) == ("refused", "no-such-version")
    assert novel.text(done.text) == DRAFT


def test_an_undo_of_a_text_that_has_moved_on_changes_nothing(novel: NovelRepo) -> None:
    seen = novel.revision
    novel.save("One.\n")
    before = novel.commits

    undone = novel.undo(expected=seen)

    assert (undone.outcome, undone.code, novel.commits) == ("conflict", "edited-meanwhile", before)


def test_a_repeated_undo_answers_the_same(novel: NovelRepo) -> None:
    novel.save("One.\n")
    novel.save("Two.\n")
    first = novel.undo(effect=novel.fields("t:undo")["effect"])

    again = novel.undo(effect=novel.fields("t:undo")["effect"])

    assert again == first
    assert novel.committed == "One."


# Intents


def test_the_intent_of_a_scene_is_the_first_that_owns_it(novel: NovelRepo) -> None:
    novel.scene = "pier"

    assert novel.pin().intent_id == "INT-001"


def test_an_intent_that_owns_other_files_is_refused(novel: NovelRepo) -> None:
    registry = novel.folder / ".orchestration/active_intents.yaml"
    registry.write_text(registry.read_text().replace('"scenes/**"', '"scenes/a.md"'))
    commit_all(novel.folder)
    order = SelectSceneIntent(subject="tides", workspace=novel.workspace, scene="b", intent="INT-001")

    with pytest.raises(Refused) as refused:
        novel.ask.select_scene_intent(order)

    assert refused.value.code == "intent-owns-other-files"


def test_texts_travel_by_reference(novel: NovelRepo) -> None:
    saved = novel.save(DRAFT * 500)

    assert isinstance(saved.text, BlobRef)
    assert len(saved.model_dump_json()) < 1_000


# The remote


def test_two_clones_meet_at_the_remote_and_neither_loses_a_word(novel: NovelRepo, tmp_path: Path) -> None:
    remote = add_remote(novel.folder, tmp_path / "remote.git")
    other = clone(remote, tmp_path / "other")
    write(other, {"manuscript.md": DRAFT.replace("Nobody", "Everybody")})
    commit_all(other)
    git(other, "push", "-q", "origin", "main")
    novel.save(DRAFT.replace("the lamps", "the gulls"))

    synced = novel.ask.sync_novel(SyncNovel(**novel.fields()))
    pushed = novel.ask.push_novel(PushNovel(**novel.fields()))

    assert (synced.remote, synced.conflicts, pushed.outcome) == ("current", (), "pushed")
    assert "Everybody" in novel.committed
    assert "the gulls" in novel.committed
    assert git(remote, "rev-parse", "main") == git(novel.folder, "rev-parse", "main")
