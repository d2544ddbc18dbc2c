"""The page of a reader's copy: text, evidence as JSON, and a panel that shows the evidence of a sentence."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from html import escape

from penwright.domain.evidence.marking import Part
from penwright.domain.evidence.sealing import canonical
from schemas.base import Value
from schemas.readers_copy import CopyEvidence


@dataclass(frozen=True, slots=True)
class Frame:
    """Style and script, the same in every copy."""

    style: str
    script: str


def page_parts(body: Iterable[Part], evidence: CopyEvidence, frame: Frame, key: str) -> Iterator[Part]:
    """The parts of the page, without its seal.

    Args:
        key: the fingerprint of the key that will sign it.
    """
    document = evidence.document
    language = f' lang="{escape(document.language)}"' if document.language else ""
    yield Part(
        "the head of the page",
        f'<!DOCTYPE html>\n<html{language}>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(frame)}">\n'
        f"<title>{escape(' '.join(document.title.split()))}</title>",
    )
    yield Part("the style", f"<style>{frame.style}</style>")
    yield Part("the head of the page", f"</head>\n<body>\n{_HINT}")
    yield Part("the text", '<main id="text" tabindex="0" aria-label="Text" aria-describedby="hint">')
    yield from body
    yield Part("the text", "</main>")
    yield Part("the panel", _PANEL)
    yield Part("the note on the signature", _NOTE.format(key=escape(key)))
    yield from _data(evidence)
    yield Part("the script", f"<script>{frame.script}</script>")


def _policy(frame: Frame) -> str:
    """Nothing is loaded, and nothing runs but our own script."""
    return (
        f"default-src 'none'; style-src '{_digest(frame.style)}'; script-src '{_digest(frame.script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _data(evidence: CopyEvidence) -> Iterator[Part]:
    """The evidence as JSON in one form; one author, work or sentence in a line."""
    yield Part("the evidence", '<script type="application/json" id="evidence">{"blocks":[')
    yield from _rows(evidence.blocks, [f"the author of block {each.number}" for each in evidence.blocks])
    yield Part("the evidence", '],"document":')
    yield Part("what is said of the document", _json(evidence.document))
    yield Part("the evidence", ',"sentences":[')
    names = [f"the evidence of sentence {each.number}" for each in evidence.sentences]
    yield from _rows(evidence.sentences, names)
    yield Part("the evidence", '],"works":[')
    yield from _rows(evidence.works, [f"the work {each.key}" for each in evidence.works])
    yield Part("the evidence", "]}</script>")


def _rows(values: Iterable[Value], names: list[str]) -> Iterator[Part]:
    for place, (value, name) in enumerate(zip(values, names, strict=True)):
        yield Part(name, f"{',' if place else ''}{_json(value)}")


def _json(value: Value) -> str:
    return canonical(value.model_dump(mode="json", exclude_defaults=True))


_HINT = """\
<header><p id="hint">Click a sentence to see who wrote it and what it rests on; or choose one with the arrow
keys, and press Enter.</p></header>"""
_PANEL = """\
<aside id="panel" aria-labelledby="panel-title" hidden>
<button type="button" id="close">Close</button>
<h2 id="panel-title" tabindex="-1"></h2>
<div id="panel-facts"></div>
</aside>"""
_NOTE = """\
<footer>
<p>Signed by the key <code>{key}</code>. Compare it with the one that the publisher names. Whether a byte
was changed since is told, without a network, by <code>penwright trace check FILE</code>, and by the short
program verify_evidence.py of Penwright's documentation, which needs Python and its library cryptography
alone.</p>
<p>The data of this page stand in it as JSON, in the element <code>#evidence</code>.</p>
</footer>"""
