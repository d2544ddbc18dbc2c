"""A reader's copy in a real browser, from a file: no server, no engine, and no request leaves the page."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.async_api import Browser, Page, expect

from penwright.adapters.documents import PandocDocuments
from penwright.domain.citations.entries import read_entries
from penwright.domain.citations.exchange.exporting import exported
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.evidence.citations import works_of
from penwright.domain.evidence.marking import body_of, parts_of, with_marks
from penwright.domain.evidence.page import Frame, page_parts
from penwright.domain.evidence.sealing import fingerprint, sealed
from schemas.documents import BookDocument
from schemas.library import LocatedQuote
from schemas.readers_copy import (
    BlockAuthor,
    CitationDecided,
    CitationEvidence,
    CopyEvidence,
    CopyTitle,
    RecordFound,
    SentenceEvidence,
)

ROOM = Path(__file__).parents[2] / "gateway" / "desk" / "evidence"
TEXT = """\
# The panel and <script>alert(1)</script>

The *water rises. It* falls [[@article{lee2020tides, title = {Tides of the <b>coast</b>}, author = {Lee, Ann},
year = {2020}, doi = {10.5555/tides.7}}]]. See <https://example.org/a>.

潮水退了。灯灭了。

| place | height |
|---|---|
| pier | 3 m |
"""
QUOTE = "The water rises twice a day </script><img src=x onerror=alert(1)>"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
PUBLIC = KEY.public_key().public_bytes_raw()


def copy() -> bytes:
    """A copy with one sentence that is cited, quoted and accepted."""
    cited = exported(TEXT)
    sentences, entries = sentences_of(cited.text), read_entries(cited.bibliography).entries
    found = RecordFound(
        sources=("crossref",),
        on="2026-05-03",
        verdict="verified",
        support="says",
        overlap=0.8,
        quote=LocatedQuote(source="tides.pdf", quote=QUOTE, page=4),
    )
    evidence = CitationEvidence(
        key="lee2020tides", found=found, decided=CitationDecided(by="ann", at="2026-05-05T12:00:00+00:00")
    )
    document = BookDocument(
        markdown=with_marks(cited.text, sentences),
        title="Ebb",
        contents=False,
        scholarly=True,
        language="en",
        bibliography=cited.bibliography,
    )
    page = PandocDocuments().write(document, "html").content.decode()
    whole = CopyEvidence(
        document=CopyTitle(id="ebb", kind="novel", title="Ebb", language="en", commit="1" * 40),
        blocks=tuple(
            BlockAuthor(number=number, by="ai", models=("demo",), intent="INT-001") for number in range(1, 5)
        ),
        works=tuple(works_of(entries)),
        sentences=tuple(
            SentenceEvidence(number=each.number, block=2, citations=(evidence,) if each.keys else ())
            for each in sentences
        ),
    )
    frame = Frame(style=(ROOM / "copy.css").read_text(), script=(ROOM / "copy.js").read_text())
    return sealed(page_parts(parts_of(body_of(page)), whole, frame, fingerprint(PUBLIC)), PUBLIC, KEY.sign)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("copies") / "ebb.html"
    place.write_bytes(copy())
    return place.as_uri()


@pytest.fixture(params=["light", "dark"])
async def shown(browser: Browser, address: str, request: pytest.FixtureRequest) -> AsyncIterator[Page]:
    """The copy, opened; a message on its console or a request of it fails the test."""
    context = await browser.new_context(color_scheme=request.param, viewport={"width": 1100, "height": 800})
    tab = await context.new_page()
    faults: list[str] = []
    tab.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("dialog", lambda dialog: faults.append(dialog.message))
    tab.on("request", lambda asked: None if asked.url == address else faults.append(asked.url))
    await tab.goto(address)
    yield tab
    await context.close()
    assert faults == []


async def test_a_sentence_that_is_clicked_shows_its_author_registry_and_quote(shown: Page) -> None:
    panel = shown.get_by_role("complementary")
    await expect(panel).to_be_hidden()
    await shown.get_by_text("falls").click()

    await expect(panel.get_by_role("heading", name="Sentence 3")).to_be_focused()
    for said in (
        "Written by a model: demo",
        "INT-001",
        "Lee, Ann, 2020",
        "verified by crossref, asked on 2026-05-03",
        "Support: says, 80% of the sentence's words",
        "page 4, tides.pdf",
        "Accepted by ann, 2026-05-05 12:00",
    ):
        await expect(panel).to_contain_text(said)
    await expect(panel.get_by_role("blockquote")).to_contain_text(QUOTE)
    await expect(panel.get_by_role("link")).to_have_attribute("href", "https://doi.org/10.5555/tides.7")
    await expect(shown.locator(".chosen")).to_have_text(["It", re.compile(r"falls \(Lee 2020\)\.")])
    await shown.get_by_text("灯灭了").click()
    await expect(panel).to_contain_text("It cites nothing.")


async def test_all_of_it_can_be_reached_by_keyboard(shown: Page) -> None:
    panel = shown.get_by_role("complementary")
    await shown.get_by_role("main").focus()
    for _ in range(2):
        await shown.keyboard.press("ArrowDown")
    await shown.keyboard.press("Enter")
    await expect(panel).to_contain_text("Sentence 2")
    await shown.keyboard.press("Escape")
    await expect(panel).to_be_hidden()
    await expect(shown.locator("#s2")).to_be_focused()

    cited = shown.get_by_role("button", name="(Lee 2020)")
    await cited.focus()
    await shown.keyboard.press("Enter")
    await expect(panel).to_contain_text("crossref")
    await shown.keyboard.press("Escape")
    await expect(cited).to_be_focused()


async def test_axe_finds_nothing_with_the_panel_closed_and_open(shown: Page) -> None:
    closed = await Axe().run(shown)
    await shown.get_by_text("falls").click()
    opened = await Axe().run(shown)

    found = [each["id"] for results in (closed, opened) for each in results.response["violations"]]
    assert found == []


async def test_nothing_of_the_text_or_a_quote_is_read_as_markup(shown: Page) -> None:
    await shown.get_by_text("falls").click()

    assert await shown.locator("img, iframe, main script, aside script").count() == 0
    assert await shown.locator("[onerror], [onclick], [style]").count() == 0
    await expect(shown.get_by_role("heading", name="The panel and <script>alert(1)</script>")).to_be_visible()
