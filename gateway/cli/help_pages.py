"""``penwright help TOPIC``: the pages of the manual, which an installed program brings along."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.cli.output import JsonFlag, Printer
from penwright.domain.text.nearest import guess, nearest
from penwright.errors import NotFound

_PROGRAM = Path(__file__).parents[2]
_FOLDERS = (_PROGRAM / "penwright_docs", _PROGRAM / "docs")
"""Folders of the pages: in an installed program, and in its source."""

Topic = Annotated[str, typer.Argument(metavar="TOPIC", help="A page or a command; `topics` lists pages.")]


def help_(ctx: typer.Context, topic: Topic, json: JsonFlag = False) -> None:
    """Read a page of the manual, or the help of a command.

    \b
      penwright help topics
      penwright help citations
      penwright help book
    """
    program: Any = ctx.find_root().command  # Any: a LazyGroup, whose module imports this one
    pages = topics()
    if topic == "topics":
        Printer(json).result({"topics": list(pages)}, list(pages))
        return
    if topic not in pages:
        raise _unknown(program, topic, pages)
    text = pages[topic].read_text("utf-8")
    if json:
        Printer(json).result({"topic": topic, "text": text}, "")
        return
    _show(text)
    if topic in program.verbs:
        typer.echo(f"\n`penwright {topic} --help` lists its commands.")


def topics() -> Mapping[str, Path]:
    """The pages of the manual, by name."""
    folder = next((each for each in _FOLDERS if each.is_dir()), _FOLDERS[0])
    return {page.stem: page for page in sorted(folder.glob("*.md"))}


def _unknown(program: Any, topic: str, pages: Mapping[str, Path]) -> NotFound:
    near = nearest(topic, pages) or program.near(topic)
    return NotFound(
        "unknown-topic",
        f"there is no page and no command {topic!r}{guess(near)}",
        hint=f"the pages are: {', '.join(pages)}; `penwright --help` lists the commands",
    )


def _show(text: str) -> None:
    from rich.console import Console  # 60 ms that no other command should pay
    from rich.markdown import Markdown

    Console().print(Markdown(text))
