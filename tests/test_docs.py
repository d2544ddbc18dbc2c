"""The documents keep the form that they promise."""

import itertools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from gateway.cli.program import app as penwright
from gateway.ink.program import app as ink
from tests.support.each import for_each

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


def test_each_decision_is_dated_and_at_most_three_lines_long() -> None:
    entries = re.split(r"^##+ .+\n", _decisions(), flags=re.MULTILINE)[1:]
    bodies = [entry.strip() for entry in entries if entry.strip()]

    assert [body[:40] for body in bodies if not re.match(r"\d{4}-\d\d-\d\d\. ", body)] == []
    assert [body[:40] for body in bodies if len(body.splitlines()) > 3] == []


def test_the_glossary_is_sorted_and_says_each_word_once() -> None:
    lines = (DOCS / "dev" / "glossary.md").read_text("utf-8").splitlines()
    words = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")][1:]

    assert words == sorted(words, key=lambda word: word.replace(",", "").casefold())
    assert len(words) == len(set(words))


def test_links_of_the_documents_lead_to_files_and_headings() -> None:
    missing = [
        (file.name, target, heading)
        for file in _FILES
        for target, heading in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", file.read_text("utf-8"))
        if not _leads(file.parent / target if target else file, heading)
    ]

    assert missing == []


def _leads(file: Path, heading: str) -> bool:
    if not heading:
        return file.exists()
    titles = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE) if file.exists() else []
    return heading in map(_anchor, titles)


_COMMAND = re.compile(r"(?:^|`)(penwright|ink-cli)((?: +[^\s`]+)+)", re.MULTILINE)
"""In backticks, or at the start of a line of an example."""
_END = {"#", "&&", "|", "<", ">", ">>", ";"}
"""Words of a shell that end a command."""


def test_commands_that_the_documents_name_exist() -> None:
    programs = {"penwright": get_command(penwright), "ink-cli": get_command(ink)}
    unknown = [
        (file.name, program, *words)
        for file in _FILES
        for program, rest in _COMMAND.findall(file.read_text("utf-8"))
        for words in _alternatives(itertools.takewhile(lambda word: word not in _END, rest.split()))
        if not _is_known(programs[program], words)
    ]

    assert unknown == []


def _alternatives(words: Iterable[str]) -> list[list[str]]:
    """``run pause|resume ID`` means two commands."""
    ways: list[list[str]] = [[]]
    for word in words:
        ways = [[*way, each] for way in ways for each in word.split("|")]
    return ways


# Any: typer's own types of commands, which it does not name in public.
def _is_known(command: Any, words: list[str]) -> bool:
    context = typer.Context(command)
    while isinstance(command, TyperGroup) and words and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        if (found := command.get_command(context, words[0])) is None:
            return command.invoke_without_command
        command, words = found, words[1:]
    params = command.get_params(context)
    options = {name for each in params for name in (*each.opts, *each.secondary_opts)}
    return {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)} <= options


def _names(text: str) -> set[str]:
    """What a document names in backticks; ``<group>``, ``…`` and the invented pipeline x are placeholders."""
    names = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return {name for name in names if not re.search(r"[<…\s]|\bx\b|^X", name)}


@for_each("file", _FILES)
def test_paths_that_the_documents_name_exist(file: Path) -> None:
    paths = {
        name for name in _names(file.read_text("utf-8")) if name.partition("/")[0] in _ROOMS and "/" in name
    }

    assert {path for path in paths if not (ROOT / path).exists()} == set()


def test_pages_that_the_program_and_its_deployment_name_exist() -> None:
    files = [path for room in _ROOMS if room not in ("tests", "docs") for path in (ROOT / room).rglob("*.*")]
    texts = [
        (path, path.read_text("utf-8", errors="replace"))
        for path in files
        if path.suffix != ".pyc" and path.is_file()
    ]
    missing = [
        (path.relative_to(ROOT).as_posix(), page)
        for path, text in texts
        for page in re.findall(r"\bdocs/[\w/-]+\.md", text)
        if not (ROOT / page).exists()
    ]

    assert missing == []


def test_modules_and_identifiers_that_the_architecture_names_exist() -> None:
    text = (DOCS / "dev" / "architecture.md").read_text("utf-8")
    rooms = "|".join(_ROOMS)
    modules = re.findall(rf"\b((?:{rooms})(?:\.\w+)+)", re.sub(r"`[^`\n]+`", "", text))
    identifiers = {name for name in _names(text) if re.fullmatch(r"_?[A-Za-z]\w{2,}", name)}
    code = "".join(path.read_text("utf-8") for room in _ROOMS for path in (ROOT / room).rglob("*.py"))
    places = {(ROOT / name.replace(".", "/")) for name in modules}

    assert [p for p in places if not p.exists() and not p.with_suffix(".py").exists()] == []
    assert identifiers - set(re.findall(r"\w+", code)) == set()
