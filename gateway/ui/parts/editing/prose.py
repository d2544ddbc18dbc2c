"""Prose of books, models and cards as a page shows it; the only producer of HTML in the workspace."""

from collections.abc import Iterable
from html import escape
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from nicegui import ui

from gateway.ui.elements.html import box
from penwright.domain.text.comparing.word_diff import Change, word_diff

_TAGS: Final = frozenset(
    {"p", "em", "strong", "a", "blockquote", "ul", "ol", "li", "code", "pre", "hr", "br"}
    | {f"h{level}" for level in range(1, 7)}
)
_SCHEMES: Final = frozenset({"http", "https", "mailto"})


def prose(source: str) -> ui.element:
    """Markdown as a reader sees it; HTML in it is text, images are their descriptions, links open apart."""
    with box(classes="prose") as shown:
        ui.html(html_of(source), sanitize=False)
    return shown


def html_of(source: str) -> str:
    """The HTML of a Markdown text: a few tags without attributes, and links to other sites."""
    parser = MarkdownIt("commonmark", {"html": False})
    tokens = parser.parse(source)
    _without_images(tokens)
    made = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        made,
        tags=set(_TAGS),
        attributes={"a": {"href"}},
        url_schemes=set(_SCHEMES),
        link_rel="noopener noreferrer nofollow",
    )


def difference(before: str, after: str) -> ui.element:
    """Draw what was taken out and put in, word by word; said in words to a reader of the screen."""
    return stretches(word_diff(before, after))


def stretches(changes: Iterable[Change]) -> ui.element:
    """The same of texts that were compared before."""
    with box("p", classes="prose change") as shown:
        ui.html("".join(map(_stretch, changes)), sanitize=False, tag="span")
    return shown


def _stretch(change: Change) -> str:
    """One element of the page holds a whole comparison: hundreds of marks would make it slow."""
    shown = escape(change.text)
    if change.kind == "same":
        return shown
    tag = "del" if change.kind == "removed" else "ins"
    return f'<{tag}><span class="hidden-text">{change.kind}: </span>{shown}</{tag}>'


def _without_images(tokens: Iterable[Token]) -> None:
    """Put the description in place of each image: nothing is fetched from elsewhere."""
    for token in tokens:
        if token.type == "image":
            token.type, token.tag, token.children = "text", "", None
            token.attrs = {}
        _without_images(token.children or ())
