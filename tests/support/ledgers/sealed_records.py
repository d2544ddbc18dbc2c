"""Sealed records of every kind, as strategies and as one example."""

from typing import Any

from hypothesis import strategies as st

from penwright.domain.trace.chain import Raw, sealed
from schemas.trace import SCHEMA

_SHA = st.text("0123456789abcdef", min_size=40, max_size=40)
_WORD = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
_HASH = st.text("0123456789abcdef", min_size=64, max_size=64).map(lambda digits: f"sha256:{digits}")
_BLOCK = st.text("0123456789abcdef", min_size=32, max_size=32).map(lambda digits: f"prose1:{digits}")
_AUTHOR = st.one_of(
    st.sampled_from(["HUMAN", "UNKNOWN", "MIXED"]).map(lambda kind: {"entity_type": kind}),
    st.tuples(st.sampled_from(["AI", "MIXED"]), st.one_of(_WORD, st.just("m" * 300))).map(
        lambda told: {"entity_type": told[0], "model_identifier": told[1]}
    ),
)
_NODE = st.fixed_dictionaries(
    {"heading": st.lists(_WORD, max_size=2), "kind": st.just("paragraph"), "ordinal": st.integers(0, 9)}
)
_RANGE = st.fixed_dictionaries(
    {
        "start_line": st.integers(1, 9),
        "end_line": st.integers(9, 99),
        "content_hash": _HASH,
        "block_hash": _BLOCK,
        "node": _NODE,
        "ctx": st.just(["", "01234567"]),
        "change": st.sampled_from(["added", "replaced", "moved"]),
    },
    optional={"contributor": _AUTHOR, "intent": _WORD, "similarity": st.integers(0, 100)},
)
_REMOVED = st.fixed_dictionaries({"block_hash": _BLOCK, "node": _NODE}, optional={"contributor": _AUTHOR})
_CONVERSATION = st.fixed_dictionaries(
    {
        "url": st.one_of(st.just("urn:penwright:book/tide#s1"), st.just("https://example.org/a?b=c"), _WORD),
        "contributor": _AUTHOR,
        "ranges": st.lists(_RANGE, max_size=3),
        "removed": st.lists(_REMOVED, max_size=2),
        "related": st.lists(st.fixed_dictionaries({"type": _WORD, "value": _WORD}), max_size=2),
    }
)
_FILE = st.fixed_dictionaries(
    {
        "relative_path": _WORD,
        "op": st.sampled_from(["create", "modify", "delete", "rename"]),
        "conversations": st.lists(_CONVERSATION, max_size=2),
    },
    optional={"blob_before": _SHA, "blob_after": _SHA},
)


# Any: parts of a record, as a test needs them.
def sealed_record(files: list[Any], **more: Any) -> Raw:
    """A record of these files in its place in a chain."""
    return sealed(
        {
            "schema": SCHEMA,
            "id": "5f0c6f0e-8f5b-4b7e-9a43-2f6d1c7b9a10",
            "timestamp": "2026-03-01T08:00:00Z",
            "vcs": {"type": "git", "revision_id": "1" * 40, "relation": "parent", "branch": "main"},
            "tool": {"name": "book.close", "version": "0.1.0"},
            "op": {"id": "sha256:" + "2" * 64, "key": "book/tide#s1:3", "part": 1, "parts": 1},
            "intent": {"id": "INT-001", "registry_digest": "sha256:" + "3" * 64, "matched": ["*.md"]},
            "mutation": {"class": "INTENT_EVOLUTION", "detail": "EVOLUTION", "floor": "EVOLUTION"},
            "files": files,
            **more,
        },
        ["sha256:" + "4" * 64],
    )


records = st.lists(_FILE, max_size=3).map(sealed_record)
