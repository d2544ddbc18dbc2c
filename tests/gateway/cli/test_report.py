"""``penwright … report``: the pictures as numbers, as a plot, and as files."""

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from gateway.cli.charts import reporting
from penwright.domain.charts.made import words_by_author
from penwright.domain.trace.reports.disclosure import SHARES, Chapter, Words
from schemas.agent_state import ActionEntry, StateKey
from schemas.base import OpId
from tests.support.each import for_each
from tests.support.gateway.http import a_novel, a_scene, a_world
from tests.support.gateway.services import NOW, Run, StageServices


def test_a_book_is_reported_as_numbers_and_as_a_plot(run: Run, book: Path) -> None:
    run("book", "session", str(book))

    _, numbers, _ = run("book", "report", str(book))
    code, plot, _ = run("book", "report", str(book), "--plot")

    assert code == 0
    assert "Words per session" in numbers
    assert "Aimed at" in numbers
    assert "█" not in numbers
    assert "█" in plot


def test_every_author_has_a_sign_of_its_own_in_a_plot() -> None:
    words = Words(human=10, ai=10, mixed=10, edited=10, ambiguous=10, unknown=10)
    console = Console(file=(printed := io.StringIO()), width=120, no_color=True)

    reporting.plot(words_by_author((Chapter("Full_Book.md", ("One",), words),)), console)

    bar = printed.getvalue().splitlines()[-1]
    assert len(set(bar) - set("One 60")) == len(SHARES)


@for_each("width", [24, 30, 40, 60, 80, 120])
def test_a_plot_fits_a_narrow_terminal_and_breaks_no_name_of_its_legend(width: int) -> None:
    words = Words(human=1, ai=1, mixed=1, edited=1, ambiguous=1, unknown=12_341)
    chart = words_by_author((Chapter("Full_Book.md", ("A chapter of quite a long name",), words),))
    console = Console(file=(printed := io.StringIO()), width=width, no_color=True)

    reporting.plot(chart, console)

    lines = printed.getvalue().splitlines()
    names = [each.name for each in chart.series if len(each.name) + 2 <= width]
    assert [name for name in names if not any(name in line for line in lines)] == []
    assert lines[-1].endswith("12,346")
    assert max(map(len, lines)) <= width


def test_growth_counts_a_reworked_passage_once(run: Run, book: Path, services: StageServices) -> None:
    old, new = "The tide went out over the long grey sand.", "The tide went out."
    review = book / "Review/current.md"
    run("book", "open", str(book))
    run("book", "close", str(book), stdin=old.encode())
    services.clock.later(hours=1)
    review.write_text(f"{review.read_text()}\n<!-- INK: shorter -->\n")
    run("book", "open", str(book))
    rework = f"<!-- INK:REWORKED:START -->\n> **[Rework]** shorter\n\n{new}\n"
    rework += f"<!-- INK:ORIGINAL:START -->\n{old}\n<!-- INK:ORIGINAL:END -->\n<!-- INK:REWORKED:END -->\n"
    run("book", "close", str(book), stdin=rework.encode())

    _, out, _ = run("book", "report", str(book), "--json")

    charts = {each["name"]: each["series"][0]["values"] for each in json.loads(out)["charts"]}
    assert charts["words"] == [9.0, 4.0]
    assert charts["growth"] == [9.0, 4.0]


@pytest.mark.usefixtures("in_vienna")
def test_sessions_are_reported_at_the_times_that_the_log_shows(run: Run, book: Path) -> None:
    run("book", "session", str(book))

    _, numbers, _ = run("book", "report", str(book))
    _, log, _ = run("book", "log", str(book))

    assert log.startswith("2026-02-22 15:30 CET")
    assert "\n2026-02-22 15:30 " in numbers


def test_pictures_are_written_and_never_over_another_file(run: Run, book: Path, tmp_path: Path) -> None:
    run("book", "session", str(book))
    run("book", "report", str(book), "--svg", str(tmp_path))
    before = (tmp_path / "words.svg").read_text()

    code, out, _ = run("book", "report", str(book), "--svg", str(tmp_path), "--json")

    assert (code, json.loads(out)["code"]) == (3, "would-overwrite")
    assert ElementTree.fromstring(before).tag.endswith("svg")
    assert run("book", "report", str(book), "--svg", str(tmp_path), "--force")[0] == 0


def test_a_document_is_reported_by_the_score_of_each_pass(
    run: Run, services: StageServices, tmp_path: Path
) -> None:
    novel = a_novel(services, tmp_path / "ebb")
    for number, score in enumerate((0.4, 0.8)):
        entry = ActionEntry(
            op_id=OpId(f"{number}"),
            run="r",
            at=NOW,
            action="critique",
            outcome="done",
            summary="",
            score=score,
        )
        services.store.agent_logs.append([(StateKey(novel=novel), entry)])

    code, plot, _ = run("manuscript", "report", novel, "--plot")

    first, second = (line.count("█") for line in plot.splitlines() if "█" in line)
    assert code == 0
    assert "Score per critique" in plot
    assert second == pytest.approx(2 * first, abs=1)


def test_a_scene_is_reported_by_the_tokens_of_its_sections(
    run: Run, services: StageServices, tmp_path: Path
) -> None:
    scene = a_scene(services, a_world(services))
    run("scene", "say", scene, "Who lit the lamp?")

    code, out, _ = run("scene", "report", scene, "--svg", str(tmp_path))

    assert code == 0, out
    assert [ElementTree.parse(line).getroot().tag[-3:] for line in out.split()] == ["svg"]
    assert "Tokens of" in (tmp_path / "tokens.svg").read_text()
