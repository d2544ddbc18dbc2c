"""Prose becomes HTML in one place, and nothing of it is code."""

import pytest

from gateway.ui.elements import html
from gateway.ui.parts.editing.prose import html_of
from tests.support.each import for_each

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt&colon;alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "![a](https://evil.example/pixel.png)",
    "<style>body{background:red}</style>",
    "<form action=https://evil.example><input></form>",
    "<svg onload=alert(1)>",
    "<iframe src=https://evil.example></iframe>",
    '<a href="https://a.example" onclick="alert(1)" style="x">a</a>',
    "```html\n<script>alert(1)</script>\n```",
    "<!-- INK: x --> <b onmouseover=alert(1)>b</b>",
    "[a]: javascript:alert(1)\n\n[a]",
]


@for_each("source", HOSTILE)
def test_no_hostile_text_becomes_code(source: str) -> None:
    made = html_of(source)

    for tag in ("<script", "<img", "<style", "<form", "<input", "<svg", "<iframe", "<b "):
        assert tag not in made
    assert 'href="javascript' not in made.lower()
    assert 'href="data' not in made.lower()
    assert "onclick=" not in made.replace("&quot;", "").split("<p>&lt;")[0]


def test_plain_markdown_stays() -> None:
    assert html_of("A *small* **boat**.") == "<p>A <em>small</em> <strong>boat</strong>.</p>\n"


def test_links_lead_out_without_telling_where_from() -> None:
    made = html_of("[the tide](https://tide.example)")

    assert 'href="https://tide.example"' in made
    assert 'rel="noopener noreferrer nofollow"' in made


def test_an_image_is_its_description() -> None:
    assert html_of("![a boat](https://evil.example/x.png)") == "<p>a boat</p>\n"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//evil.example", "https://evil.example"])
def test_a_link_within_the_workspace_leads_nowhere_else(address: str) -> None:
    with pytest.raises(ValueError, match="not an address of the workspace"):
        html.link("x", address)
