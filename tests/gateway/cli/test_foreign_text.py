"""Foreign text on a terminal, where it is drawn and redrawn: neither a command nor markup."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from gateway.cli import live, output
from gateway.cli.charts.reporting import plot
from gateway.cli.scene.live_view.play import LiveView
from gateway.cli.scene.live_view.screen import Screen
from penwright.domain.charts.values import Chart, Series
from tests.support.each import for_each

FOREIGN = "\x1b]0;own\x07 [/bold] \x9b2J"


def _progress(console: Console) -> None:
    console.print(live._plain(FOREIGN))


def _screen(console: Console) -> None:
    screen = Screen(FOREIGN, {"ann": FOREIGN}, status=FOREIGN, typed=FOREIGN, streams={"ann": FOREIGN})
    console.print(screen.shown(80, 24))


def _chart(console: Console) -> None:
    series = (Series(FOREIGN, (1.0,)), Series("other", (2.0,)))
    plot(Chart("tokens", FOREIGN, (FOREIGN,), series), console)


def _lines(console: Console) -> None:
    view = LiveView.__new__(LiveView)
    view._console = console
    view._print_lines([FOREIGN])


DRAWN: dict[str, Callable[[Console], None]] = {
    "the line of progress": _progress,
    "the line below a scene that is played": _screen,
    "lines of a scene that is played": _lines,
    "a chart": _chart,
}


@for_each("name", DRAWN)
def test_what_is_drawn_has_no_control_characters_and_keeps_what_looks_like_markup(name: str) -> None:
    written = io.StringIO()
    DRAWN[name](Console(file=written, color_system=None, width=120))

    assert "[/bold]" in written.getvalue()
    assert output.harmless(written.getvalue()) == written.getvalue()


def test_json_on_a_terminal_has_no_control_characters_and_means_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.print_json({"name": FOREIGN})

    assert output.harmless(shown := capsys.readouterr().out) == shown
    assert '"\\u001b]0;own\\u0007 [/bold] \\u009b2J"' in shown
