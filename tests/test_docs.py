"""The documents keep the form that they promise."""

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
_HEADING = re.compile(r"^### (.+)$", re.MULTILINE)


def _decisions() -> str:
    return (DOCS / "decisions.md").read_text("utf-8")


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_the_index_of_decisions_links_every_decision_in_order() -> None:
    text = _decisions()

    links = re.findall(r"^  - \[(.+)\]\(#(.+)\)$", text, re.MULTILINE)

    assert links == [(title, _anchor(title)) for title in _HEADING.findall(text)]


def test_each_decision_is_dated_and_at_most_ten_lines_long() -> None:
    entries = re.split(r"^##+ .+\n", _decisions(), flags=re.MULTILINE)[1:]
    bodies = [entry.strip() for entry in entries if entry.strip()]

    assert [body[:40] for body in bodies if not re.match(r"\d{4}-\d\d-\d\d\. ", body)] == []
    assert [body[:40] for body in bodies if len(body.splitlines()) > 10] == []


def test_the_glossary_is_sorted_and_says_each_word_once() -> None:
    lines = (DOCS / "glossary.md").read_text("utf-8").splitlines()
    words = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")][1:]

    assert words == sorted(words, key=lambda word: word.replace(",", "").casefold())
    assert len(words) == len(set(words))


def test_relative_links_of_the_documents_lead_to_files() -> None:
    files = [*DOCS.glob("*.md"), DOCS.parent / "README.md", DOCS.parent / "CHANGELOG.md"]

    missing = [
        (file.name, target)
        for file in files
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text("utf-8"))
        if not (file.parent / target).exists()
    ]

    assert missing == []
