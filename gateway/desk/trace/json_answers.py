"""Answers about provenance as JSON."""

from typing import Any

from penwright.domain.trace.reports.attribution import Attributed
from penwright.domain.trace.reports.blame import Blame, BlamedBlock
from penwright.domain.trace.reports.disclosure import SHARES, Disclosure, Words, share_of
from penwright.domain.trace.reports.why import BlockStory, Why

Data = dict[str, Any]  # Any: JSON


def blame_data(found: Blame) -> Data:
    """JSON of each block's author in a file."""
    return {
        "path": found.path,
        "blocks": [_blamed_data(each) for each in found.blocks],
        "damaged_lines": found.left_out,
        "unread_commits": found.unread,
    }


def _blamed_data(each: BlamedBlock) -> Data:
    block, written = each.block, each.attributed.written
    candidates = written.candidates if written else ()
    return {
        "start_line": block.start_line,
        "end_line": block.end_line,
        "heading": list(block.heading),
        "kind": block.kind,
        "who": who(each.attributed) if written else share_of(each.attributed),
        "traced": written is not None and bool(written.made.record),
        "ambiguous": written is not None and written.ambiguous,
        "model": written.author.model_identifier if written else None,
        "models": list(written.author.models) if written else [],
        "people": list(each.people),
        "candidates": [one.model_dump(mode="json") for one in candidates],
        "intent": written.intent if written else None,
        "at": written.made.at.isoformat() if written else None,
        "commit": each.commit.sha if each.commit else None,
        "record": written.made.record or None if written else None,
        "tool": written.made.tool if written else None,
        "moved_in": each.moved_in.sha if each.moved_in else None,
        "made_from": each.made_from.sha if each.made_from else None,
        "text": block.text,
    }


def why_data(found: Why) -> Data:
    """JSON of the reasons for a commit."""
    commit = found.commit
    return {
        "commit": commit.sha,
        "parents": list(commit.parents),
        "at": commit.at.isoformat(),
        "author": commit.author,
        "kind": found.kind,
        "recorded_before": found.recorded_before or None,
        "intent": found.intent.model_dump(mode="json") if found.intent else None,
        "records": [
            record.model_dump(mode="json", by_alias=True, exclude_none=True) for record in found.records
        ],
        "approved_by": commit.trailers.get("Approved-By"),
        "blocks": [_story_data(each) for each in found.blocks],
        "without_record": list(found.untold),
        "missing_records": list(found.missing),
        "damaged_lines": found.left_out,
    }


def _story_data(each: BlockStory) -> Data:
    return {
        "path": each.path,
        "change": each.change,
        "line": each.line,
        "heading": list(each.node.heading),
        "kind": each.node.kind,
        "ordinal": each.node.ordinal,
        "contributor": each.author.model_dump(mode="json") if each.author else None,
        "similarity": each.similarity,
        "text": each.text,
    }


def disclosure_data(found: Disclosure) -> Data:
    """The words by people, by models and by both."""
    return {
        "path": found.paths[0] if len(found.paths) == 1 else None,
        "paths": list(found.paths),
        "statement": found.statement,
        "total": words_data(found.total),
        "per_cent": found.total.per_cent(),
        "chapters": [
            {"path": each.path, "heading": list(each.heading), **words_data(each.words)}
            for each in found.chapters
        ],
        "models": dict(found.models),
        "people": dict(found.people),
        "untraced": found.untraced,
        "damaged_lines": found.left_out,
        "unread_commits": found.unread,
    }


def words_data(words: Words) -> Data:
    """Words in all, and of each kind of author."""
    return {"words": words.total, **{name: words.of(name) for name in SHARES}}


def who(each: Attributed) -> str:
    """Name the author of a block in a word."""
    if each.written is None:
        return "untraced"
    return "ambiguous" if each.written.ambiguous else share_of(each)
