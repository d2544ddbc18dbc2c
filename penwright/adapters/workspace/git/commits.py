"""Reading and composing commit objects."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

_TRAILER = re.compile(r"\n([A-Za-z0-9-]+): *(.*\S|)")


@dataclass(frozen=True, slots=True)
class Person:
    """Author or committer."""

    name: str
    email: str

    def line(self, at: datetime) -> str:
        """The value of an author or committer line."""
        name, email = (
            "".join(sign for sign in part if sign not in "<>\n\r\0").strip() or "unknown"
            for part in (self.name, self.email)
        )
        return f"{name} <{email}> {int(at.timestamp())} +0000"


@dataclass(frozen=True, slots=True)
class Commit:
    """A parsed commit."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    at: datetime
    """Committer date."""
    author: str
    message: str
    trailers: Mapping[str, str]

    @property
    def person(self) -> Person:
        """Its author."""
        name, _, email = self.author.partition(" <")
        return Person(name, email.rstrip(">"))


def parse_commit(sha: str, raw: bytes) -> Commit:
    """Read a commit object."""
    head, _, body = raw.decode("utf-8", "replace").partition("\n\n")
    fields: dict[str, list[str]] = {}
    for line in head.splitlines():
        name, _, value = line.partition(" ")
        fields.setdefault(name, []).append(value)
    seconds = int(fields["committer"][0].rsplit(" ", 2)[1])
    return Commit(
        sha=sha,
        tree=fields["tree"][0],
        parents=tuple(fields.get("parent", ())),
        at=datetime.fromtimestamp(seconds, UTC),
        author=fields["author"][0].rsplit(" ", 2)[0],
        message=body,
        trailers=dict(trailers_in(body)),
    )


def trailers_in(message: str) -> Sequence[tuple[str, str]]:
    """``Name: value`` lines of the last paragraph, unless that is the title; others there are skipped."""
    title = message.rstrip("\n").rfind("\n\n")
    return _TRAILER.findall(message, title + 1) if title > 0 else ()


def commit_text(
    tree: str,
    parents: Iterable[str],
    author: str,
    committer: str,
    message: str,
    trailers: Iterable[tuple[str, str]],
) -> bytes:
    """A commit object; ``author`` and ``committer`` as ``Person.line`` writes them."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"author {author}", f"committer {committer}"]
    body = message.replace("\0", "").strip() or "(no message)"
    tail = "\n".join(f"{key}: {' '.join(value.replace(chr(0), '').split())}" for key, value in trailers)
    return ("\n".join(lines) + f"\n\n{body}\n\n{tail}\n").encode("utf-8", "replace")
