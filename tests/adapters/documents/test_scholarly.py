"""Papers: citations, formulas and LaTeX on their way in and out."""

import io
import re
import zipfile
from typing import Any

import pytest

from penwright.adapters.documents import PandocDocuments
from penwright.domain.citations.entries import read_entries
from penwright.errors import UsageMistake
from schemas.documents import BookDocument, SourceDocument, TargetFormat
from tests.support.cited_documents import cited_document
from tests.support.each import for_each

DOCUMENTS = PandocDocuments()
BIBLIOGRAPHY = """\
@article{orr2020tide,
  title = {The tide tables},
  author = {Orr, M. and Vale, P.},
  year = {2020},
  journal = {Shores},
  doi = {10.1000/x_y}
}
"""
STYLE = """\
<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>Plain</title><id>plain</id><updated>2026-01-01T00:00:00+00:00</updated></info>
  <citation><layout prefix="&lt;" suffix="&gt;"><text variable="title"/></layout></citation>
</style>
"""


def paper(markdown: str, **more: str) -> BookDocument:
    return BookDocument(
        markdown=markdown, title="Tides", contents=False, scholarly=True, bibliography=BIBLIOGRAPHY, **more
    )


def written(markdown: str, to: TargetFormat = "html", **more: str) -> str:
    return DOCUMENTS.write(paper(markdown, **more), to).content.decode()


def body(html: str) -> str:
    """What is shown below the title, in one line."""
    return " ".join(html.partition("</header>")[2].split())


def test_citations_are_rendered_with_a_list_of_references() -> None:
    html = body(written("# One\n\nTides rise [@orr2020tide].\n"))

    assert "(Orr and Vale 2020)" in html
    assert "https://doi.org/10.1000/x_y" in html


@pytest.mark.parametrize(
    ("language", "heading"), [("en", "References"), ("de-AT", "Literatur"), ("xx", "References")]
)
def test_a_heading_in_the_papers_language_stands_above_the_list(language: str, heading: str) -> None:
    html = body(written("# One\n\nTides rise [@orr2020tide].\n", language=language))

    assert re.findall("<h1[^>]*>([^<]*)</h1>", html) == ["One", heading]
    assert html.index(f">{heading}</h1>") < html.index("https://doi.org/10.1000/x_y")


def test_a_heading_of_the_papers_own_is_the_only_one_above_the_list() -> None:
    html = body(written("# One\n\nTides rise [@orr2020tide].\n\n# Works read\n"))

    assert re.findall("<h1[^>]*>([^<]*)</h1>", html) == ["One", "Works read"]


def test_a_paper_that_cites_nothing_has_no_heading_for_a_list() -> None:
    assert "References" not in body(written("# One\n\nTides rise.\n"))


def test_the_style_of_the_paper_is_used() -> None:
    assert "&lt;The tide tables&gt;" in body(written("Tides rise [@orr2020tide].\n", style=STYLE))


def test_latex_keeps_citations_formulas_and_commands_and_names_the_bibliography() -> None:
    text = "Tides rise [@orr2020tide] by $x^2$, \\textbf{much}.\n"
    latex = " ".join(written(text, "latex", bibliography_name="low-tide").split())

    assert "Tides rise \\citep{orr2020tide} by \\(x^2\\), \\textbf{much}." in latex
    assert "\\bibliography{low-tide}" in latex


def test_words_in_commands_of_latex_are_in_every_other_format() -> None:
    html = body(written("It is \\textbf{very \\emph{high}}, \\tidy{odd}.\n\n\\section{Ebb}\n\nLow.\n"))

    assert "<strong>very <em>high</em></strong>" in html
    assert "\\tidy{odd}" in html
    assert '<h1 id="ebb">Ebb</h1>' in html


def test_what_looks_like_html_or_a_list_of_letters_stays_text() -> None:
    html = body(written("If a <b> c, then\n\n(c) nothing follows.\n"))

    assert "If a &lt;b&gt; c" in html
    assert "(c) nothing follows." in html


@pytest.mark.parametrize("to", ["docx", "epub"])
def test_a_paper_in_an_archive_has_its_references(to: TargetFormat) -> None:
    packed = DOCUMENTS.write(paper("# One\n\nTides rise [@orr2020tide].\n"), to).content

    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        texts = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(("xml", "html")))
    assert b"Vale 2020" in b" ".join(texts.split())
    assert b">References<" in texts


def test_citations_typed_into_a_page_are_citations_of_the_text() -> None:
    page = b"<html><body><p>It rises [see @lee2020]. [[@book{okoro, title={Silt_a}}]] a*b</p></body></html>"
    read = DOCUMENTS.read(SourceDocument(format="html", content=page, scholarly=True))

    assert read.markdown.strip() == r"It rises [see @lee2020]. [[@book{okoro, title={Silt_a}}]] a\*b"


def test_a_pdf_can_be_made_of_a_paper_with_formulas() -> None:
    made = DOCUMENTS.write(paper("# One\n\nTides rise [@orr2020tide] by $\\frac{1}{2}$.\n"), "pdf")

    assert made.content.startswith(b"%PDF-")


def test_latex_is_read_with_its_citations_and_formulas() -> None:
    source = (
        rb"\documentclass{article}\title{Tides}\author{M. Orr}\begin{document}"
        rb"\section{Ebb} Low \cite{orr2020tide} by $x^2$ \citep{a,b}.\includegraphics{moon.png}\end{document}"
    )

    read = DOCUMENTS.read(SourceDocument(format="latex", content=source, scholarly=True))

    assert read.markdown == "# Ebb\n\nLow [@orr2020tide] by $x^2$ [@a; @b].\n"
    assert (read.title, read.author, read.pictures) == ("Tides", "M. Orr", 1)


def test_the_abstract_of_a_paper_is_read_beside_its_text() -> None:
    source = (
        b"\\begin{document}\\begin{abstract}We count \\emph{boats}.\n\nTwice \\cite{a}.\\end{abstract}"
        b"\\section{Ebb} Low.\\end{document}"
    )

    read = DOCUMENTS.read(SourceDocument(format="latex", content=source, scholarly=True))

    assert read.abstract == "We count *boats*.\n\nTwice [@a]."
    assert read.markdown == "# Ebb\n\nLow.\n"


@for_each("heading", ["<h1>Abstract</h1>", "<p>Abstract</p>", "<p><b>ABSTRACT.</b></p>"])
def test_what_stands_below_the_word_abstract_is_the_abstract(heading: str) -> None:
    page = f"<p>M. Orr</p>{heading}<p>We count.</p><p>Twice.</p><h1>Ebb</h1><p>Low.</p>"

    paper_read = DOCUMENTS.read(SourceDocument(format="html", content=page.encode(), scholarly=True))
    book_read = DOCUMENTS.read(SourceDocument(format="html", content=page.encode()))

    assert paper_read.abstract == "We count.\n\nTwice."
    assert paper_read.markdown == "M. Orr\n\n# Ebb\n\nLow.\n"
    assert "Twice.\n\n# Ebb" in book_read.markdown


@for_each(
    "page",
    ["<h1>Abstract</h1><p>All.</p>", "<h1>Ebb</h1><p>Abstract</p><p>x</p>", "<p>Abstract</p><h1>Ebb</h1>"],
)
def test_a_text_with_nothing_behind_or_below_the_word_abstract_has_none(page: str) -> None:
    read = DOCUMENTS.read(SourceDocument(format="html", content=page.encode(), scholarly=True))

    assert read.abstract == ""
    assert "Abstract" in read.markdown


def test_a_caption_is_marked_or_stays_with_its_table_and_is_exported_with_it() -> None:
    source = (
        rb"\begin{document}\begin{figure}\includegraphics{x.png}\caption{A \emph{low} tide.}\end{figure}"
        rb"\begin{table}\caption{Boats.}\begin{tabular}{l}a\\\end{tabular}\end{table}\end{document}"
    )

    read = DOCUMENTS.read(SourceDocument(format="latex", content=source, scholarly=True))
    book_read = DOCUMENTS.read(SourceDocument(format="latex", content=source))

    assert read.markdown.startswith("*A low tide.*\n\n|")
    assert read.markdown.endswith("|\n\n: Boats.\n")
    assert read.left_out == (
        "pictures left out: 1",
        "captions that stand in italics, without their figure: 1",
    )
    assert "\\caption{Boats.}" in written(read.markdown, "latex")
    assert book_read.markdown.endswith("|\n\n*Boats.*\n")


def test_a_formula_that_is_set_apart_stands_on_lines_of_its_own() -> None:
    source = rb"\begin{document}We have \begin{equation}x = y\end{equation}, and \[z\]\[q\] on.\end{document}"

    read = DOCUMENTS.read(SourceDocument(format="latex", content=source, scholarly=True))

    assert read.markdown == (
        "We have\n$$\n\\begin{equation}\nx = y\n\\end{equation}\n$$, and\n$$\nz\n$$\n$$\nq\n$$\non.\n"
    )
    assert "\\begin{equation}\nx = y\n\\end{equation}\n, and" in written(read.markdown, "latex")


def test_latex_in_another_encoding_is_refused() -> None:
    with pytest.raises(UsageMistake) as refused:
        DOCUMENTS.read(SourceDocument(format="latex", content=b"B\xe4r", scholarly=True))

    assert refused.value.code == "source-not-utf8"


ORR: dict[str, Any] = {"id": 7, "type": "article-journal", "title": "The tide tables", "DOI": "10.1000/orr"}
ORR |= {"author": [{"family": "Orr", "given": "M."}], "issued": {"date-parts": [[2020]]}}
LEE: dict[str, Any] = {"id": "http://zotero.org/users/0/items/AB", "type": "book", "title": "Shores"}
LEE |= {"author": [{"family": "Lee"}]}


@for_each("program", ["ZOTERO_ITEM", ""])
def test_citations_of_a_reference_manager_come_with_their_records(program: str) -> None:
    content = cited_document("Tides turn", [ORR], [ORR, LEE], program=program)

    read = DOCUMENTS.read(SourceDocument(format="docx", content=content, scholarly=True))

    assert read.markdown == "Tides turn [@orr2020tide][@orr2020tide; @leendshores]\n"
    assert [each.key for each in read_entries(read.references).entries] == ["orr2020tide", "leendshores"]
    assert "doi = {10.1000/orr}" in read.references


def test_a_book_takes_what_a_reference_manager_shows_as_text() -> None:
    content = cited_document("Tides turn", [ORR])

    read = DOCUMENTS.read(SourceDocument(format="docx", content=content))

    assert (read.markdown, read.references) == ("Tides turn (shown)\n", "")
