"""Records of the challenge and by others: nothing ties them to a history, so hashes are looked for in it."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from penwright.domain.text.blocks import blocks_of
from penwright.domain.trace.agent_trace.exporting import KEY, Unexportable, as_contributor, as_utc
from penwright.domain.trace.chain import Raw, canonical
from penwright.domain.trace.source import TraceSource
from schemas.agent_trace import UUID, VERSION, AgentTrace

How = Literal["file", "lines", "block"]

_DIGEST = re.compile(r"(?:sha256:)?([0-9a-fA-F]{64}|[0-9a-fA-F]{32})")
"""The challenge's own example has half a digest, so such are in use."""
_UUID = re.compile(UUID)
_NOTHING = hashlib.sha256(b"").hexdigest()
"""Says nothing: every file has an empty part."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a record says of some lines."""

    path: str
    start: int | None
    end: int | None
    digest: str
    """Hexadecimal digits in lower case; empty if it is not a SHA-256."""


@dataclass(frozen=True, slots=True)
class Refound:
    """Where a hash fits what was committed."""

    commit: str
    how: How
    """The whole file, the stated lines, or a block anywhere in it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What has become of a claim."""

    claim: Claim
    found: Refound | None
    reason: str = ""
    """Why it cannot be verified: ``NO_DIGEST``, ``PATH_NEVER_COMMITTED``, ``CONTENT_NEVER_COMMITTED``."""


def claims_of(record: Raw) -> tuple[Claim, ...]:
    """Every range of a record, by the challenge's names or by Agent Trace's; none if it has none."""
    return tuple(
        Claim(path, _line(found.get("start_line")), _line(found.get("end_line")), _digest(found))
        for file in _objects(record.get("files"))
        if isinstance(path := file.get("relative_path", file.get("path")), str)
        for owner in (file, *_objects(file.get("conversations")))
        for found in _objects(owner.get("ranges"))
    )


def judged(source: TraceSource, claims: Collection[Claim]) -> dict[Claim, Verdict]:
    """Look for each claim in every version of its file, the oldest first."""
    if not claims:
        return {}
    versions = _versions(source, {_plain(claim.path) for claim in claims})
    verdicts: dict[Claim, Verdict] = {}
    for path, group in _by_path(claims).items():
        open_: dict[Claim, None] = dict.fromkeys(claim for claim in group if claim.digest)
        verdicts |= {claim: Verdict(claim, None, "NO_DIGEST") for claim in group if not claim.digest}
        for commit, blob in versions.get(path, ()):
            if not open_:
                break
            for claim, how in _fitting(source.blob(blob) or b"", open_):
                verdicts[claim] = Verdict(claim, Refound(commit, how))
                del open_[claim]
        reason = "CONTENT_NEVER_COMMITTED" if path in versions else "PATH_NEVER_COMMITTED"
        verdicts |= {claim: Verdict(claim, None, reason) for claim in open_}
    return verdicts


def exported_legacy(record: Raw, verdicts: Mapping[Claim, Verdict]) -> Raw:
    """A legacy record as a valid ``AgentTrace``, with the commit it was re-found in; or ``Unexportable``."""
    claims = claims_of(record)
    found = [verdicts[claim].found for claim in claims if claim in verdicts]
    commits = {each.commit for each in found if each}
    # One revision speaks for all lines of a record: without one that does, none is named.
    revision = commits.pop() if len(commits) == 1 and all(found) else None
    value = {
        "version": VERSION,
        "id": _id(record),
        "timestamp": as_utc(record.get("timestamp")),
        **({"vcs": {"type": "git", "revision": revision}} if revision else {}),
        "files": [file for file in map(_file, _objects(record.get("files"))) if file["conversations"]],
        "metadata": {KEY: {"legacy": record, "verifiable": bool(revision)}},
    }
    try:
        AgentTrace.model_validate(value)
    except ValidationError as error:
        raise Unexportable(f"a legacy record: {error.errors()[0]['msg']}") from error
    return value


def _file(file: Raw) -> Raw:
    conversations = [
        {
            **_contributor(each),
            "ranges": [shown for shown in map(_range, _objects(each.get("ranges"))) if shown],
        }
        for each in (file, *_objects(file.get("conversations")))
    ]
    return {
        "path": file.get("relative_path") or "?",
        "conversations": [each for each in conversations if each["ranges"]],
    }


def _contributor(conversation: Raw) -> Raw:
    contributor = conversation.get("contributor")
    return {"contributor": as_contributor(contributor)} if isinstance(contributor, dict) else {}


def _range(found: Raw) -> Raw | None:
    start, end = _line(found.get("start_line")), _line(found.get("end_line"))
    if not start or not end or start < 1 or end < start:
        return None
    hash_ = found.get("content_hash")
    return {
        "start_line": start,
        "end_line": end,
        **({"content_hash": hash_} if isinstance(hash_, str) else {}),
    }


def _id(record: Raw) -> str:
    """Its own id if that is a UUID, otherwise one made of the line."""
    if _UUID.fullmatch(str(record.get("id"))):
        return str(record["id"])
    digits = hashlib.sha256(canonical(record)).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}"


def _versions(source: TraceSource, paths: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """Path -> commit and blob id of each of its contents, each content once, oldest first."""
    found: dict[str, dict[str, str]] = {}
    for commit in source.commits():
        for change in commit.paths:
            if change.after and change.path in paths:
                found.setdefault(change.path, {}).setdefault(change.after, commit.sha)
    return {path: [(commit, blob) for blob, commit in held.items()] for path, held in found.items()}


def _by_path(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    found: dict[str, list[Claim]] = {}
    for claim in claims:
        found.setdefault(_plain(claim.path), []).append(claim)
    return found


def _plain(path: str) -> str:
    """As git names it: such records were written on every kind of machine."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    return "/".join(parts)


def _fitting(content: bytes, claims: Iterable[Claim]) -> list[tuple[Claim, How]]:
    whole = set(_digests(content))
    text = content.decode("utf-8", "replace")
    rows = text.replace("\r\n", "\n").split("\n")
    blocks: set[str] | None = None
    found: list[tuple[Claim, How]] = []
    for claim in claims:
        if _fits(claim, whole):
            found.append((claim, "file"))
        elif _fits(claim, set(_digests("\n".join(rows[_slice(claim)]).encode("utf-8", "replace")))):
            found.append((claim, "lines"))
        else:
            if blocks is None:
                blocks = {block.content_hash.removeprefix("sha256:") for block in blocks_of(text)}
            if _fits(claim, blocks):
                found.append((claim, "block"))
    return found


def _slice(claim: Claim) -> slice:
    start, end = claim.start or 1, claim.end or 0
    return slice(start - 1, end) if 0 < start <= end else slice(0, 0)


def _digests(content: bytes) -> Iterator[str]:
    """Of the bytes as they are, and as editors and decoders change them: line ends, and bad UTF-8."""
    unix = content.replace(b"\r\n", b"\n")
    bare = unix.rstrip(b"\n")
    lossy = content.decode("utf-8", "replace").encode()
    for each in dict.fromkeys((content, unix, bare, bare + b"\n", lossy)):
        yield hashlib.sha256(each).hexdigest()


def _fits(claim: Claim, digests: Collection[str]) -> bool:
    if len(claim.digest) == 64:
        return claim.digest in digests
    return any(each.startswith(claim.digest) for each in digests)


def _digest(found: Raw) -> str:
    match = _DIGEST.fullmatch(str(found.get("content_hash")))
    digest = match[1].lower() if match else ""
    return "" if _NOTHING.startswith(digest) else digest


def _line(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _objects(value: Any) -> Iterator[Raw]:  # Any: JSON of unknown origin
    return (each for each in value if isinstance(each, dict)) if isinstance(value, list) else iter(())
