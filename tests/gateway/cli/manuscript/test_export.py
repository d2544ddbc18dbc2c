"""``penwright manuscript export``: documents with citations that are rendered, or kept beside."""

import json
import re
import zipfile
from pathlib import Path
from typing import Any

from tests.support.each import for_each
from tests.support.gateway.services import Run, git_in


def export(run: Run, novel: Path, *arguments: str) -> tuple[dict[str, Any], Path]:
    code, out, err = run("manuscript", "export", str(novel), *arguments, "--json")
    assert (code, err) == (0, "")
    made = json.loads(out)
    return made, Path(made["path"])


def test_markdown_has_pandocs_citations_and_a_bibliography_beside(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    made, path = export(run, novel, "--output", str(tmp_path / "low tide.md"))

    text = path.read_text()
    assert text.startswith(
        '---\ntitle: "Low Tide"\nauthor: "M. Orr"\nlang: "en"\nbibliography: "low-tide.bib"\n---\n'
    )
    assert "why [@orr2020tide]." in text
    assert "[[@" not in text
    assert "@article{orr2020tide," in (tmp_path / "low-tide.bib").read_text()
    assert (made["citations"], made["bibliography"]) == (1, str(tmp_path / "low-tide.bib"))


def test_an_export_counts_the_words_as_the_list_of_scenes_does(run: Run, novel: Path, tmp_path: Path) -> None:
    listed = json.loads(run("manuscript", "list", str(novel), "--json")[1])

    made, _ = export(run, novel, "--output", str(tmp_path / "ebb.html"))

    assert made["citations"] == 1
    assert made["words"] == sum(each["words"] for each in listed["scenes"])


def test_latex_cites_by_key_and_names_its_bibliography(run: Run, novel: Path, tmp_path: Path) -> None:
    _, path = export(run, novel, "--output", str(tmp_path / "ebb.tex"))

    source = path.read_text()
    assert "\\citep{orr2020tide}" in source
    assert "\\bibliography{ebb}" in source
    assert (tmp_path / "ebb.bib").exists()


def test_html_renders_citations_with_a_list_of_references(run: Run, novel: Path, tmp_path: Path) -> None:
    made, path = export(run, novel, "--to", "html", "--output", str(tmp_path / "ebb.html"))

    page = " ".join(path.read_text().split())
    assert "why <span" in page
    assert "(Orr 2020)" in page
    assert "<em>The Tide Tables</em>" in page or "The Tide Tables" in page
    assert made["bibliography"] == ""


@for_each("to, magic", [("docx", b"PK"), ("epub", b"PK"), ("pdf", b"%PDF-")])
def test_every_other_format_is_made(run: Run, novel: Path, tmp_path: Path, to: str, magic: bytes) -> None:
    _, path = export(run, novel, "--to", to, "--output", str(tmp_path / f"ebb.{to}"))

    assert path.read_bytes().startswith(magic)


def test_notes_of_a_scene_go_out_as_comments_of_a_docx(run: Run, novel: Path, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(
        "It rose.\n\n<!-- INK: Ann: Why? -->\n\n<!-- not a note -->\n\n```\nx\n```\n\n<!-- INK: Shorter -->\n"
    )
    run("manuscript", "import", str(tmp_path / "x.md"), "--into", str(novel), "--scene", "a")

    made, path = export(run, novel, "a", "--output", str(tmp_path / "a.docx"))
    without, bare = export(run, novel, "a", "--output", str(tmp_path / "b.docx"), "--no-comments")
    html, page = export(run, novel, "a", "--output", str(tmp_path / "a.html"))

    with zipfile.ZipFile(path) as packed, zipfile.ZipFile(bare) as plain:
        said = re.findall(r"<w:t[^>]*>([^<]*)</w:t>", packed.read("word/comments.xml").decode())
        assert b"commentReference" not in plain.read("word/document.xml")
    assert said == ["Ann: Why?", "Shorter"]
    assert [each["comments"] for each in (made, without, html)] == [2, 0, 0]
    assert made["words"] == without["words"] == html["words"]
    assert "Why" not in page.read_text()


def test_a_whole_novel_has_its_scenes_by_name_and_one_scene_has_itself(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    for name, text in (("b", "Second.\n"), ("a", "First <!-- not yet --> scene.\n")):
        (tmp_path / "x.md").write_text(text)
        run("manuscript", "import", str(tmp_path / "x.md"), "--into", str(novel), "--scene", name)

    made, whole = export(run, novel, "--output", str(tmp_path / "whole.md"))
    _, one = export(run, novel, "b", "--output", str(tmp_path / "one.md"))

    assert made["scenes"] == ["-", "a", "b"]
    assert whole.read_text().endswith("First  scene.\n\nSecond.\n")
    assert one.read_text().endswith("---\n\nSecond.\n")


def test_notes_of_two_scenes_with_one_label_are_both_printed(run: Run, novel: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "x.md").write_text(f"Scene {name}.[^1]\n\n[^1]: Note of {name}.\n")
        run("manuscript", "import", str(tmp_path / "x.md"), "--into", str(novel), "--scene", name)

    _, page = export(run, novel, "--output", str(tmp_path / "whole.html"))

    shown = page.read_text()
    assert (shown.count("Note of a."), shown.count("Note of b.")) == (1, 1)


def test_references_of_the_workspace_are_cited_by_key(run: Run, novel: Path, tmp_path: Path) -> None:
    (novel / "references.bib").write_text(
        "@book{vale2019,\n  title = {Piers},\n  author = {Vale, P.},\n  year = {2019}\n}\n"
    )
    (tmp_path / "x.md").write_text("Piers stand [@vale2019], and others [@nobody1900].\n")
    git_in(novel, "add", "references.bib")
    git_in(novel, "-c", "user.name=A", "-c", "user.email=a@e.org", "commit", "-qm", "references")
    run("manuscript", "import", str(tmp_path / "x.md"), "--into", str(novel), "--scene", "pier")

    made, path = export(run, novel, "pier", "--output", str(tmp_path / "pier.html"))

    assert "Vale 2019" in " ".join(path.read_text().split())
    (warning,) = made["warnings"]
    assert "nobody1900" in str(warning)


def test_a_style_of_the_workspace_is_used_and_a_missing_one_is_said(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    settings = novel / "Novel.yml"
    settings.write_text(settings.read_text().replace('citation_style: ""', 'citation_style: "plain.csl"'))
    git_in(novel, "-c", "user.name=A", "-c", "user.email=a@e.org", "commit", "-qam", "style")

    made, _ = export(run, novel, "--output", str(tmp_path / "a.html"))

    assert made["warnings"] == [
        "'plain.csl', the citation style of Novel.yml, is not committed; Chicago was used"
    ]


def test_a_file_is_replaced_only_with_force(run: Run, novel: Path, tmp_path: Path) -> None:
    (tmp_path / "ebb.bib").write_text("mine")
    order = ("manuscript", "export", str(novel), "--output", str(tmp_path / "ebb.md"))

    refused, forced = run(*order), run(*order, "--force")

    assert (refused[0], "error[would-overwrite]" in refused[2]) == (3, True)
    assert forced[0] == 0
    assert not (tmp_path / "ebb.bib").read_text().startswith("mine")


def test_a_bibliography_that_is_the_same_is_no_obstacle(run: Run, novel: Path, tmp_path: Path) -> None:
    export(run, novel, "--output", str(tmp_path / "ebb.md"))

    made, _ = export(run, novel, "--output", str(tmp_path / "ebb.tex"))

    assert made["bibliography"] == str(tmp_path / "ebb.bib")


def test_a_suffix_that_is_no_format_is_named(run: Run, novel: Path) -> None:
    _, _, err = run("manuscript", "export", str(novel), "--output", "x.odt")

    assert "'odt' is not a format" in err


def test_a_list_of_contents_that_markdown_does_not_have_is_said(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    made, _ = export(run, novel, "--output", str(tmp_path / "ebb.md"), "--contents")

    assert made["warnings"] == ["a Markdown file has no list of contents; `--contents` did nothing"]


@for_each(
    "arguments, code",
    [
        ((), "unknown-format"),
        (("--to", "odt"), "unknown-format"),
        (("--to", "pdf", "--output", "x.docx"), "format-contradicts-name"),
        (("nowhere", "--to", "pdf"), "no-such-scene"),
        (("../x", "--to", "pdf"), "bad-scene-name"),
        (("--output", "no/where/x.pdf"), "no-such-folder"),
    ],
)
def test_what_cannot_be_exported_is_said(
    run: Run, novel: Path, arguments: tuple[str, ...], code: str
) -> None:
    status, _, err = run("manuscript", "export", str(novel), *arguments)

    assert status != 0
    assert f"error[{code}]" in err


def test_a_novel_without_text_is_not_exported(run: Run, tmp_path: Path) -> None:
    run("manuscript", "new", str(tmp_path / "empty"))

    code, _, err = run("manuscript", "export", str(tmp_path / "empty"), "--to", "html")

    assert (code, "error[nothing-to-export]" in err) == (3, True)


@for_each(
    "suffix, shown",
    [("html", "[[@article{"), ("tex", "{[}{[}@article\\{"), ("md", "[[@article{")],
)
def test_a_citation_that_does_not_close_stays_as_it_is_and_is_named(
    run: Run, novel: Path, tmp_path: Path, suffix: str, shown: str
) -> None:
    (tmp_path / "open.md").write_text("It rose [[@article{lee, title={Open]].\n")
    run("manuscript", "import", str(tmp_path / "open.md"), "--into", str(novel), "--scene", "x")

    made, path = export(run, novel, "x", "--output", str(tmp_path / f"x.{suffix}"))

    assert shown in path.read_text()
    assert (made["citations"], len(made["warnings"])) == (0, 1)
    assert "does not close" in made["warnings"][0]


def test_what_is_wrong_with_citations_is_said_with_scene_and_line_in_order(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    for scene, text in {
        "b": "Two [@nobody1900].\n",
        "a": "<!-- one\ntwo -->\n\nFog.\n\nOne [@nobody1901].\n",
    }.items():
        (tmp_path / "x.md").write_text(text)
        run("manuscript", "import", str(tmp_path / "x.md"), "--into", str(novel), "--scene", scene)

    made, _ = export(run, novel, "--output", str(tmp_path / "all.html"))
    _, checked, _ = run("cite", "check", str(novel), "--scene", "a")

    warnings = made["warnings"]
    assert isinstance(warnings, list)
    assert [each.partition(": nothing")[0] for each in warnings] == [
        "citations: scene 'a', line 6",
        "citations: scene 'b', line 1",
    ]
    assert checked.startswith("1 citation, 1 fault.\nscene 'a', line 6: nothing says what 'nobody1901' is")
