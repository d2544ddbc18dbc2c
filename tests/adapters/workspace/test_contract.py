"""The contract of ``Workspaces``, over real git."""

from contextlib import suppress
from pathlib import Path

import pytest

from penwright.domain.text.conflict_notes import conflict_lines, conflict_note
from penwright.errors import BrokenWorkspace, NotFound, PenwrightError, Refused, RemoteUnavailable
from penwright.ports.workspaces import GateCase
from schemas.intents import IntentPin
from schemas.workspace import (
    Append,
    Create,
    Delete,
    Denial,
    Modify,
    MutationPlan,
    Operation,
    Previewed,
    Rename,
    Synced,
    Workspace,
)
from tests.support.books.desks import Desk
from tests.support.books.repos import ENGINE, KNOWN, plan_of
from tests.support.each import for_each


class Forbidding:
    """A gate that denies everything and keeps the cases it judged."""

    def __init__(self) -> None:
        self.seen: list[tuple[object, ...]] = []

    def judge(self, case: GateCase) -> Denial | None:
        tip = case.tip
        folder = tip.kind(".orchestration"), tip.names(".orchestration"), tip.kind("nowhere")
        registry = ".orchestration/active_intents.yaml"
        self.seen.append((*folder, tip.kind(registry), tip.content(registry), sorted(case.after.items())))
        return Denial(
            error_type="scope", error_code="OUT", message="no", recoverable=True, action_hint="do less"
        )


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def blob(desk: Desk, path: str) -> str:
    return desk.port.snapshot(desk.workspace, [path]).files[path].blob


def text(desk: Desk, path: str, at: str | None = None) -> str:
    return desk.port.snapshot(desk.workspace, [path], at=at).files[path].text


def plan(desk: Desk, *operations: Operation, tag: str | None = None, sync: str = "") -> MutationPlan:
    return plan_of(desk.workspace, *operations, tag=tag, trailers=(("Penwright-Sync", sync),) if sync else ())


def sync(desk: Desk, op_id: str | None = None) -> Synced:
    return desk.port.sync(desk.workspace, desk.effect(op_id), known=KNOWN, engine=ENGINE)


def test_a_preview_shows_what_a_sync_would_make_and_changes_nothing(desk: Desk) -> None:
    desk.add_remote()
    desk.push_from_elsewhere("notes.md", "One, pushed.\n\nTwo.\n\nThree.\n")
    desk.edit("notes.md", "One.\n\nTwo.\n\nThree, typed.\n")
    before = (desk.port.snapshot(desk.workspace, ["*"]), desk.lying("notes.md"))

    def preview(*, remote: bool = True) -> Previewed:
        return desk.port.preview(desk.workspace, desk.effect(), ["*.md"], known=KNOWN, remote=remote)

    here, merged = preview(remote=False), preview()

    assert (desk.port.snapshot(desk.workspace, ["*"]), desk.lying("notes.md")) == before
    assert here.snapshot.files["notes.md"].text == "One.\n\nTwo.\n\nThree, typed.\n"
    assert (merged.moved, merged.remote, merged.snapshot.tip) == (True, "current", before[0].tip)
    assert "notes.md" in merged.human_edits
    sync(desk)
    assert merged.snapshot.files["notes.md"].text == text(desk, "notes.md")


def test_an_edit_that_is_to_stay_in_the_folder_is_not_saved(desk: Desk) -> None:
    desk.edit("notes.md", "Mine.\n")
    desk.edit("Book.md", "Once more.\n")

    desk.port.save_human_edits(desk.workspace, desk.effect(), known=KNOWN, engine=(), left=("notes.md",))

    assert (text(desk, "Book.md"), desk.lying("notes.md")) == ("Once more.\n", "Mine.\n")
    assert text(desk, "notes.md") != "Mine.\n"


def test_a_plan_becomes_one_commit_and_the_worktree_follows(desk: Desk) -> None:
    desk.port.check(desk.workspace)

    published = desk.port.publish(
        plan(
            desk,
            Append(path="Book.md", tail="\nUpon a time.\n", base=blob(desk, "Book.md")),
            Create(path="new/folder/file.md", content="New.\n"),
            Delete(path="settings.yml", base=blob(desk, "settings.yml")),
        ),
        desk.effect(),
    )

    assert published.outcome == "published"
    assert desk.port.snapshot(desk.workspace, ["**"]).tip == published.commit
    assert desk.lying("Book.md") == text(desk, "Book.md") == "Once.\n\nUpon a time.\n"
    assert desk.lying("new/folder/file.md") == "New.\n"
    assert desk.lying("settings.yml") is None


def test_a_text_is_read_by_its_blob_id_as_long_as_it_is_known(desk: Desk) -> None:
    old, before = blob(desk, "notes.md"), text(desk, "notes.md")
    desk.commit("notes.md", "Other.\n")

    assert desk.port.text(desk.workspace, old) == before
    assert desk.port.text(desk.workspace, "0" * 40) is None
    assert desk.port.text(desk.workspace, "") is None
    assert desk.port.text(desk.workspace, "HEAD") is None


def test_a_repeated_effect_returns_the_stored_result(desk: Desk) -> None:
    effect = desk.effect()
    asked = plan(desk, Create(path="a.md", content="A\n"), tag="ink-2026-03-01-08-00")
    first = desk.port.publish(asked, effect)
    desk.port.publish(plan(desk, Create(path="b.md", content="B\n")), desk.effect())

    again = desk.port.publish(asked, effect)

    assert again.repeated
    assert (again.commit, again.tag) == (first.commit, "ink-2026-03-01-08-00")
    found = desk.port.find(desk.workspace, effect)
    assert found is not None
    assert found.trailers["Penwright-Op"] == effect.op_id


def test_another_change_under_the_same_op_id_is_refused_by_name(desk: Desk) -> None:
    effect = desk.effect()
    desk.port.publish(plan(desk, Create(path="a.md", content="A\n")), effect)

    with pytest.raises(Refused) as refused:
        desk.port.publish(plan(desk, Create(path="c.md", content="C\n")), effect)

    assert refused.value.code == "op-id-reused"
    assert effect.op_id in refused.value.message
    assert desk.lying("c.md") is None


def test_a_request_may_come_to_another_plan_when_it_is_tried_again(desk: Desk) -> None:
    effect = desk.effect()
    one, other = (
        plan(desk, Create(path=path, content="A\n")).model_copy(update={"asked": "close s1"})
        for path in ("a.md", "b.md")
    )

    first = desk.port.publish(one, effect)

    assert desk.port.publish(other, effect).commit == first.commit
    assert desk.port.find(desk.workspace, desk.effect()) is None


def test_a_tag_names_the_parent_and_gets_a_suffix_when_taken(desk: Desk) -> None:
    before = desk.port.snapshot(desk.workspace, []).tip
    first = desk.port.publish(
        plan(desk, Create(path="a.md", content="A"), tag="ink-2026-03-01-08-00"), desk.effect()
    )
    second = desk.port.publish(
        plan(desk, Create(path="b.md", content="B"), tag="ink-2026-03-01-08-00"), desk.effect()
    )

    assert second.tag == "ink-2026-03-01-08-00-2"
    assert desk.port.tags(desk.workspace) == (first.tag, second.tag)
    assert desk.port.snapshot(desk.workspace, [], at=f"refs/tags/{first.tag}").tip == before


def test_the_last_change_of_a_file_has_a_time(desk: Desk) -> None:
    desk.port.publish(plan(desk, Create(path="a.md", content="A")), desk.effect())
    changed = desk.port.changed_at(desk.workspace, "a.md")
    desk.commit("notes.md", "Other.\n")

    assert changed is not None
    assert desk.port.changed_at(desk.workspace, "a.md") == changed
    assert desk.port.changed_at(desk.workspace, "*.md") is None


def test_the_versions_of_a_file_are_the_commits_that_changed_it_newest_first(desk: Desk) -> None:
    first = desk.port.publish(plan(desk, Create(path="a.md", content="A")), desk.effect())
    desk.commit("notes.md", "Other.\n")
    change = Modify(path="a.md", content="B", base=blob(desk, "a.md"))
    second = desk.port.publish(plan(desk, change), desk.effect())
    gone = desk.port.publish(plan(desk, Delete(path="a.md", base=blob(desk, "a.md"))), desk.effect())

    versions = desk.port.versions(desk.workspace, "a.md")

    assert [each.commit for each in versions] == [gone.commit, second.commit, first.commit]
    assert versions[0].blob == ""
    assert [desk.port.text(desk.workspace, each.blob) for each in versions[1:]] == ["B", "A"]
    assert versions[1].trailers["Penwright-Op"] == second.trailers["Penwright-Op"]
    assert desk.port.versions(desk.workspace, "a.md", limit=1) == versions[:1]
    assert desk.port.versions(desk.workspace, "*.md") == ()


def test_disjoint_changes_merge_and_are_reported_as_reconciled(desk: Desk) -> None:
    base = blob(desk, "notes.md")
    desk.commit("notes.md", "One.\n\nTwo.\n\nThree, by hand.\n")

    published = desk.port.publish(
        plan(desk, Modify(path="notes.md", content="One, by engine.\n\nTwo.\n\nThree.\n", base=base)),
        desk.effect(),
    )

    assert published.reconciled
    assert desk.lying("notes.md") == text(desk, "notes.md") == "One, by engine.\n\nTwo.\n\nThree, by hand.\n"


def test_the_same_block_changed_twice_is_a_conflict_and_no_commit(desk: Desk) -> None:
    base = blob(desk, "notes.md")
    desk.commit("notes.md", "One, by hand.\n\nTwo.\n\nThree.\n")
    tip = desk.port.snapshot(desk.workspace, []).tip

    published = desk.port.publish(
        plan(desk, Modify(path="notes.md", content="One, by engine.\n\nTwo.\n\nThree.\n", base=base)),
        desk.effect(),
    )

    assert published.outcome == "conflict"
    assert [(c.path, c.ours.strip(), c.theirs.strip()) for c in published.conflicts] == [
        ("notes.md", "One, by engine.", "One, by hand.")
    ]
    assert desk.port.snapshot(desk.workspace, []).tip == tip


@pytest.mark.parametrize(
    "operation",
    [
        lambda base: Modify(path="settings.yml", content="a: 2\n", base=base),
        lambda base: Delete(path="settings.yml", base=base),
        lambda _: Create(path="settings.yml", content="a: 2\n"),
    ],
)
def test_a_file_without_prose_changes_whole_or_not_at_all(desk: Desk, operation: object) -> None:
    assert callable(operation)
    base = blob(desk, "settings.yml")
    desk.commit("settings.yml", "a: 1\nb: 2\n")

    assert desk.port.publish(plan(desk, operation(base)), desk.effect()).outcome == "conflict"
    assert text(desk, "settings.yml") == "a: 1\nb: 2\n"


def test_an_append_to_a_moved_base_follows_the_new_text(desk: Desk) -> None:
    base = blob(desk, "Book.md")
    desk.commit("Book.md", "Once more")

    published = desk.port.publish(
        plan(desk, Append(path="Book.md", tail="Tail.\n", base=base)), desk.effect()
    )

    assert published.reconciled
    assert text(desk, "Book.md") == "Once more\n\nTail.\n"


def test_a_renamed_file_takes_a_persons_change_along(desk: Desk) -> None:
    base = blob(desk, "notes.md")
    desk.commit("notes.md", "Changed.\n")

    desk.port.publish(plan(desk, Rename(path="notes.md", to="old/notes.md", base=base)), desk.effect())

    assert desk.lying("old/notes.md") == "Changed.\n"
    assert desk.lying("notes.md") is None


def test_the_null_id_is_replaced_by_the_planned_blob_id(desk: Desk) -> None:
    desk.port.publish(
        plan(
            desk,
            Append(path="Book.md", tail="More.\n", base=blob(desk, "Book.md")),
            Create(path="state.yml", content=f"blob: {'0' * 40}\n", null_id_of="Book.md"),
        ),
        desk.effect(),
    )

    assert text(desk, "state.yml") == f"blob: {blob(desk, 'Book.md')}\n"


def test_a_plan_that_is_already_true_changes_nothing(desk: Desk) -> None:
    tip = desk.port.snapshot(desk.workspace, []).tip

    published = desk.port.publish(plan(desk, Create(path="Book.md", content="Once.\n")), desk.effect())

    assert (published.outcome, published.commit) == ("unchanged", tip)


def test_the_gate_sees_governing_files_and_its_denial_is_a_result(tmp_path: Path) -> None:
    gate = Forbidding()
    desk = Desk(tmp_path, gate)
    desk.commit(".orchestration/active_intents.yaml", "intents: []\n")

    published = desk.port.publish(plan(desk, Create(path="a.md", content="A")), desk.effect())

    assert published.outcome == "denied"
    assert published.denial is not None
    assert published.denial.error_code == "OUT"
    registry = "file", b"intents: []\n"
    assert gate.seen == [("folder", ("active_intents.yaml",), None, *registry, [("a.md", b"A")])]
    assert desk.lying("a.md") is None


@for_each(
    "path",
    [
        "../up.md",
        "/etc/x",
        "a//b",
        "a/./b",
        ".git/config",
        "x/.GIT/y",
        "a\\b",
        "nul\0",
        "",
        "a\nb",
        "git~1/x",
    ],
)
def test_a_path_that_leaves_the_workspace_is_refused(desk: Desk, path: str) -> None:
    with pytest.raises(Refused) as refused:
        desk.port.publish(plan(desk, Create(path=path, content="x")), desk.effect())

    assert refused.value.code == "unsafe-path"


@for_each("path", ["../up.md", "/etc/x", ".git/config", "Soul\ud800.md", "git~1/x"])
def test_a_path_that_leaves_the_workspace_is_denied_to_an_intent(desk: Desk, path: str) -> None:
    escaping = plan(desk, Create(path=path, content="x"), Create(path="../other.md", content="x"))
    pinned = escaping.model_copy(update={"pin": IntentPin(intent_id="INT-001", digest="")})

    denial = desk.port.publish(pinned, desk.effect()).denial

    assert denial is not None
    assert denial.error_code == "PATH_ESCAPE"
    assert repr(path) in denial.message
    assert "'../other.md'" in denial.message


def test_a_plan_that_touches_a_path_twice_or_nothing_is_refused(desk: Desk) -> None:
    twice = (Create(path="a.md", content="1"), Create(path="a.md", content="2"))
    codes = []
    for operations in ((), twice):
        with pytest.raises(Refused) as refused:
            desk.port.publish(plan(desk, *operations), desk.effect())
        codes.append(refused.value.code)

    assert codes == ["empty-plan", "path-twice"]


def test_an_unsaved_edit_is_left_alone_and_merged_when_saved(desk: Desk) -> None:
    desk.edit("notes.md", "One.\n\nTwo.\n\nThree, unsaved.\n")

    published = desk.port.publish(
        plan(desk, Modify(path="notes.md", content="One!\n\nTwo.\n\nThree.\n", base=blob(desk, "notes.md"))),
        desk.effect(),
    )

    assert published.unsaved == ("notes.md",)
    assert desk.lying("notes.md") == "One.\n\nTwo.\n\nThree, unsaved.\n"
    saved = desk.port.save_human_edits(desk.workspace, desk.effect(), known=KNOWN, engine=ENGINE)
    assert saved == ("notes.md",)
    assert desk.lying("notes.md") == text(desk, "notes.md") == "One!\n\nTwo.\n\nThree, unsaved.\n"


def test_sync_commits_human_edits_once_and_lists_them_plainly(desk: Desk) -> None:
    desk.edit("notes.md", "One.\n")
    desk.edit("Chapters/Ünï \"quoted\" - 'x'.md", "New.\n")
    desk.edit("Book.md", "Once!\n")
    desk.edit("secret.key", "do not touch\n")

    first = sync(desk, "sync")
    again = sync(desk, "sync")

    assert first.human_edits == ("Chapters/Ünï \"quoted\" - 'x'.md", "notes.md")
    assert (again.human_edits, again.tip) == (first.human_edits, first.tip)
    assert first.ignored == ("secret.key",)
    assert first.remote == "none"
    assert text(desk, "Book.md") == "Once!\n"


def test_human_edits_are_those_since_the_newest_synced_tip(desk: Desk) -> None:
    desk.add_remote()
    desk.edit("notes.md", "Before.\n")
    synced = sync(desk)
    desk.port.publish(plan(desk, Create(path=".ink-running", content="x"), sync=synced.tip), desk.effect())
    desk.edit("during.md", "During.\n")
    desk.port.save_human_edits(desk.workspace, desk.effect(), known=KNOWN, engine=ENGINE)
    desk.port.publish(plan(desk, Create(path="engine.md", content="By engine.\n")), desk.effect())
    desk.push_from_elsewhere("remote.md", "From elsewhere.\n")

    assert sync(desk).human_edits == ("during.md", "remote.md")


def test_the_first_sync_reports_what_the_remote_brings_and_nothing_older(desk: Desk) -> None:
    desk.add_remote()
    desk.push_from_elsewhere("remote.md", "From elsewhere.\n")
    desk.edit("notes.md", "One, changed.\n\nTwo.\n\nThree.\n")

    first = sync(desk)
    again = sync(desk)

    assert first.human_edits == again.human_edits == ("notes.md", "remote.md")


def test_a_remote_that_moved_is_merged_and_both_blocks_of_a_conflict_stay(desk: Desk) -> None:
    desk.add_remote()
    desk.push_from_elsewhere("notes.md", "Theirs.\n\nTwo.\n\nThree.\n")
    desk.edit("notes.md", "Ours.\n\nTwo.\n\nThree.\n")

    synced = sync(desk)

    assert synced.remote == "current"
    assert [conflict.path for conflict in synced.conflicts] == ["notes.md"]
    lying = desk.lying("notes.md") or ""
    assert lying.replace(f"{conflict_note(1, 1)}\n\n", "") == "Theirs.\n\nOurs.\n\nTwo.\n\nThree.\n"
    assert conflict_lines(lying) == (3,)


def test_a_push_names_the_conflicts_it_met_on_the_way(desk: Desk) -> None:
    desk.add_remote()
    desk.push_from_elsewhere("notes.md", "Theirs.\n\nTwo.\n\nThree.\n")
    desk.commit("notes.md", "Ours.\n\nTwo.\n\nThree.\n")

    first = desk.port.push(desk.workspace, desk.effect())
    second = desk.port.push(desk.workspace, desk.effect())

    assert (first.outcome, first.conflicts) == ("pushed", ("notes.md",))
    assert second.conflicts == ()
    assert conflict_lines(text(desk, "notes.md")) == (3,)


def test_an_absent_remote_does_not_stop_a_session(desk: Desk) -> None:
    desk.add_remote()
    desk.cut_remote()

    synced = sync(desk)

    assert synced.remote == "unreachable"
    assert synced.reason.startswith("remote-")


def test_a_push_merges_newer_remote_commits(desk: Desk) -> None:
    desk.add_remote()
    desk.port.publish(plan(desk, Create(path="a.md", content="A\n")), desk.effect())
    desk.push_from_elsewhere("theirs.md", "Theirs.\n")
    assert desk.port.unpushed(desk.workspace) == 1

    pushed = desk.port.push(desk.workspace, desk.effect())

    assert (pushed.outcome, pushed.tip) == ("pushed", desk.port.snapshot(desk.workspace, []).tip)
    assert text(desk, "theirs.md") == "Theirs.\n"
    assert desk.port.unpushed(desk.workspace) == 0


def test_a_workspace_without_remote_is_local(desk: Desk) -> None:
    assert desk.port.push(desk.workspace, desk.effect()).outcome == "local"
    assert desk.port.unpushed(desk.workspace) == 0


def session(desk: Desk, number: int) -> str:
    published = desk.port.publish(
        plan(desk, Create(path=f"session-{number}.md", content=f"{number}\n"), tag="ink-2026-03-01-08-00"),
        desk.effect(),
    )
    assert published.tag is not None
    return published.tag


def test_two_rollbacks_go_two_sessions_back_and_two_undos_return(desk: Desk) -> None:
    first, second = session(desk, 1), session(desk, 2)
    tip = desk.port.snapshot(desk.workspace, []).tip
    desk.edit("notes.md", "Unsaved.\n")

    one = desk.port.restore(desk.workspace, desk.effect("r1"), target=None, undo=False)
    two = desk.port.restore(desk.workspace, desk.effect("r2"), target=None, undo=False)

    assert (one.target, two.target) == (second, first)
    assert (one.discarded_commits, one.saved_unsaved) == (1, ("notes.md",))
    assert (desk.lying("session-1.md"), desk.lying("session-2.md")) == (None, None)
    assert desk.lying("notes.md") == "Unsaved.\n"
    assert desk.port.tags(desk.workspace) == ()

    desk.port.restore(desk.workspace, desk.effect("u1"), target=None, undo=True)
    back = desk.port.restore(desk.workspace, desk.effect("u2"), target=None, undo=True)

    assert back.tip == tip
    assert desk.lying("session-2.md") == "2\n"
    assert desk.lying("notes.md") == "Unsaved.\n"
    assert desk.port.tags(desk.workspace) == (first, second)


def test_a_repeated_rollback_returns_the_stored_result(desk: Desk) -> None:
    session(desk, 1)
    session(desk, 2)
    effect = desk.effect("once")

    first = desk.port.restore(desk.workspace, effect, target=None, undo=False)
    again = desk.port.restore(desk.workspace, effect, target=None, undo=False)

    assert first == again
    assert desk.lying("session-1.md") == "1\n"


def test_a_rollback_keeps_what_people_pushed_on_top(desk: Desk) -> None:
    desk.add_remote()
    session(desk, 1)
    desk.port.push(desk.workspace, desk.effect())
    desk.port.restore(desk.workspace, desk.effect(), target=None, undo=False)
    assert sync(desk).tip == desk.port.snapshot(desk.workspace, []).tip
    assert desk.lying("session-1.md") is None
    desk.push_from_elsewhere("notes.md", "One.\n\nTwo, later.\n\nThree.\n")

    pushed = desk.port.push(desk.workspace, desk.effect())
    sync(desk)

    assert pushed.outcome == "pushed"
    assert desk.lying("session-1.md") is None
    assert desk.lying("notes.md") == "One.\n\nTwo, later.\n\nThree.\n"


def test_a_reset_ends_the_old_tags_life(desk: Desk) -> None:
    session(desk, 1)
    desk.port.archive(desk.workspace, desk.effect())
    begin = plan(desk, Delete(path="session-1.md", base=blob(desk, "session-1.md")))
    desk.port.publish(begin.model_copy(update={"trailers": (("Penwright-Step", "reset"),)}), desk.effect())

    assert desk.port.tags(desk.workspace) == ()
    with pytest.raises(NotFound):
        desk.port.restore(desk.workspace, desk.effect(), target=None, undo=False)
    assert desk.port.can_undo(desk.workspace)
    desk.port.restore(desk.workspace, desk.effect(), target=None, undo=True)
    assert not desk.port.can_undo(desk.workspace)
    assert desk.lying("session-1.md") == "1\n"


def test_missing_objects_have_error_codes(desk: Desk) -> None:
    def code(failing: object) -> str:
        assert callable(failing)
        with pytest.raises(PenwrightError) as raised:
            failing()
        return raised.value.code

    effect = desk.effect()
    nowhere = Workspace(path="/nowhere/at/all")

    assert (
        code(lambda: desk.port.restore(desk.workspace, effect, target=None, undo=False)) == "no-session-tag"
    )
    assert (
        code(lambda: desk.port.restore(desk.workspace, effect, target="ink-x", undo=False)) == "no-such-tag"
    )
    assert (
        code(lambda: desk.port.restore(desk.workspace, effect, target=None, undo=True)) == "no-such-archive"
    )
    assert code(lambda: desk.port.snapshot(desk.workspace, [], at="feed")) == "no-such-commit"
    with pytest.raises(BrokenWorkspace):
        desk.port.check(nowhere)


LOCKED = Create(path=".ink-running", content="ours\n")
MINUTE = "ink-2026-03-01-08-00"


def test_a_claim_brings_commit_and_tag_to_the_remote(desk: Desk) -> None:
    desk.add_remote()
    effect = desk.effect()
    desk.port.publish(plan(desk, LOCKED, tag=MINUTE), effect)

    assert desk.port.claim(desk.workspace, effect).outcome == "held"
    assert desk.port.unpushed(desk.workspace) == 0
    assert desk.port.claim(desk.workspace, effect).outcome == "held"


def test_a_claim_without_a_remote_is_local_and_one_without_an_answer_stays(desk: Desk) -> None:
    effect = desk.effect()
    desk.port.publish(plan(desk, LOCKED), effect)

    assert desk.port.claim(desk.workspace, effect).outcome == "local"

    desk.add_remote()
    desk.cut_remote()
    with suppress(RemoteUnavailable):
        assert desk.port.claim(desk.workspace, effect).outcome == "pending"
    assert desk.lying(".ink-running") == "ours\n"


def test_a_claim_that_comes_too_late_is_taken_back_with_its_tag_and_file(desk: Desk) -> None:
    desk.add_remote()
    before = desk.port.snapshot(desk.workspace, []).tip
    effect = desk.effect()
    desk.port.publish(plan(desk, LOCKED, tag=MINUTE), effect)
    desk.push_from_elsewhere(".ink-running", "theirs\n")

    assert desk.port.claim(desk.workspace, effect).outcome == "lost"

    assert desk.port.snapshot(desk.workspace, []).tip == before
    assert desk.port.tags(desk.workspace) == ()
    assert desk.port.find(desk.workspace, effect) is None
    assert desk.lying(".ink-running") is None
    sync(desk)
    assert desk.lying(".ink-running") == text(desk, ".ink-running") == "theirs\n"


def test_a_claim_that_comes_too_late_leaves_no_merge_and_keeps_the_authors_edits_saved(desk: Desk) -> None:
    desk.add_remote()
    desk.push_from_elsewhere("notes.md", "Other notes.\n")
    desk.edit("new.md", "Mine.\n")
    effect = desk.effect()
    sync(desk, f"{effect.op_id}/sync")
    assert text(desk, "notes.md") == "Other notes.\n"
    desk.port.publish(plan(desk, LOCKED, tag=MINUTE), effect)
    desk.push_from_elsewhere(".ink-running", "theirs\n")

    assert desk.port.claim(desk.workspace, effect).outcome == "lost"

    (newest,) = desk.port.versions(desk.workspace, "new.md", limit=9)
    assert desk.port.snapshot(desk.workspace, []).tip == newest.commit
    assert desk.lying("new.md") == text(desk, "new.md") == "Mine.\n"
    assert desk.lying("notes.md") == text(desk, "notes.md") != "Other notes.\n"
    assert desk.lying(".ink-running") is None
    sync(desk)
    assert desk.lying("notes.md") == text(desk, "notes.md") == "Other notes.\n"


def test_a_merge_is_taken_back_once_and_only_if_it_is_the_newest_and_not_pushed(desk: Desk) -> None:
    desk.add_remote()
    desk.push_from_elsewhere("notes.md", "Other notes.\n")
    desk.edit("new.md", "Mine.\n")
    effect = desk.effect()
    sync(desk, f"{effect.op_id}/sync")

    assert not desk.port.take_back(desk.workspace, desk.effect())
    assert text(desk, "notes.md") == "Other notes.\n"
    assert desk.port.take_back(desk.workspace, effect)
    assert not desk.port.take_back(desk.workspace, effect)

    (newest,) = desk.port.versions(desk.workspace, "new.md", limit=9)
    assert desk.port.snapshot(desk.workspace, []).tip == newest.commit
    assert desk.lying("notes.md") == text(desk, "notes.md") != "Other notes.\n"

    again = desk.effect()
    sync(desk, f"{again.op_id}/sync")
    desk.port.push(desk.workspace, desk.effect())
    assert not desk.port.take_back(desk.workspace, again)
    assert text(desk, "notes.md") == "Other notes.\n"


def test_a_late_claim_that_a_person_went_on_from_is_merged_and_the_remote_holds_the_lock(desk: Desk) -> None:
    desk.add_remote()
    effect = desk.effect()
    desk.port.publish(plan(desk, LOCKED), effect)
    desk.push_from_elsewhere(".ink-running", "theirs\n")
    desk.commit("notes.md", "By hand.\n")

    assert desk.port.claim(desk.workspace, effect).outcome == "merged"

    assert text(desk, ".ink-running") == desk.lying(".ink-running") == "theirs\n"
    assert text(desk, "notes.md") == "By hand.\n"
    assert desk.port.unpushed(desk.workspace) == 0


def test_the_first_sync_of_an_adopted_book_reports_what_others_pushed(desk: Desk) -> None:
    desk.add_remote()
    desk.commit("settings.yml", "a: 2\n")
    desk.push_from_elsewhere("notes.md", "Other notes.\n")
    desk.edit("new.md", "Mine.\n")

    first, again = sync(desk, "op"), sync(desk, "op")

    assert first.human_edits == again.human_edits == ("new.md", "notes.md")
    desk.port.publish(plan(desk, LOCKED, sync=again.tip), desk.effect())
    assert sync(desk).human_edits == ()
