"""Ledgers for tests: a repository with as many records as wanted, and sources that were tampered with."""

import hashlib
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from penwright.adapters.clock import SystemClock
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.registry import FIRST, REGISTRY, read_registry
from penwright.domain.text.blocks import block_hash, content_hash, short_hash
from penwright.domain.trace.chain import Raw, line_of, sealed
from penwright.domain.trace.layout import LEDGER, MANIFEST, SEGMENT_BYTES, segment_path
from penwright.domain.trace.manifest import manifest_line
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport
from penwright.domain.trace.verifying.verifier import verify
from schemas.base import CommitSha
from schemas.intents import IntentPin
from schemas.pipeline import PipelineProfile
from schemas.trace import SCHEMA, Anchor, LedgerFile, TracedCommit
from schemas.workspace import Contributor, Create, Modify, Published, Workspace
from tests.support.books.desks import Desk
from tests.support.books.repos import ENGINE, KNOWN, git, identify, plan_of

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
CLONE = "b0b0b0b0b0b0"
_WORDS = (
    "tide",
    "lamp",
    "harbour",
    "winter",
    "letter",
    "mira",
    "bell",
    "salt",
    "stone",
    "window",
    "rope",
    "gull",
)


@dataclass(frozen=True)
class Tampered:
    """A source with a changed ledger, and nothing else changed."""

    source: TraceSource
    contents: Mapping[str, bytes | None]
    """By path; None where git has lost the content. A path that is not named is as it was."""
    dropped: Sequence[str] = ()
    """Files of the ledger that are gone."""
    log: Sequence[Anchor] | None = None

    @property
    def profile(self) -> PipelineProfile:
        return self.source.profile

    @property
    def tip(self) -> CommitSha:
        return self.source.tip

    def ledger(self) -> tuple[LedgerFile, ...]:
        return tuple(
            LedgerFile(
                path=each.path, blob=f"tampered:{each.path}" if each.path in self.contents else each.blob
            )
            for each in self.source.ledger()
            if each.path not in self.dropped
        )

    def files(self) -> Mapping[str, str]:
        return {path: sha for path, sha in self.source.files().items() if path not in self.dropped}

    def blob(self, sha: str) -> bytes | None:
        path = sha.removeprefix("tampered:")
        return self.contents[path] if path in self.contents else self.source.blob(sha)

    def at(self, commit: str, path: str) -> bytes | None:
        if commit == self.tip and (path in self.contents or path in self.dropped):
            return self.contents.get(path)
        return self.source.at(commit, path)

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        return self.source.commits(since=since, bookkeeping=bookkeeping)

    def reaches(self, commit: str) -> bool:
        return self.source.reaches(commit)

    def anchors(self, *, since: Mapping[str, str] | None = None) -> tuple[Anchor, ...]:
        return self.source.anchors(since=since) if self.log is None else tuple(self.log)


@dataclass
class LongTrace:
    """A repository that grows by one paragraph and one record a commit; built by ``git fast-import``.

    Only the newest commit holds the whole open segment: what lies between is told by trailers alone, as the
    verifier reads it, and a hundred thousand ledgers would take an hour to write.
    """

    folder: Path
    chapters: int = 100
    length: int = 40
    """Paragraphs of a chapter; from then on they are replaced, one after the other."""
    _texts: dict[str, list[str]] = field(default_factory=dict)
    _tip: str = ""
    _behind: set[str] = field(default_factory=set)
    """Branches that have commits of which the running import does not know."""
    _open: list[bytes] = field(default_factory=list)
    _size: int = 0
    _manifest: bytes = b""
    _closed: int = 0
    _heads: tuple[str, ...] = ()
    _count: int = 0
    _digest: str = ""
    _git: "subprocess.Popen[bytes] | None" = None

    def __enter__(self) -> "LongTrace":
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / ".git").exists():
            git(self.folder, "init", "-q", "-b", "main")
            identify(self.folder)
        self._git = subprocess.Popen(
            ["git", "fast-import", "--quiet", "--cat-blob-fd=1"],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        if not self._tip:
            found = read_registry(FIRST.replace("Review/current.md", "Chapters/**").encode())
            self._digest = found.intents[0].digest
            self._commit("Begin", {REGISTRY: FIRST.replace("Review/current.md", "Chapters/**").encode()}, [])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._git is not None
        self._behind = {"refs/heads/main", f"refs/penwright/trace/{CLONE}"}
        self._in.close()
        self._git.stdout and self._git.stdout.close()
        assert self._git.wait() == 0
        self._git = None

    @property
    def workspace(self) -> Workspace:
        return Workspace(path=str(self.folder))

    @contextmanager
    def source(self) -> Iterator[TraceSource]:
        """The repository as the verifier reads it."""
        with GitWorkspaces(SystemClock(), profile=BOOK_PROFILE).trace(self.workspace) as source:
            yield source

    def write(self, records: int) -> None:
        """Add commits with a record each; the last one holds the ledger as it then is."""
        for left in range(records, 0, -1):
            self._step(last=left == 1)

    def _step(self, *, last: bool) -> None:
        number, self._count = self._count, self._count + 1
        path, before, after, row = self._change(number)
        raw = sealed(self._record(number, path, before, after, row), self._heads)
        line = line_of(raw)
        files = {path: after, **self._grown(line, last=last)}
        head = raw["integrity"]["hash"]
        trailers = [("Penwright-Op", f"bench:{number}"), ("Penwright-Contributor", "model")]
        trailers += [("Penwright-Intent", "INT-001"), ("Trace-Id", raw["id"]), ("Trace-Head", head)]
        commit = self._commit("Write", files, [*trailers, ("Mutation-Class", raw["mutation"]["class"])])
        self._heads = (head,)
        self._note(commit, head, number)

    def _change(self, number: int) -> tuple[str, bytes, bytes, Raw]:
        """A chapter before and after, and the range that records the change."""
        path = f"Chapters/Chapter_{number % self.chapters:03}.md"
        told = self._texts.setdefault(path, [])
        before = _as_text(told)
        text = _paragraph(number)
        old: str | None = None
        if len(told) < self.length:
            told.append(text)
            at = len(told) - 1
        else:
            at = number // self.chapters % self.length
            old, told[at] = told[at], text
        row: Raw = {
            "start_line": 2 * at + 1,
            "end_line": 2 * at + 1,
            "content_hash": content_hash(text),
            "block_hash": block_hash(text),
            "node": {"heading": [], "kind": "paragraph", "ordinal": at + 1},
            "ctx": [
                short_hash(block_hash(told[at - 1])) if at else "",
                short_hash(block_hash(told[at + 1])) if at + 1 < len(told) else "",
            ],
            "change": "added" if old is None else "replaced",
        }
        if old is not None:
            row |= {"before_block_hash": block_hash(old), "similarity": 62}
        return path, before, _as_text(told), row

    def _record(self, number: int, path: str, before: bytes, after: bytes, row: Raw) -> Raw:
        file: Raw = {
            "relative_path": path,
            "op": "modify" if before else "create",
            "blob_after": blob_id(after),
            "conversations": [
                {
                    "url": "urn:penwright:bench",
                    "contributor": {"entity_type": "AI", "model_identifier": "demo/writer"},
                    "ranges": [row],
                    "removed": [],
                    "related": [{"type": "specification", "value": "INT-001"}],
                }
            ],
        }
        if before:
            file["blob_before"] = blob_id(before)
        key = f"bench:{number}"
        return {
            "schema": SCHEMA,
            "id": uuid_of(key),
            "timestamp": at(number).isoformat().replace("+00:00", "Z"),
            "vcs": {"type": "git", "revision_id": self._tip, "relation": "parent", "branch": "main"},
            "tool": {"name": "book.close", "version": "0"},
            "op": {
                "id": f"sha256:{hashlib.sha256(key.encode()).hexdigest()}",
                "key": key,
                "part": 1,
                "parts": 1,
            },
            "intent": {"id": "INT-001", "registry_digest": self._digest, "matched": ["Chapters/**"]},
            "mutation": {"class": "INTENT_EVOLUTION", "detail": "EVOLUTION", "floor": "EVOLUTION"},
            "files": [file],
        }

    def _grown(self, line: bytes, *, last: bool) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        if self._open and self._size + len(line) > SEGMENT_BYTES:
            self._closed += 1
            content, path = b"".join(self._open), segment_path(self._closed)
            self._manifest += manifest_line(path, content)
            files = {path: content, MANIFEST: self._manifest}
            self._open, self._size = [], 0
        self._open.append(line)
        self._size += len(line)
        return {**files, LEDGER: b"".join(self._open) if last else line}

    def _note(self, commit: str, head: str, number: int) -> None:
        told = [("Trace-Kind", "record"), ("Trace-Commit", commit), ("Trace-Head", head)]
        ref = f"refs/penwright/trace/{CLONE}"
        message = _message("Note what the ledger holds", [*told, ("Penwright-Op", f"bench:{number}")])
        self._send(ref, message, {}, number)

    def _commit(self, subject: str, files: Mapping[str, bytes], trailers: Sequence[tuple[str, str]]) -> str:
        self._send("refs/heads/main", _message(subject, trailers), files, self._count)
        self._in.write(b"get-mark :1\n")
        self._in.flush()
        assert self._git is not None
        assert self._git.stdout is not None
        self._tip = self._git.stdout.readline().decode().strip()
        return self._tip

    def _send(self, ref: str, message: bytes, files: Mapping[str, bytes], number: int) -> None:
        stamp = int(at(number).timestamp())
        self._in.write(
            f"commit {ref}\nmark :1\ncommitter Penwright <penwright@localhost> {stamp} +0000\n".encode()
        )
        self._in.write(f"data {len(message)}\n".encode() + message + b"\n")
        if ref in self._behind:
            self._in.write(f"from {ref}^0\n".encode())
            self._behind.discard(ref)
        for path, content in files.items():
            self._in.write(f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n")
        self._in.write(b"\n")

    @property
    def _in(self) -> IO[bytes]:
        assert self._git is not None
        assert self._git.stdin is not None
        return self._git.stdin


def at(number: int) -> datetime:
    """When the commit of this number was made."""
    return BEGAN + timedelta(minutes=number)


def blob_id(content: bytes) -> str:
    """The git blob id of a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def uuid_of(name: str) -> str:
    """An id in the form of a UUID."""
    digits = hashlib.sha256(name.encode()).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}"


def rewritten(content: bytes, change: Any) -> bytes:
    """A segment with changed records, chained again as a forger would do it."""
    lines: list[bytes] = []
    renamed: dict[str, str] = {}
    for row in content.splitlines():
        record = json.loads(row)
        old = record["integrity"]
        changed = change({key: value for key, value in record.items() if key != "integrity"})
        made = sealed(changed, [renamed.get(prev, prev) for prev in old["prev"]])
        renamed[old["hash"]] = made["integrity"]["hash"]
        lines.append(line_of(made))
    return b"".join(lines)


def _as_text(paragraphs: Sequence[str]) -> bytes:
    return "\n\n".join(paragraphs).encode() + b"\n" if paragraphs else b""


def _paragraph(number: int) -> str:
    words = (_WORDS[number // step % len(_WORDS)] for step in (1, 7, 31, 101))
    return f"In year {number} the {' and the '.join(words)} were seen from the quay."


def _message(subject: str, trailers: Sequence[tuple[str, str]]) -> bytes:
    tail = "\n".join(f"{name}: {value}" for name, value in trailers)
    return f"{subject}\n\n{tail}\n".encode() if tail else f"{subject}\n".encode()


REGISTRY_TEXT = FIRST.replace('"Review/current.md"', '"Review/**"')
PARAGRAPHS = tuple(f"The {name} of the harbour kept its light through the winter." for name in _WORDS[:8])


def write_book(desk: Desk) -> None:
    """A book with a registry, three records of a model, and one of a person; nothing is wrong with it."""
    desk.commit(REGISTRY, REGISTRY_TEXT)
    publish_text(desk, "\n\n".join(PARAGRAPHS[:4]))
    publish_text(desk, "\n\n".join([*PARAGRAPHS[:3], PARAGRAPHS[4], PARAGRAPHS[5]]))
    desk.edit("notes.md", "One.\n\nTwo, said the author.\n\nThree.\n")
    desk.port.save_human_edits(desk.workspace, desk.effect(), known=KNOWN, engine=ENGINE)
    publish_text(desk, "\n\n".join([PARAGRAPHS[5], *PARAGRAPHS[:3], PARAGRAPHS[6]]))


def publish_text(desk: Desk, text: str, path: str = "Review/current.md", **more: object) -> Published:
    """Publish a model's text under the intent in progress."""
    held = desk.port.snapshot(desk.workspace, [path]).files
    content = text + "\n"
    operation = (
        Modify(path=path, content=content, base=held[path].blob)
        if path in held
        else Create(path=path, content=content)
    )
    intent = read_registry(REGISTRY_TEXT.encode()).intents[0]
    plan = plan_of(desk.workspace, operation, contributor=Contributor.MODEL).model_copy(
        update={
            "tool": "book.close",
            "trailers": (("Penwright-Model", "demo/writer"), ("Penwright-Intent", intent.id)),
            "pin": IntentPin(intent_id=intent.id, digest=intent.digest),
            **more,
        }
    )
    published = desk.port.publish(plan, desk.effect())
    assert published.outcome == "published", published
    return published


def verified(desk: Desk, known: Mapping[str, str] | None = None, **options: Any) -> VerifyReport:
    """The verifier's report on a desk's book."""
    with desk.port.trace(desk.workspace) as source:
        return verify(source, VerifyOptions(**options), known)


def codes(report: VerifyReport, *severities: str) -> set[str]:
    """Codes of the findings of some severities; of errors and warnings if none are named."""
    wanted = severities or ("error", "warning")
    return {each.code for each in report.findings if each.severity in wanted}
