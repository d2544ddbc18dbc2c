"""The ledger: the line is in the commit of its change."""

import json
from pathlib import Path
from typing import Any

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.registry import FIRST
from penwright.domain.trace import layout
from penwright.domain.trace.chain import line_of, linked, read_lines
from penwright.domain.trace.intent_map.mapping import render
from penwright.domain.trace.intent_map.tallies import map_state
from penwright.domain.trace.layout import LEDGER
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.intents import Approval, IntentPin
from schemas.workspace import Append, Contributor, Create, Delete, Modify, Operation, Published
from tests.support.books.desks import Desk
from tests.support.books.repos import ENGINE, KNOWN, git, plan_of

CHAPTER = "\n\n".join(
    f"Paragraph {name} stands here, by a human hand." for name in ["one", "two", "three", "four"]
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))


@pytest.fixture
def book(tmp_path: Path) -> Desk:
    return Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))


def text(desk: Desk, path: str, at: str | None = None) -> str:
    return desk.port.snapshot(desk.workspace, [path], at=at).files[path].text


def blob(desk: Desk, path: str) -> str:
    return desk.port.snapshot(desk.workspace, [path]).files[path].blob


def records(desk: Desk, at: str | None = None) -> list[dict[str, Any]]:
    """Lines of the open segment."""
    files = desk.port.snapshot(desk.workspace, [LEDGER], at=at).files
    return [json.loads(line) for line in files[LEDGER].text.splitlines()] if LEDGER in files else []


def publish(
    desk: Desk, *operations: Operation, by: Contributor = Contributor.MODEL, **more: Any
) -> Published:
    plan = plan_of(desk.workspace, *operations).model_copy(
        update={
            "contributor": by,
            "tool": "book.close",
            "trailers": (("Penwright-Model", "demo/writer"),),
            "pin": IntentPin(intent_id="INT-003", digest="sha256:0"),
            **more,
        }
    )
    return desk.port.publish(plan, desk.effect())


def save(desk: Desk) -> None:
    desk.port.save_human_edits(desk.workspace, desk.effect(), known=KNOWN, engine=ENGINE)


def ranges(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        each for file in record["files"] for part in file["conversations"] for each in part.get("ranges", ())
    ]


def test_the_line_names_the_override_set_of_its_agent(desk: Desk) -> None:
    trailers = (("Penwright-Model", "demo/writer"), ("Penwright-Overrides", "bold"))
    publish(desk, Append(path="Book.md", tail="\nMore.\n", base=blob(desk, "Book.md")), trailers=trailers)

    (related,) = [part["related"] for file in records(desk)[-1]["files"] for part in file["conversations"]]
    assert {"type": "overrides", "value": "bold"} in related


def test_the_line_is_in_the_commit_of_its_change(desk: Desk) -> None:
    before = desk.port.snapshot(desk.workspace, []).tip
    published = publish(desk, Append(path="Book.md", tail="\nUpon a time.\n", base=blob(desk, "Book.md")))

    (record,) = records(desk, published.commit)
    assert published.trailers["Trace-Id"] == record["id"]
    assert published.trailers["Trace-Head"] == record["integrity"]["hash"]
    assert published.trailers["Mutation-Class"] == "INTENT_EVOLUTION"
    assert record["vcs"]["revision_id"] == before
    assert record["intent"] == {"id": "INT-003", "registry_digest": "sha256:0", "matched": []}
    (file,) = record["files"]
    assert (file["relative_path"], file["op"]) == ("Book.md", "modify")
    assert file["blob_after"] == blob(desk, "Book.md")
    (conversation,) = file["conversations"]
    assert conversation["contributor"] == {"entity_type": "AI", "model_identifier": "demo/writer"}
    (added,) = conversation["ranges"]
    assert (added["start_line"], added["end_line"], added["change"]) == (3, 3, "added")
    assert desk.lying(LEDGER) == text(desk, LEDGER)


@pytest.mark.parametrize(("tool", "mutation"), [("book.close", "AST_REFACTOR"), ("edit", "INTENT_EVOLUTION")])
def test_a_class_counts_what_is_written_not_the_engines_notes_about_it(
    desk: Desk, tool: str, mutation: str
) -> None:
    """A summary grows with every session; that a paragraph only moved stays true."""
    paragraph = "The tide went out, and the boats lay on their sides in the mud.\n"
    desk.commit("Review/current.md", paragraph)
    desk.commit("Global Material/Summary.md", "# Summary\n")

    published = publish(
        desk,
        Append(path="Book.md", tail=f"\n{paragraph}", base=blob(desk, "Book.md")),
        Modify(path="Review/current.md", content="", base=blob(desk, "Review/current.md")),
        Append(
            path="Global Material/Summary.md",
            tail="\nThe tide of 1912 went out.\n",
            base=blob(desk, "Global Material/Summary.md"),
        ),
        tool=tool,
    )

    assert published.trailers["Mutation-Class"] == mutation


def test_each_record_names_the_one_before_it(desk: Desk) -> None:
    for word in ("One", "Two", "Three"):
        publish(desk, Append(path="Book.md", tail=f"\n{word} more line.\n", base=blob(desk, "Book.md")))
    chain = linked(read_lines(text(desk, LEDGER).encode()))
    assert chain.sound
    assert len(chain.lines) == 3
    assert chain.roots == ()
    assert chain.heads == (records(desk)[-1]["integrity"]["hash"],)


def test_the_record_says_which_pattern_allowed_the_change(desk: Desk) -> None:
    desk.commit(".orchestration/active_intents.yaml", FIRST)
    publish(
        desk,
        Create(path="Review/current.md", content="A tale.\n"),
        pin=IntentPin(intent_id="INT-001", digest=""),
    )
    (record,) = records(desk)
    assert record["intent"]["matched"] == ["Review/current.md"]


def test_a_repeated_effect_has_one_line(desk: Desk) -> None:
    effect = desk.effect()
    plan = plan_of(desk.workspace, Create(path="a.md", content="A tale.\n"))
    desk.port.publish(plan, effect)
    assert desk.port.publish(plan, effect).repeated
    assert len(records(desk)) == 1


def test_bookkeeping_and_governing_files_are_not_recorded(desk: Desk) -> None:
    published = publish(
        desk,
        Create(path=".ink-running", content="{}"),
        Create(path=".orchestration/active_intents.yaml", content="active_intents: []\n"),
        Create(path="Changelog/2026.md", content="Wrote.\n"),
    )
    assert published.outcome == "published"
    assert records(desk) == []


def test_one_paragraph_changed_and_one_inserted_are_two_ranges(desk: Desk) -> None:
    desk.edit("notes.md", CHAPTER + "\n")
    save(desk)
    changed = CHAPTER.replace("two stands here", "two still stands here").replace(
        "Paragraph four", "A new paragraph by a machine.\n\nParagraph four"
    )
    publish(desk, Modify(path="notes.md", content=changed + "\n", base=blob(desk, "notes.md")))

    human, model = records(desk)
    assert {
        part["contributor"]["entity_type"] for file in human["files"] for part in file["conversations"]
    } == {"HUMAN"}
    assert "intent" not in human
    found = [(each["change"], each["start_line"], each["end_line"]) for each in ranges(model)]
    assert found == [("replaced", 3, 3), ("added", 7, 7)]
    assert ranges(model)[0]["contributor"]["entity_type"] == "MIXED"
    assert ranges(model)[0]["before_block_hash"] == ranges(human)[1]["block_hash"]


def test_a_block_that_moves_to_another_file_keeps_its_author_and_intent(desk: Desk) -> None:
    publish(desk, Create(path="Review/current.md", content="<!-- INK:NEW:START -->\nThe tide went out.\n"))
    publish(
        desk,
        Append(path="Book.md", tail="\n<!-- PAGE 2 -->\n\nThe tide\nwent out.\n", base=blob(desk, "Book.md")),
        Modify(path="Review/current.md", content="What came next.\n", base=blob(desk, "Review/current.md")),
        by=Contributor.ENGINE,
        pin=None,
        trailers=(),
    )
    moved, new = sorted(ranges(records(desk)[-1]), key=lambda each: str(each["change"]), reverse=True)
    assert moved["change"] == "moved"
    assert moved["contributor"] == {"entity_type": "AI", "model_identifier": "demo/writer"}
    assert moved["intent"] == "INT-003"
    assert new["change"] == "added"


def test_a_record_lists_removed_blocks(desk: Desk) -> None:
    publish(desk, Modify(path="notes.md", content="One.\n\nThree.\n", base=blob(desk, "notes.md")))
    publish(desk, Delete(path="notes.md", base=blob(desk, "notes.md")))
    first, second = records(desk)
    assert [len(file["conversations"][0]["removed"]) for file in (first["files"] + second["files"])] == [1, 2]
    assert second["files"][0]["op"] == "delete"
    assert "blob_after" not in second["files"][0]


def test_an_approval_is_recorded_in_the_commit_it_allows(desk: Desk) -> None:
    approval = Approval(
        id="ap-1", plan_digest="sha256:1", codes=("SCOPE_VIOLATION",), by="orr@desk", reason="just once"
    )
    published = publish(desk, Create(path="a.md", content="A tale.\n"), approval=approval)
    decision, change = records(desk)
    assert published.trailers["Trace-Id"] == f"{decision['id']},{change['id']}"
    assert decision["decision"] == {
        "approval": "ap-1",
        "decided": "approved",
        "by": "orr@desk",
        "plan_digest": "sha256:1",
        "codes": ["SCOPE_VIOLATION"],
        "reason": "just once",
    }
    assert decision["files"] == []
    assert {"type": "approval", "value": "ap-1"} in change["files"][0]["conversations"][0]["related"]


def rebuilt(desk: Desk) -> str:
    """The map, counted from the whole ledger."""
    tallies = map_state([b"".join(map(line_of, records(desk)))]).tallies()
    return render(tallies, names={})


def test_the_map_after_each_change_equals_a_full_rebuild(desk: Desk) -> None:
    for word in ("One", "Two"):
        publish(desk, Append(path="Book.md", tail=f"\n# {word}\n\nA line.\n", base=blob(desk, "Book.md")))
        assert text(desk, layout.MAP) == rebuilt(desk)
    desk.edit(layout.MAP, text(desk, layout.MAP).replace("| 2 |", "| 7 |"))
    save(desk)
    publish(desk, Modify(path="notes.md", content="Other.\n", base=blob(desk, "notes.md")))
    assert text(desk, layout.MAP) == rebuilt(desk)


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[:-30] + "\n",
        lambda line: line.replace("AI", "HUMAN"),
        lambda line: '{"id":"by-hand","intent_id":"INT-003"}\n' + line,
        lambda line: line + line,
        lambda line: "\x00" * 70_000 + "\n",
    ],
    ids=["cut", "edited", "legacy", "doubled", "enormous"],
)
def test_a_damaged_ledger_stops_writing_but_never_loses_text(desk: Desk, damage: Any) -> None:
    publish(desk, Create(path="a.md", content="A tale.\n"))
    desk.commit(LEDGER, damage(text(desk, LEDGER)))
    tip = desk.port.snapshot(desk.workspace, []).tip

    denied = publish(desk, Create(path="b.md", content="Another.\n"))
    assert denied.outcome == "denied"
    assert denied.denial is not None
    assert denied.denial.error_code == "LEDGER_DAMAGED"
    assert desk.port.snapshot(desk.workspace, []).tip == tip

    desk.edit("notes.md", "By hand.\n")
    save(desk)
    assert text(desk, "notes.md") == "By hand.\n"
    kept = publish(desk, Create(path="Review/recovered-x.md", content="Kept.\n"), by=Contributor.ENGINE)
    assert kept.outcome == "published"


def test_uncommitted_ledger_edits_stay_out_of_the_branch(desk: Desk) -> None:
    publish(desk, Create(path="a.md", content="A tale.\n"))
    desk.edit(LEDGER, "")
    save(desk)
    assert len(records(desk)) == 1
    assert publish(desk, Create(path="b.md", content="Another.\n")).outcome == "published"
    assert len(records(desk)) == 2


def test_lines_of_two_clones_are_both_kept_and_joined(desk: Desk) -> None:
    publish(desk, Create(path="a.md", content="A tale.\n"))
    desk.add_remote()
    common = text(desk, LEDGER)
    publish(desk, Create(path="ours.md", content="Ours.\n"))
    ours = text(desk, LEDGER)
    theirs = _written_elsewhere(common)
    desk.push_from_elsewhere(LEDGER, theirs)
    desk.port.sync(desk.workspace, desk.effect(), known=KNOWN, engine=ENGINE)
    assert set(text(desk, LEDGER).splitlines()) == {*ours.splitlines(), *theirs.splitlines()}

    publish(desk, Create(path="after.md", content="After.\n"))
    chain = linked(read_lines(text(desk, LEDGER).encode()))
    assert chain.sound
    assert len(chain.lines) == 4
    assert len(chain.lines[-1].prev) == 2
    assert len(chain.heads) == 1


def _written_elsewhere(common: str) -> str:
    from penwright.domain.trace.chain import line_of, sealed

    first = json.loads(common.splitlines()[0])
    raw = {key: value for key, value in first.items() if key != "integrity"} | {"id": "elsewhere"}
    return common + line_of(sealed(raw, [first["integrity"]["hash"]])).decode()


def test_a_large_change_has_several_records_of_bounded_length(desk: Desk) -> None:
    many = "\n\n".join(
        f"# A rather long heading {n} {'x' * 200}\n\nParagraph {n} is here." for n in range(150)
    )
    publish(desk, Create(path="long.md", content=many))
    lines = text(desk, LEDGER).splitlines()
    assert len(lines) > 2
    assert max(len(line.encode()) for line in lines) < 64 * 1024
    assert linked(read_lines(text(desk, LEDGER).encode())).sound
    assert sum(len(ranges(record)) for record in records(desk)) == 300


def test_a_full_segment_is_closed_and_the_chain_continues(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = 4000
    monkeypatch.setattr("penwright.domain.trace.segments.SEGMENT_BYTES", small)
    for number in range(12):
        publish(desk, Append(path="Book.md", tail=f"\nLine {number}.\n", base=blob(desk, "Book.md")))
    files = desk.port.snapshot(
        desk.workspace, [".orchestration/agent_trace*", ".orchestration/agent_trace/**"]
    ).files
    closed = [path for path in files if layout.segment_number(path)]
    assert len(closed) >= 2
    assert all(len(files[path].text) <= small for path in closed)
    everything = b"".join(files[path].text.encode() for path in [*closed, LEDGER])
    chain = linked(read_lines(everything))
    assert chain.sound
    assert (len(chain.lines), chain.roots, len(chain.heads)) == (12, (), 1)
    manifest = [json.loads(line) for line in files[layout.MANIFEST].text.splitlines()]
    assert [entry["segment"] for entry in manifest] == sorted(
        closed, key=lambda p: layout.segment_number(p) or 0
    )


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every record closes the segment before it."""
    monkeypatch.setattr("penwright.domain.trace.segments.SEGMENT_BYTES", 1)


@pytest.mark.usefixtures("brief")
def test_closed_segments_add_only_one_name_to_the_folder(desk: Desk) -> None:
    for number in range(5):
        publish(desk, Create(path=f"{number}.md", content=f"Tale {number}.\n"))
    paths = {layout.CLOSED if layout.segment_number(path) else path for path in trail(desk)}
    assert paths == {LEDGER, layout.CLOSED, layout.MANIFEST, layout.ATTRIBUTES, layout.MAP}
    assert {layout.segment_path(number) for number in range(1, 5)} <= trail(desk).keys()


@pytest.mark.usefixtures("brief")
def test_closing_the_first_segment_completes_old_attributes(desk: Desk) -> None:
    publish(desk, Create(path="a.md", content="A tale.\n"))
    assert trail(desk)[layout.ATTRIBUTES] == layout.ATTRIBUTES_TEXT.decode()
    older = "agent_trace*.jsonl merge=union\nmine.txt -text"
    desk.commit(layout.ATTRIBUTES, older)

    publish(desk, Create(path="b.md", content="Another.\n"))

    assert trail(desk)[layout.ATTRIBUTES] == f"{older}\n{layout.ATTRIBUTES_CLOSED.decode()}"
    desk.commit(layout.ATTRIBUTES, older)
    publish(desk, Create(path="c.md", content="One more.\n"))
    assert trail(desk)[layout.ATTRIBUTES] == older


@pytest.mark.usefixtures("brief")
def test_git_keeps_the_lines_of_both_sides_of_every_segment(book: Desk) -> None:
    for name in "abc":
        publish(book, Create(path=f"{name}.md", content=f"A tale of {name}.\n"))
    segments = [LEDGER, layout.MANIFEST, layout.segment_path(1), layout.segment_path(2)]
    told = git(book.book.folder, "check-attr", "merge", "--", *segments, "a.md").splitlines()
    assert told == [*(f"{path}: merge: union" for path in segments), "a.md: merge: unspecified"]


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("left", ["", None, "mine\n"], ids=["emptied", "removed", "rewritten"])
def test_uncommitted_edits_of_a_closed_segment_stay_out_of_the_branch(desk: Desk, left: str | None) -> None:
    for name in "abc":
        publish(desk, Create(path=f"{name}.md", content=f"A tale of {name}.\n"))
    before = trail(desk)
    desk.edit(layout.segment_path(1), left)
    desk.edit(layout.segment_path(9), "Mine.\n")
    save(desk)
    assert trail(desk) == before


def test_a_file_in_place_of_the_closed_segments_denies_the_write(desk: Desk) -> None:
    publish(desk, Create(path="a.md", content="A tale.\n"))
    desk.commit(layout.CLOSED, "Somebody's own.\n")
    denied = publish(desk, Create(path="b.md", content="Another.\n"))
    assert denied.denial is not None
    assert (denied.denial.error_code, layout.CLOSED in denied.denial.message) == ("LEDGER_DAMAGED", True)
    assert text(desk, layout.CLOSED) == "Somebody's own.\n"


def trail(desk: Desk) -> dict[str, str]:
    """Everything the engine keeps of the trace at the tip."""
    files = desk.port.snapshot(desk.workspace, [f"{layout.FOLDER}/**"]).files
    return {path: file.text for path, file in files.items()}


def log_of(book: Desk, folder: Path | None = None) -> list[str]:
    """Trailers of the entries of this clone's log, newest first."""
    where = folder or book.book.folder
    refs = git(where, "for-each-ref", "--format=%(refname)", "refs/penwright/trace").split()
    assert len(refs) == 1
    form = " ".join(f"%(trailers:key=Trace-{name},valueonly,separator=%x2C)" for name in ("Kind", "Commit"))
    return git(where, "log", f"--format={form}", refs[0]).splitlines()


def test_every_record_is_noted_outside_the_branch_and_so_is_a_rollback(book: Desk) -> None:
    first = publish(book, Create(path="a.md", content="A tale.\n"), tag="ink-2026-03-01-08-00")
    second = publish(book, Create(path="b.md", content="Another.\n"))
    restored = book.port.restore(book.workspace, book.effect(), target=None, undo=False)
    assert log_of(book) == [
        f"revocation {restored.tip}",
        f"record {second.commit}",
        f"record {first.commit}",
    ]
    third = publish(book, Create(path="c.md", content="Again.\n"))
    assert log_of(book)[0] == f"record {third.commit}"
    assert len(records(book)) == 1


def test_the_log_travels_to_the_remote(book: Desk) -> None:
    book.add_remote()
    publish(book, Create(path="a.md", content="A tale.\n"))
    book.port.push(book.workspace, book.effect())
    assert log_of(book, book.root / "remote.git") == log_of(book)
    publish(book, Create(path="b.md", content="Another.\n"))
    book.port.push(book.workspace, book.effect())
    assert len(log_of(book, book.root / "remote.git")) == 2
