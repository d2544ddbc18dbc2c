"""Baselines: what was shown to an agent is what it may replace.

What it was never shown it must read first; what changed since it was shown it must read again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from penwright.domain.intents.cases import Case, Texts, Tip, text_in
from penwright.domain.intents.denials import Denied, hard_denial, listed
from penwright.domain.text.blocks import blocks_of
from penwright.domain.text.comparing.changes import changed_blocks
from schemas.workspace import ReadBaseline

_SHOWN = 60


def shown(path: str, blob: str, text: str, *, first: int = 1, last: int | None = None) -> ReadBaseline:
    """Baseline of a reader who saw the lines ``first`` to ``last`` of a file; a block cut short does not
    count.

    Args:
        blob: git blob id of the file.
        text: all of the file.
        last: the end of the file if left out.
    """
    blocks = blocks_of(text)
    end = text.count("\n") + 1 if last is None else last
    return ReadBaseline(
        path=path,
        blob=blob,
        blocks=tuple(each.hash for each in blocks if first <= each.start_line and each.end_line <= end),
        whole=first <= 1 and end >= len(text.rstrip("\n").split("\n")),
    )


def refuse_unseen(case: Case, texts: Texts) -> None:
    """Raise ``Denied`` if the change replaces text at the tip that was not shown."""
    unread = [
        path
        for path, (before, _) in texts.items()
        if before is not None and _baseline(case.plan.seen, path) is None
    ]
    if unread:
        raise hard_denial(
            "BASELINE_REQUIRED",
            "BASELINE_REQUIRED",
            f"{', '.join(map(repr, unread))} exists and was not read",
            "read it, then write again",
            paths=", ".join(unread),
        )
    for path, (before, after) in texts.items():
        seen = _baseline(case.plan.seen, path)
        if seen is None or (seen.whole and seen.blob == case.tip.blob(path)):
            continue
        if bool(seen.blob) != (before is not None):
            raise _stale(case.tip, seen, ())
        if before is not None and before != after:
            _refuse_lost(case.tip, seen, before, after)


def _baseline(seen: Sequence[ReadBaseline], path: str) -> ReadBaseline | None:
    """All that was shown of a file, as of the last time."""
    shown = [each for each in seen if each.path == path]
    if not shown:
        return None
    whole = any(each.whole and each.blob == shown[-1].blob for each in shown)
    return ReadBaseline(
        path=path,
        blob=shown[-1].blob,
        blocks=tuple(hashed for each in shown for hashed in each.blocks),
        whole=whole,
    )


def _refuse_lost(tip: Tip, seen: ReadBaseline, before: bytes, after: bytes | None) -> None:
    lost = [*_unseen_blocks(seen, before, after), *_lost_comments(before, after)]
    if not lost:
        return
    if seen.blob != tip.blob(seen.path) and (seen.whole or _has_changed(seen, before)):
        raise _stale(tip, seen, lost)
    raise hard_denial(
        "BASELINE_REQUIRED",
        "BASELINE_REQUIRED",
        f"{seen.path!r}: this would replace what was never shown: {listed(lost)}",
        "read these lines, then write again",
        paths=seen.path,
        blocks=listed(lost),
    )


def _unseen_blocks(seen: ReadBaseline, before: bytes, after: bytes | None) -> Iterator[str]:
    if text_in(before) is None:
        yield "what is no text"
    shown = frozenset(seen.blocks)
    gone = (each.before for each in changed_blocks(before, after) if each.change in ("replaced", "removed"))
    for block in {block.start_line: block for block in gone if block is not None}.values():
        if block.hash not in shown:
            yield f"line {block.start_line} ({_cut(block.text)})"


def _lost_comments(before: bytes, after: bytes | None) -> Iterator[str]:
    """Comments are no part of a block's hash, and may be an author's instructions."""
    old, new = (Counter(_comments(text_in(content) or "")) for content in (before, after))
    return map(_cut, old - new)


def _has_changed(seen: ReadBaseline, content: bytes) -> bool:
    """Whether something that was shown is not there any more."""
    return not {block.hash for block in blocks_of(text_in(content) or "")}.issuperset(seen.blocks)


def _stale(tip: Tip, seen: ReadBaseline, lost: Sequence[str]) -> Denied:
    expected, actual = seen.blob or "absent", tip.blob(seen.path) or "absent"
    changed = f": {listed(lost)}" if lost else ""
    return hard_denial(
        "STALE_FILE",
        "STALE_FILE",
        f"{seen.path!r} was changed since it was read{changed}",
        "read it again, and make the change to what it says now",
        paths=seen.path,
        expected=expected,
        actual=actual,
        **({"blocks": listed(lost)} if lost else {}),
    )


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    return repr(plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…")


def _comments(text: str) -> Iterator[str]:
    behind = 0
    while (start := text.find("<!--", behind)) >= 0 and (end := text.find("-->", start)) >= 0:
        behind = end + len("-->")
        yield text[start:behind]
