"""A whole ledger, out and back again."""

from pathlib import Path

import pytest

from penwright.domain.text.blocks import content_hash
from penwright.domain.trace.agent_trace import Exchanged, exchanged, imported
from penwright.domain.trace.chain import line_of
from penwright.domain.trace.layout import LEDGER
from schemas.agent_trace import AgentTrace
from tests.support.books.repos import git
from tests.support.ledgers.scribes import BOOK, Scribes, paragraphs, scribes_in


@pytest.fixture
def scribes(tmp_path: Path) -> Scribes:
    return scribes_in(tmp_path)


def export(scribes: Scribes) -> list[Exchanged]:
    with scribes.source() as source:
        return list(exchanged(source))


def ledger(scribes: Scribes) -> str:
    with scribes.source() as source:
        return (source.at(source.tip, LEDGER) or b"").decode()


def test_every_kind_of_change_is_exported_validly_and_imported_whole(scribes: Scribes) -> None:
    person = "A paragraph by a person who takes her time over it."
    scribes.person({BOOK: paragraphs(person), "Chapters/one.md": paragraphs("# One")})
    commits = [
        scribes.model({BOOK: paragraphs(person, "By a machine.")}),
        scribes.model({BOOK: paragraphs(person.replace("her time", "his time"), "By a machine.")}),
        scribes.engine({"Chapters/one.md": None}),
        scribes.rename("notes.md", "Chapters/notes.md"),
    ]
    before = ledger(scribes)

    found = export(scribes)

    assert [each.fault for each in found] == [""] * 5
    traces = [AgentTrace.model_validate_json(each.line) for each in found]
    assert [trace.vcs.revision for trace in traces if trace.vcs][1:] == commits
    contributors = {
        c.contributor.type for t in traces for f in t.files for c in f.conversations if c.contributor
    }
    ranges = [r for t in traces for f in t.files for c in f.conversations for r in c.ranges]
    assert contributors >= {"human", "ai"}
    assert "mixed" in [each.contributor.type for each in ranges if each.contributor]
    back = [each.record for each in imported(each.line for each in found)]
    assert b"".join(line_of(record) for record in back if record) == before.encode()


def test_every_line_range_is_right_at_the_revision_it_names(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs("# One", "First.\nSecond line.", "Third.")})
    (one,) = export(scribes)
    trace = AgentTrace.model_validate_json(one.line)
    assert trace.vcs is not None
    with scribes.source() as source:
        rows = (source.at(trace.vcs.revision, BOOK) or b"").decode().split("\n")
    shown = ["\n".join(rows[r.start_line - 1 : r.end_line]) for r in trace.files[0].conversations[0].ranges]
    assert shown == ["# One", "First.\nSecond line.", "Third."]
    assert [r.content_hash for r in trace.files[0].conversations[0].ranges] == [
        content_hash(each) for each in shown
    ]


def test_lines_by_other_tools_are_left_out_by_name(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs("By a machine.")})
    scribes.by_hand(LEDGER, ledger(scribes) + '{"id":"1","files":[]}\n')

    found = export(scribes)

    assert [(bool(each.line), each.fault) for each in found] == [(True, ""), (False, "LEGACY_RECORD")]


def test_a_damaged_line_is_left_out_by_name_and_the_others_go_out(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs("One by a machine.")})
    scribes.model({BOOK: paragraphs("One by a machine.", "Two by a machine.")})
    first, second = ledger(scribes).splitlines()
    scribes.by_hand(LEDGER, f"{first.replace('demo/quill', 'demo/other')}\n{second}\n")

    found = export(scribes)

    assert [(each.number, each.fault) for each in found] == [(1, "CHAIN_HASH_MISMATCH"), (2, "")]
    assert [bool(each.line) for each in found] == [False, True]


def test_an_uncommitted_line_is_not_exported(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs("One by a machine.")})
    scribes.desk.edit(LEDGER, ledger(scribes) * 2)
    assert len(export(scribes)) == 1


def test_commits_are_found_where_a_squash_lost_the_trailers(tmp_path: Path) -> None:
    scribes, folder = scribes_in(tmp_path), tmp_path / "book"
    before = git(folder, "rev-parse", "HEAD")
    scribes.model({BOOK: paragraphs("One by a machine.")})
    scribes.model({BOOK: paragraphs("One by a machine.", "Two by a machine.")})
    git(folder, "reset", "-q", "--soft", before)
    git(folder, "commit", "-q", "-m", "Squash")
    squash = git(folder, "rev-parse", "HEAD")

    traces = [AgentTrace.model_validate_json(each.line) for each in export(scribes)]

    assert [trace.vcs.revision for trace in traces if trace.vcs] == [squash, squash]
