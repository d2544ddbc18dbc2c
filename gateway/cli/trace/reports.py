"""Answers of the ``trace`` commands, for people and as JSON."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

from gateway.cli.output import Printer
from gateway.cli.times import minute
from gateway.desk.trace.json_answers import who, words_data
from penwright.domain.text.counted import counted
from penwright.domain.text.words import without_comments
from penwright.domain.trace.reports.attribution import Attributed
from penwright.domain.trace.reports.blame import Blame, BlamedBlock
from penwright.domain.trace.reports.disclosure import SHARES, Chapter, Disclosure
from penwright.domain.trace.reports.statistics import NO_INTENT, Statistics
from penwright.domain.trace.reports.why import BlockStory, Why
from schemas.trace import Author, MutationClass, TracedCommit, TraceRecord

Data = dict[str, Any]  # Any: JSON

_SHORT = 10
_SHOWN = 60
_SIGNS: Mapping[str, str] = {"added": "+", "replaced": "~", "moved": ">", "removed": "-"}
_KINDS = {
    "by-hand": "A person's own commit, made outside any session; the ledger does not speak of it.",
    "engine": "The engine's own: bookkeeping, or how the book began.",
    "merge": "A merge: see the commits that it joins.",
}


def note_damage(out: Printer, left_out: int, book: str) -> bool:
    """Say that the ledger of ``book`` is damaged; whether it is."""
    if left_out:
        out.note(
            f"{counted(left_out, 'line')} of the ledger could not be believed and did not count; "
            f"`penwright trace verify {quote(book)}` says which."
        )
    return left_out > 0


def note_unread(out: Printer, unread: int) -> None:
    """Say that older commits by hand were not read."""
    if unread:
        out.note(f"{counted(unread, 'older commit')} by hand not read; their text is of unknown origin.")


def plain(text: str) -> str:
    """One line without signs that a terminal would obey."""
    return "".join(sign if sign.isprintable() else "�" for sign in " ".join(text.split()))


# Blame.


def blame_lines(found: Blame, *, one: bool) -> list[str]:
    if one:
        return list(_one_block(found.path, found.blocks[0]))
    rows = [
        (
            _span(each),
            who(each.attributed),
            ", ".join(map(plain, each.names)),
            _intent(each.attributed),
            _when(each),
            each.commit.sha[:_SHORT] if each.commit else "",
            _begin(each.block.text),
        )
        for each in found.blocks
    ]
    counts = Counter(row[1] for row in rows)
    shares = ", ".join(f"{count} {who}" for who, count in counts.most_common())
    return [plain(found.path), *_table(rows), f"{counted(len(rows), 'block')}: {shares or 'none'}."]


def _one_block(path: str, each: BlamedBlock) -> Iterator[str]:
    block, written = each.block, each.attributed.written
    place = " / ".join(plain(title) for title in block.heading) or "before the first heading"
    lines = "line" if block.start_line == block.end_line else "lines"
    yield f"{plain(path)}, {lines} {_span(each)} ({place}, {block.kind} {block.ordinal or ''}".rstrip() + ")"
    yield f"  {_begin(block.text)}"
    if written is None:
        yield "  untraced: it is older than the ledger, or was committed past it"
        return
    if written.ambiguous:
        yield f"  ambiguous: by {' or '.join(map(_author, written.candidates))}; which cannot be decided"
        return
    people = f" ({', '.join(map(plain, each.people))})" if each.people else ""
    yield f"  by {_author(written.author)}{people}, {_under(written.intent)}"
    made = written.made
    record = f"record {made.record}" if made.record else "in no session"
    yield f"  on {minute(made.at)} by {made.tool}, {record}"
    yield f"  in commit {_commit(each.commit)}"
    if each.made_from:
        yield f"  from the text of commit {_commit(each.made_from)}"
    if each.moved_in:
        yield f"  moved here by commit {_commit(each.moved_in)}"


def _span(each: BlamedBlock) -> str:
    block = each.block
    return (
        str(block.start_line)
        if block.start_line == block.end_line
        else f"{block.start_line}-{block.end_line}"
    )


def _intent(each: Attributed) -> str:
    return (each.written.intent or "") if each.written else ""


def _when(each: BlamedBlock) -> str:
    return f"{each.attributed.written.made.at.astimezone():%Y-%m-%d}" if each.attributed.written else ""


# Why.


def why_lines(found: Why, book: str) -> list[str]:
    commit = found.commit
    lines = [f"commit {commit.sha}", f"  {minute(commit.at)} by {plain(commit.author)}"]
    if found.kind in _KINDS:
        lines.append(f"  {_KINDS[found.kind]}")
    if found.kind == "unrecorded":
        says = f"`penwright trace verify {quote(book)}` says more"
        lines.append(f"  The engine changed text here and left no record; {says}.")
    if found.recorded_before:
        last = found.recorded_before[:_SHORT]
        lines.append(f"  The text was changed last by `penwright trace why {last} {quote(book)}`.")
    if found.records:
        lines += _reasons(found, found.records[0])
    lines += [f"  changed without a record: {plain(path)}" for path in found.untold]
    lines += [f"  the ledger lacks record {each}" for each in found.missing]
    path = ""
    for each in found.blocks:
        if each.path != path:
            path = each.path
            lines.append(plain(path))
        lines.append(f"  {_story(each)}")
    return lines


def _reasons(found: Why, record: TraceRecord) -> Iterator[str]:
    mutation = record.mutation
    if record.intent is None:
        yield "  no intent: people's own edits need none"
    else:
        name = f" ({plain(found.intent.name)})" if found.intent and found.intent.name else ""
        yield f"  intent {record.intent.id}{name}"
        matched = sorted({each for r in found.records if r.intent for each in r.intent.matched})
        yield f"  allowed by {', '.join(map(plain, matched)) or 'no pattern of its scope'}"
    meaning = (
        "says something else"
        if mutation.coarse is MutationClass.INTENT_EVOLUTION
        else "says the same in other form"
    )
    declared = f", declared {mutation.declared}" if mutation.declared else ""
    yield f"  class {mutation.coarse} ({mutation.detail.lower().replace('_', ' ')}: it {meaning}){declared}"
    yield f"  made by {plain(record.tool.name)} {plain(record.tool.version)}, {plain(record.op.key)}"
    decisions = [each.decision for each in found.records if each.decision]
    if (by := found.commit.trailers.get("Approved-By")) and not decisions:
        yield f"  approved by {plain(by)}"
    for decision in decisions:
        reason = f": {plain(decision.reason)}" if decision.reason else ""
        yield f"  {decision.decided} by {plain(decision.by)} for {', '.join(decision.codes)}{reason}"


def _story(each: BlockStory) -> str:
    place = " / ".join(plain(title) for title in each.node.heading)
    line = f"line {each.line}" if each.line else "gone"
    by = _author(each.author) if each.author else "unknown"
    likeness = (
        f", {each.similarity} % alike" if each.similarity is not None and each.change == "replaced" else ""
    )
    where = f"{place} ¶{each.node.ordinal}".lstrip() if each.node.ordinal else place
    text = f"  {plain(each.text)}" if each.text else ""
    return f"{_SIGNS[each.change]} {line}, {where or 'top'}, {by}{likeness}{text}"


# Statistics.


def stats_data(found: Statistics) -> Data:
    return {
        "records": found.records,
        "first": found.first.isoformat() if found.first else None,
        "last": found.last.isoformat() if found.last else None,
        "intents": {name: count for name, count in found.intents.most_common() if name != NO_INTENT},
        "without_intent": found.intents[NO_INTENT],
        "contributors": dict(found.contributors.most_common()),
        "models": dict(found.models.most_common()),
        "classes": dict(found.classes.most_common()),
        "details": dict(found.details.most_common()),
        "blocks": dict(found.blocks.most_common()),
        "files": found.files,
        "words": words_data(found.words),
        "segments": dict(found.segments),
        "heads": list(found.heads),
        "damaged_lines": found.left_out,
        "unread_commits": found.unread,
    }


def stats_lines(found: Statistics) -> list[str]:
    period = f", {found.first:%Y-%m-%d} to {found.last:%Y-%m-%d}" if found.first and found.last else ""
    lines = [f"{counted(found.records, 'record')}{period}"]
    intents = Counter({name or "no intent": count for name, count in found.intents.items()})
    for title, counts in (
        ("by intent", intents),
        ("by contributor", found.contributors),
        ("by model", found.models),
        ("by class", found.classes),
        ("by detail", found.details),
        ("blocks", found.blocks),
    ):
        lines += _counts(title, counts)
    lines.append(
        f"{counted(sum(found.segments.values()), 'line')} in {counted(len(found.segments), 'segment')}"
    )
    lines.append(f"words of {counted(found.files, 'file')} at the tip")
    share = found.words.per_cent()
    lines += [f"  {found.words.of(name):>9,}  {name} ({share[name]} %)" for name in SHARES]
    lines += ["heads", *(f"  {head}" for head in found.heads)] if found.heads else []
    return lines


def _counts(title: str, counts: Counter[str]) -> Iterator[str]:
    shown = [(name, count) for name, count in counts.most_common() if count]
    if shown:
        yield title
        for name, count in shown:
            yield f"  {count:>9,}  {plain(name)}"


# Disclosure.


def disclosure_lines(found: Disclosure) -> list[str]:
    share = found.total.per_cent()
    rows: list[tuple[str, ...]] = [("words", *SHARES, "")]
    many = len(found.paths) > 1
    rows += [
        (f"{each.words.total:,}", *(f"{each.words.of(name):,}" for name in SHARES), _chapter(each, many=many))
        for each in found.chapters
    ]
    rows.append((f"{found.total.total:,}", *(f"{found.total.of(name):,}" for name in SHARES), "in all"))
    rows.append(("100 %" if found.total.total else "", *(f"{share[name]} %" for name in SHARES), ""))
    return [*map(plain, found.paths), *_table(rows, right=1 + len(SHARES)), "", plain(found.statement)]


def _chapter(chapter: Chapter, *, many: bool) -> str:
    heading = " / ".join(map(plain, chapter.heading)) or "(before the first heading)"
    return f"{plain(chapter.path)}: {heading}" if many else heading


# Parts.


def _table(rows: Sequence[Sequence[str]], *, right: int = 0) -> Iterator[str]:
    """Columns of equal width, the first ``right`` set to the right; the last is not padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            text.rjust(width) if at < right else text.ljust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  " + "  ".join(cell for cell, width in zip(cells, widths, strict=True) if width).rstrip()


def _begin(text: str) -> str:
    visible = plain(without_comments(text))
    return visible if len(visible) <= _SHOWN else visible[: _SHOWN - 1].rstrip() + "…"


def _author(author: Author) -> str:
    names = {
        "AI": "a model",
        "HUMAN": "a person",
        "MIXED": "a person and a model",
        "UNKNOWN": "an unknown author",
    }
    models = ", ".join(map(plain, author.models))
    edited = ", edited by a model" if author.entity_type == "UNKNOWN" and models else ""
    return names[author.entity_type] + edited + (f" ({models})" if models else "")


def _under(intent: str | None) -> str:
    return f"under {plain(intent)}" if intent else "under no intent"


def _commit(commit: TracedCommit | None) -> str:
    return f"{commit.sha[:_SHORT]} by {plain(commit.author)}" if commit else "that no trailer names"
