"""Every command that changes something is run twice in a row: the second run answers sensibly."""

import re
from pathlib import Path

import pytest

from tests.support.each import for_each
from tests.support.gateway.advised_states import States
from tests.support.gateway.command_lines import every_command, shape_of
from tests.support.gateway.services import Run, StageServices, git_in

SAME = "the same"
"""Outcome: it succeeds, and everything stays as the first run left it."""
ANEW = "once more"
"""Outcome: it succeeds and does its work another time, which is what it was asked for."""
REFUSED = "refused"
"""Outcome: exit code 3 and a document that says why."""

TWICE = {
    "book init {FOLDER}/one --title A --author B": "already-a-book",
    "book import {FILE} --into {FOLDER}/two --yes": "already-a-book",
    "book session {book}": ANEW,
    "book open {elsewhere}": REFUSED,
    "book read {book}": SAME,
    "book plan {written} --chapters 1": SAME,
    "book complete {elsewhere} --early": "already-complete",
    "book pause {held}": SAME,
    "book resume {held}": SAME,
    "book kill {held}": "nothing-runs",
    "book save Review/current.md --from {FILE} --book {elsewhere}": SAME,
    "book export {book} --to markdown --output {FOLDER}/o.md": "would-overwrite",
    "book rollback {written} --yes": "no-such-tag",
    "book restore {lost}": "config-exists",
    "book forget {other}": "unknown-book",
    "book schedule {elsewhere} --every 6h": SAME,
    "book unschedule {scheduled}": "not-scheduled",
    "manuscript new {FOLDER}/three --title T --author A": "already-a-novel",
    "manuscript import {FILE} --into {novel} --scene new": "scene-exists",
    "manuscript settings {novel} --min-score 0.5": SAME,
    "manuscript import {FILE} --into {novel} --scene gone ; "
    "manuscript undo {novel} gone --yes": "nothing-to-undo",
    "manuscript export {novel} --to markdown --output {FOLDER}/n.md": "would-overwrite",
    "manuscript sources add {novel} {FILE}": SAME,
    "manuscript sources identify {novel} text.md --doi 10.5555/text.1": SAME,
    "manuscript sources remove {novel} text.md": "no-such-source",
    "manuscript sources undo {novel}": ANEW,
    "manuscript forget {other_novel}": "unknown-novel",
    "world create Dunmore": ANEW,
    "world edit {WORLD} --set plot=A": SAME,
    "world create Alder ; world create Alder ; world remove alder --yes": "not-an-id",
    "campaign create Fog --world {WORLD}": ANEW,
    "campaign create Haze --world {WORLD} ; campaign edit haze --set description=A": SAME,
    "campaign create Mist --world {WORLD} ; campaign remove mist --yes": "no-such-campaign",
    "campaign arc add One --campaign fog": ANEW,
    "campaign arc add Two --campaign fog ; campaign arc edit two --set description=A": SAME,
    "campaign arc add Three --campaign fog ; campaign arc remove three --yes": "no-such-arc",
    "character create Zed": ANEW,
    "character edit cleo --set goals=Go": SAME,
    "character override cleo --world {WORLD} --set goals=Stay": SAME,
    "character export cleo --output {FOLDER}/cleo.json": "would-overwrite",
    "character import {FOLDER}/cleo.json": "already-imported",
    "character create Yan ; character create Yan ; character remove yan --yes": "not-an-id",
    "character write {wished}": ANEW,
    "persona create Olga": ANEW,
    "persona edit olga --set description=A": SAME,
    "persona create Pim ; persona create Pim ; persona remove pim --yes": "not-an-id",
    "lore create Currents": ANEW,
    "lore add tides --key ebb --content Water.": ANEW,
    "lore edit tides 1 --set content=Foam.": SAME,
    "lore attach tides --world {WORLD}": SAME,
    "lore detach tides --world {WORLD}": SAME,
    "lore export tides --output {FOLDER}/tides.json": "would-overwrite",
    "lore import {FOLDER}/tides.json": "already-imported",
    "lore create Reefs ; lore create Reefs ; lore remove reefs --yes": "not-an-id",
    "scene create Pier --world {WORLD} --cast Ann --cast Bob": ANEW,
    "scene form pier --set settings.hold_plan=false --yes": SAME,
    "scene say pier Hello": ANEW,
    "scene continue pier": ANEW,
    "scene narrate pier Fog": ANEW,
    "scene regenerate pier": ANEW,
    "scene edit pier 1 --text Hi": SAME,
    "scene choose pier 1 1": SAME,
    "scene branch pier --after 1 --title B": ANEW,
    "scene note pier Fog": SAME,
    "scene force pier Ann": SAME,
    "scene veto pier Bob": SAME,
    "scene hand-over pier Nell": SAME,
    "scene cast pier --add cleo": SAME,
    "scene take-over pier Ann": SAME,
    "scene give-back pier Ann": "not-taken",
    "scene invite pier --as Ann": "seat-given",
    "scene take-away pier Ann": "no-such-seat",
    "scene state pier --who Ann --set mood=sad": SAME,
    "scene undo pier": ANEW,
    "scene redo pier": ANEW,
    "scene export pier --to json --output {FOLDER}/s.json": "would-overwrite",
    "scene import {FOLDER}/s.json --world {WORLD}": ANEW,
    "scene create Mole --world {WORLD} ; scene create Mole --world {WORLD} ; "
    "scene remove mole --yes": "not-an-id",
    "intent add {book} --name Canon --scope Soul/** --start": "intent-exists",
    "intent start INT-002 {book}": SAME,
    "intent block INT-002 {book}": SAME,
    "intent complete INT-002 {book}": SAME,
    "trace repair {book}": SAME,
    "trace export {book} --output {FOLDER}/t.jsonl": "would-overwrite",
    "trace import {FOLDER}/t.jsonl --output {FOLDER}/back.jsonl": "would-overwrite",
    "agent seed ink/editor --tag bolder": "overrides-exist",
    "web tokens create program --scope read": ANEW,
    "web tokens revoke {token}": "no-token",
    "cite import {BIB} --into {novel}": SAME,
}
"""Commands, the last of which is run twice -> how the second run ends: an outcome, or the code of an error.

Each finds what those before it made.
"""
ELSEWHERE = {
    "needs work that goes on, which tests of its group stop and pause twice": """book close, book rewrite,
    cite kill,
    cite pause, cite resume, eval kill, eval pause, eval resume, manuscript kill, manuscript pause,
    manuscript resume, manuscript stop, run approve, run deny, run kill, run pause, run resume, scene approve,
    scene direct, scene kill, scene pause, scene resume, scene stop, intent approve, intent deny""",
    "needs a model or a registry that answers": """cite accept, cite apply, cite audit, cite choose,
    cite reject, cite scan, cite search, cite undo, eval run, manuscript revise, manuscript settle,
    manuscript write, run start, scene picture, scene pictures""",
    "writes a file of the installation, which its own tests have": "models add, trace key",
    "needs another folder, a long or an older text, or a remote": """agent amend, book accept-remote,
    book advance, book craft, book move, book reset,
    book restore-session, manuscript move, manuscript rollback, run bundle""",
    "starts, stops or sets up processes": """demo, down, mcp, operator codec-server, operator housekeeping,
    operator setup, up""",
}
"""Reason for which a command that changes something is not run here -> commands."""
READ = """agent lint, agent list, agent render, agent show, book brief, book continuity, book doctor,
    book facts, book findings, book list, book log, book why,
    book report, book schedules, book status, book story, book text, book threads, book watch,
    campaign arc list, campaign arc show, campaign list,
    campaign show, character list, character show, cite check, cite review, cite watch, config show, cost,
    doctor, eval compare, eval show, help, intent check, intent list, intent pending, intent select,
    intent show, logs, lore list, lore show, manuscript diff, manuscript history, manuscript inspect,
    manuscript list, manuscript report, manuscript show,
    manuscript sources list, manuscript sources search, manuscript versions, manuscript watch,
    manuscript why, models list,
    models test, operator key, persona list, persona show, run list, run replay, run show, run transcript,
    run watch, scene certify, scene events, scene list, scene log, scene play, scene report,
    scene seats, scene show,
    scene watch, scene why, status, trace blame, trace check, trace disclose, trace map, trace stats,
    trace verify,
    trace why, web tokens list, world list, world show"""
"""Commands that change nothing by themselves."""
LOOKS = """book list, book schedules, manuscript list, world list, world show skerrow, campaign list,
    campaign arc list, character list, persona list, lore list, lore show tides, scene list, scene show pier,
    scene state pier, scene log pier, web tokens list"""
"""What a home holds is what these say."""


@pytest.fixture
def states(
    run: Run, founded: Path, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> States:
    """Values of the placeholders in command lines."""
    monkeypatch.chdir(tmp_path)
    services.drafts = tmp_path / "drafts"
    return States(run, services, founded, tmp_path)


@pytest.mark.long
@for_each("line, outcome", TWICE.items())
def test_a_command_run_twice_in_a_row_doubles_nothing(
    run: Run, states: States, line: str, outcome: str
) -> None:
    words = states.before_last(line)
    code, _, err = run(*words)
    assert code == 0, err
    before = _everything(run, states.folder)

    code, _, err = run(*words)

    unchanged = _everything(run, states.folder) == before
    error = re.search(r"^error\[(.+)\]", err, re.MULTILINE)
    expected = {SAME: (0, True), ANEW: (0, False), REFUSED: (3, True)}.get(outcome)
    if expected is None:
        assert error, err
        assert (error[1], unchanged) == (outcome, True)
        assert code in (1, 2, 3)
    else:
        assert (code, unchanged) == expected, err


@for_each(
    "line",
    [
        "world create Dunmore",
        "campaign create Fog --world {WORLD}",
        "campaign create Haze --world {WORLD} ; campaign arc add One --campaign haze",
        "character create Zed",
        "persona create Olga",
        "lore create Currents",
        "scene create Pier --world {WORLD}",
        "scene say the-quay Hi ; scene branch the-quay --after 1 --title Mole",
        "scene export the-quay --to json --output {FOLDER}/s.json ; "
        "scene import {FOLDER}/s.json --world {WORLD} --title Sluice",
        "web tokens create program --scope read",
    ],
)
def test_what_gets_the_name_of_another_says_so(run: Run, states: States, line: str) -> None:
    first, second = states.says(line), "".join(run(*line.rpartition(" ; ")[2].format_map(states).split())[1:])

    assert "others of that name: " not in first
    assert "others of that name: " in second


def test_every_command_that_changes_something_is_run_twice_or_says_why_not() -> None:
    twice = {shape_of(f"penwright {line.rpartition(' ; ')[2]}").partition(" --")[0] for line in TWICE}
    left = {" ".join(each.split()) for each in ",".join([READ, *ELSEWHERE.values()]).split(",")}

    assert set(every_command()) - twice - left == set()
    assert left - set(every_command()) == set()
    assert left & twice == set()


def _everything(run: Run, folder: Path) -> dict[str, str]:
    """What the home holds, and the commits of each work."""
    told = {look: run(*look.split(), "--json")[1] for look in LOOKS.split(",")}
    works = {git.parent.name: git_in(git.parent, "for-each-ref") for git in sorted(folder.glob("*/.git"))}
    return told | works
