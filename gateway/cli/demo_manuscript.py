"""``penwright demo manuscript``: from one line of instructions to accepted citations, before your eyes."""

import time

from gateway.cli.demo_stage import Json, Stage
from penwright.domain.text.counted import counted

TITLE = "Findings That Last"
INSTRUCTIONS = "A short essay on why published findings fail to replicate, for students."
SETTINGS = """\
# The demo's own settings: every default, and scholarly records that were stored beforehand.
[scholarly]
sources = ["recorded"]
"""

_PERIOD_S = 2.0
"""Between two looks at the history; each is a process of its own."""


def play(stage: Stage) -> Json:
    """Every step of the demo, told on the way; returns its facts."""
    note, paper = stage.out.note, str(stage.folder)
    note("[2/6] laying out a paper …")
    laid_out = stage.call("manuscript", "new", paper, "--title", TITLE)
    note(f"      “{TITLE}” in {stage.folder}")
    note(f"[3/6] one line of instructions: “{INSTRUCTIONS}”")
    written = _written(stage, laid_out["novel_id"])
    note("[4/6] the exact prompt of every call is kept …")
    calls = stage.call("manuscript", "inspect", paper, "--calls")["calls"]
    note(
        f"      {counted(len(calls), 'call')}, the first by the {_role(calls[0])}, "
        f"the last by the {_role(calls[-1])}"
    )
    note("[5/6] looking for sources of what no passage said …")
    scanned = stage.call("cite", "scan", paper)
    proposals = stage.call("cite", "review", paper)["targets"]
    for proposal in proposals:
        note(f"      {_proposal_line(proposal)}")
    note("[6/6] accepting what is verified, by abstracts alone …")
    accepted = stage.call("cite", "accept", paper, "--verified", "--abstracts")
    exported = stage.call("manuscript", "export", paper, "--to", "markdown")
    applied = accepted["counts"]["applied"]
    note(f"      {applied} citations are in the text; {exported['bibliography']} lists the works")
    return {
        "novel_id": laid_out["novel_id"],
        "written": written,
        "calls": len(calls),
        "citations": {**scanned["counts"], **accepted["counts"]},
        "commits": stage.git("log", "--reverse", "--format=%h %s").splitlines(),
        "paper": str(stage.place / exported["path"]),
        "bibliography": str(stage.place / exported["bibliography"]),
        "repository": paper,
        "home": stage.environment["PENWRIGHT_HOME"],
    }


def closing_lines(facts: Json, *, kept: bool) -> list[str]:
    """Summary at the end of the demo, in lines."""
    written, citations = facts["written"], facts["citations"]
    lines = [
        "",
        f"words:       {written['words']:,}, score {written['score']:.2f} after {written['passes']} pass(es)",
        f"model calls: {written['calls']}, by the demo model, which makes sentences without sense",
        f"citations:   {citations['found']} found, {citations['applied']} accepted, from recorded sources",
        "",
        "commits, oldest first:",
        *(f"  {line}" for line in facts["commits"]),
        "",
        f"the paper:   {facts['paper']}",
        f"repository:  {facts['repository']}",
    ]
    if kept:
        lines.append(f"stop it all: PENWRIGHT_HOME={facts['home']} penwright down")
    return lines


def _written(stage: Stage, novel: str) -> Json:
    """Have the agents write, and tell each action once it is done."""
    paper = str(stage.folder)
    command = ("manuscript", "write", paper, "-i", INSTRUCTIONS, "--evidence")
    running = stage.begin(*command)
    told = 0
    while running.poll() is None:
        told = _told(stage, paper, told)
        time.sleep(_PERIOD_S)
    ended = stage.answer(running, *command)
    _told(stage, paper, told)
    return {
        "words": ended["words"],
        "score": ended["last"]["score"],
        "passes": ended["pass_index"],
        "calls": ended["calls"],
        "outcome": ended["outcome"],
        "demo": ended["demo"],
    }


def _told(stage: Stage, paper: str, told: int) -> int:
    """Say what was done since the first ``told`` actions; how many there are now."""
    entries = stage.call("manuscript", "history", paper)["entries"]
    for entry in entries[told:]:
        stage.out.note(f"      {entry['action'].replace('_', ' ')}: {entry['summary']}")
    return len(entries)


def _role(call: Json) -> str:
    return str(call["agent_run"]).rpartition("/")[2]


def _proposal_line(target: Json) -> str:
    """A sentence, the work found for it, and the registries that have it."""
    change = target["change"]
    if change is None:
        return f"{target['number']}. {target['state']}: {target['message']}"
    keys, sources = ", ".join(change["keys"]), ", ".join(change["sources"])
    sentence = f"“{target['target']['text']}”"
    return f"{target['number']}. {sentence}\n         {change['verdict']} by {sources}: {keys}"
