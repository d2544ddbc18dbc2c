"""The effects of a session, in terms that two runs of the same session share."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import psycopg
from sqlalchemy.engine import make_url

from penwright.domain.book.files.layout import CHANGELOG_FOLDER, LOCK
from penwright.domain.trace.chain import linked, read_lines
from penwright.domain.trace.layout import LEDGER
from schemas.book_session import BookSessionResult
from schemas.trace import TraceRecord
from tests.support.books.repos import git
from tests.support.books.running_books import RunningBook

_MINUTE = re.compile(r"\d{4}-\d{2}-\d{2}[- T]\d{2}[-:]\d{2}(?::\d{2}Z|-\d+(?=\b))?")
_TOKENS = re.compile(r'"input_tokens": \d+')
"""A tag in the prompt is longer where two sessions began in one minute."""
_APPROVAL = re.compile(r'\bAP-[0-9a-f]{8}\b|"expires_at": "[^"]*"')
"""Its plan holds a minute."""
_SHA = re.compile(r"\b(?:[0-9a-f]{40}|[0-9a-f]{64})\b")


@dataclass(frozen=True)
class SessionSummary:
    """Everything that must not depend on killed processes."""

    outcome: dict[str, Any]  # JSON
    files: dict[str, str]
    """Every file at the tip but the Changelog, whose names are minutes."""
    ledger: list[str]
    """Each record's effect and blocks; times and hashes, and so the chain, differ from run to run."""
    changelog: list[str]
    tags: int
    commits: list[str]
    """Subject and step of each commit since the book was laid out, oldest first."""
    ops: list[str]
    trees_clean: bool
    locked: bool
    remote_has_everything: bool
    model_calls: list[tuple[str, str]]
    """Op id and state."""
    events: list[tuple[str, str, str]]
    """Op id, kind and data."""
    run: list[tuple[object, ...]]

    def differences(self, other: "SessionSummary") -> list[str]:
        """Differing fields, for people; empty if there are none."""
        mine, theirs = asdict(self), asdict(other)
        return [f"{name}: {mine[name]!r} != {theirs[name]!r}" for name in mine if mine[name] != theirs[name]]


def summarise_session(book: RunningBook, result: BookSessionResult, database_url: str) -> SessionSummary:
    """Summarise ``book`` after its last session ended with ``result``."""

    def plain(text: str) -> str:
        text = text.replace(book.book_id, "BOOK").replace(str(book.folder), "FOLDER")
        text = _APPROVAL.sub("APPROVAL", text)
        return _TOKENS.sub('"input_tokens": 0', _SHA.sub("SHA", _MINUTE.sub("MINUTE", text)))

    paths = book.git("ls-tree", "-r", "--name-only", "main").splitlines()
    entries = sorted(path for path in paths if path.startswith(f"{CHANGELOG_FOLDER}/"))
    log = book.git("log", "--reverse", "--format=%s|%(trailers:key=Penwright-Step,valueonly,separator=)")
    ops = book.git("log", "--reverse", "--format=%(trailers:key=Penwright-Op,valueonly,separator=)")
    rows = _Rows(database_url, book.book_id)
    return SessionSummary(
        outcome=json.loads(plain(result.model_dump_json(exclude={"book_id"}))),
        files={path: plain(book.text(path)) for path in paths if path not in entries and path != LEDGER},
        ledger=[plain(line) for line in _lines(book.text(LEDGER))] if LEDGER in paths else [],
        changelog=sorted(plain(book.text(path)) for path in entries),
        tags=len(book.tags),
        commits=plain(log).splitlines(),
        ops=[plain(line) for line in ops.splitlines() if line],
        trees_clean=book.git("status", "--porcelain") == "",
        locked=LOCK in paths,
        remote_has_everything=_refs(book, "origin") == _refs(book, "here"),
        model_calls=[(plain(op), state) for op, state in rows.model_calls()],
        events=[(plain(op), kind, plain(json.dumps(data))) for op, kind, data in rows.events()],
        run=[tuple(plain(str(value)) for value in row) for row in rows.runs()],
    )


def _lines(ledger: str) -> Iterator[str]:
    chain = linked(read_lines(ledger.encode()))
    assert chain.sound
    assert len(chain.heads) == 1
    for line in chain.lines:
        assert line.record is not None
        record = TraceRecord.model_validate(line.record)
        blocks = [
            (file.relative_path, file.op, [(each.change, each.block_hash) for each in part.ranges])
            for file in record.files
            for part in file.conversations
        ]
        yield f"{record.op.key} {record.mutation.detail} {blocks}"


def _refs(book: RunningBook, where: str) -> list[str]:
    """Branch and session tags, as our side or as the remote has them."""
    folder = book.remote if where == "origin" else book.folder
    refs = ("refs/heads/main", "refs/tags/ink-*")
    return git(folder, "for-each-ref", "--format=%(refname) %(objectname)", *refs).splitlines()


class _Rows:
    """Rows of one book."""

    def __init__(self, database_url: str, book_id: str) -> None:
        self._url = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._book_id = book_id

    def model_calls(self) -> list[tuple[Any, ...]]:  # rows
        return self._all("select op_id, state from model_calls where subject = %s order by op_id")

    def events(self) -> list[tuple[Any, ...]]:  # rows
        return self._all("select op_id, kind, data from events where subject = %s order by op_id, kind")

    def runs(self) -> list[tuple[Any, ...]]:  # rows
        wanted = "run, stage, outcome, words, cost_micros"
        return self._all(f"select {wanted} from runs where subject = %s order by run")

    def _all(self, query: str) -> list[tuple[Any, ...]]:  # rows
        with psycopg.connect(self._url) as connection:
            return connection.execute(query.encode(), (self._book_id,)).fetchall()
