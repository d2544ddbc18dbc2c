"""The documents keep the form that they promise."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
_FILES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]
_ROOMS = ("schemas", "penwright", "activities", "workflows", "workers", "gateway", "tests", "docs", "deploy")
_HEADING = re.compile(r"^### (.+)$", re.MULTILINE)


def _decisions() -> str:
    return (DOCS / "dev" / "decisions.md").read_text("utf-8")


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
    lines = (DOCS / "dev" / "glossary.md").read_text("utf-8").splitlines()
    words = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")][1:]

    assert words == sorted(words, key=lambda word: word.replace(",", "").casefold())
    assert len(words) == len(set(words))


def test_relative_links_of_the_documents_lead_to_files() -> None:
    missing = [
        (file.name, target)
        for file in _FILES
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text("utf-8"))
        if not (file.parent / target).exists()
    ]

    assert missing == []


def _names(text: str) -> set[str]:
    """What a document names in backticks; ``<group>``, ``…`` and the invented pipeline x are placeholders."""
    names = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return {name for name in names if not re.search(r"[<…\s]|\bx\b|^X", name)}


@pytest.mark.parametrize("file", _FILES, ids=lambda file: file.name)
def test_paths_that_the_documents_name_exist(file: Path) -> None:
    paths = {
        name for name in _names(file.read_text("utf-8")) if name.partition("/")[0] in _ROOMS and "/" in name
    }

    assert {path for path in paths if not (ROOT / path).exists()} == set()


def test_modules_and_identifiers_that_the_architecture_names_exist() -> None:
    text = (DOCS / "dev" / "architecture.md").read_text("utf-8")
    rooms = "|".join(_ROOMS)
    modules = re.findall(rf"\b((?:{rooms})(?:\.\w+)+)", re.sub(r"`[^`\n]+`", "", text))
    identifiers = {name for name in _names(text) if re.fullmatch(r"_?[A-Za-z]\w{2,}", name)}
    code = "".join(path.read_text("utf-8") for room in _ROOMS for path in (ROOT / room).rglob("*.py"))
    places = {(ROOT / name.replace(".", "/")) for name in modules}

    assert [p for p in places if not p.exists() and not p.with_suffix(".py").exists()] == []
    assert identifiers - set(re.findall(r"\w+", code)) == set()
