"""``penwright demo``: a short book written before your eyes, with one author's wish and one killed worker."""

import json as jsonlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli import demo_manuscript, demo_scene
from gateway.cli.demo_stage import Json, Stage, environment_at, place_of
from gateway.cli.output import JsonFlag, Printer
from penwright.adapters.models.gguf import check_file
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, LOCK, REVIEW
from penwright.domain.book.review.delivery import read_delivery
from schemas.model_catalog import GGUF

WORDS_PER_SESSION = 400
TARGET_WORDS = 3 * WORDS_PER_SESSION
"""Words that wait for review count, so the third session closes the book."""
WISH = "make this shorter"
ANSWERS: Mapping[str, str] = {
    "title": "The Salt Road",
    "author": "Penwright's demo model",
    "book_kind": "flash fiction",
    "voice": "Third person, close to Mara; plain words, dry humour, short sentences when it matters.",
    "protagonist": "Mara Quist, thirty-four, keeper of the ferry; she wants to leave and never says so.",
    "antagonist": "Tobias Vane, surveyor, who comes to measure the road for the company that will close it.",
    "premise": "The last ferry before the winter has to cross with a passenger who must not be seen.",
    "turning_points": "Mara finds the logbook; the engine fails in mid-channel; Tobias keeps her secret.",
    "ending": "The ferry is sold, the road is closed, and Mara takes the first step on the other side.",
    "world": "Skerrow, an island with one harbour, one road and a lighthouse nobody has lit for years.",
    "first_chapter": "Mara finds a stranger's logbook on the ferry; Tobias asks for a crossing at night.",
}
SETTINGS = "# The demo's own settings: every default.\n"


class Show(StrEnum):
    """Demos that can be shown."""

    BOOK = "book"
    MANUSCRIPT = "manuscript"
    SCENE = "scene"


def demo(
    show: Annotated[
        Show,
        typer.Argument(
            metavar="[book|manuscript|scene]", help="What is shown. Default: a book.", show_default=False
        ),
    ] = Show.BOOK,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the engine running, with the book in it.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option("--into", help="A new folder for the demo; a temporary one otherwise.")
    ] = None,
    local: Annotated[
        Path | None,
        typer.Option(
            "--local", help="A model's file (GGUF): one session of a book is written by it instead."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Write a book or a paper, or play a scene, before your eyes.

    It needs no key and no network, and takes about a minute.

    \b
      penwright demo
      penwright demo manuscript
      penwright demo scene
      penwright demo --keep
      penwright demo --local ~/models/small.gguf

    A demo model writes three sessions of a book in a real git repository with a remote. In between the author
    asks for a passage to be reworked, and a worker process is killed while it holds the book. Of a manuscript
    it makes a plan, a draft, a critique and a revision from one line of instructions; then sentences that
    need a source are found, works looked up in recorded registries, and what is verified is accepted. Of a
    scene it plays three rounds with a director, a cast of two, a lorebook and memories.
    """
    out = Printer(json)
    place = place_of(folder)
    if show is Show.MANUSCRIPT:
        paper = Stage(out, place, place / "paper", environment_at(place, demo_manuscript.SETTINGS, keep=keep))
        with paper.engine(keep=keep):
            facts = demo_manuscript.play(paper)
        out.result(facts, demo_manuscript.closing_lines(facts, kept=keep))
        return
    if show is Show.SCENE:
        play = Stage(out, place, place, environment_at(place, demo_scene.SETTINGS, keep=keep))
        with play.engine(keep=keep):
            facts = demo_scene.play(play)
        out.result(facts, demo_scene.closing_lines(facts, kept=keep))
        return
    settings = SETTINGS if local is None else local_settings(local)
    stage = Stage(out, place, place / "the-salt-road", environment_at(place, settings, keep=keep))
    if local is not None:
        with stage.engine(keep=keep, steps=3):
            out.note("[2/3] laying out a book …")
            _found_book(stage)
            facts = _play_locally(stage)
        out.result(facts, _local_lines(facts))
        return
    with stage.engine(keep=keep):
        facts = _play(stage)
    out.result(facts, _closing_lines(facts, kept=keep))


def _play(stage: Stage) -> Json:
    note = stage.out.note
    note("[2/6] laying out a book with a remote …")
    _found_book(stage)
    note(f"      “{ANSWERS['title']}” in {stage.folder}")
    note("[3/6] session 1 …")
    first = _written(stage, stage.call("book", "session", str(stage.folder)))
    note("[4/6] the author asks for a passage to be reworked, and saves the file …")
    before = plant_wish(stage.folder / REVIEW)
    note(f"      {_short(before)} <!-- INK: {WISH} -->")
    note("[5/6] session 2, and a worker is killed while it holds the book …")
    death = _session_with_a_death(stage)
    second = _written(stage, death.pop("session"))
    after = find_rework(stage.git("show", f"HEAD:{REVIEW}"))
    note(f"      worker {death['killed']} was killed with SIGKILL; worker {death['successor']} finished it")
    note(f"      reworked: {_short(after)}")
    note("[6/6] session 3 …")
    third = _written(stage, stage.call("book", "session", str(stage.folder)))
    facts = {
        "sessions": [first, second, third],
        "rework": {"instruction": WISH, "before": before, "after": after},
        "death": death,
    }
    return facts | _what_there_is(stage)


def _found_book(stage: Stage) -> None:
    answers = stage.place / "answers.json"
    answers.write_text(jsonlib.dumps(dict(ANSWERS)), encoding="utf-8")
    stage.call("book", "init", str(stage.folder), "--answers", str(answers))
    config = stage.folder / CONFIG
    text = config.read_text(encoding="utf-8")
    for key, value in (
        ("target_length", TARGET_WORDS),
        ("words_per_session", WORDS_PER_SESSION),
        ("chapter_count", 1),
    ):
        text = re.sub(rf"(?m)^{key}:.*$", f"{key}: {value}", text)
    config.write_text(text, encoding="utf-8")
    remote = stage.place / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    stage.git("remote", "add", "origin", str(remote))
    stage.git("push", "-q", "origin", "main")


def _written(stage: Stage, ending: Json) -> Json:
    """The facts of a session that ended."""
    report = ending["report"]
    fact = {
        "words": report["session_word_count"],
        "total_words": report["total_word_count"],
        "instructions_answered": report["instructions_answered"],
        "tag": ending["snapshot_tag"],
        "commit": ending["commit"],
        "outcome": ending["outcome"],
        "push": ending["push"],
    }
    answered = fact["instructions_answered"]
    rework = f", {answered} instruction answered" if answered else ""
    sealed = "; the book is complete" if fact["outcome"] == "completed" else ""
    stage.out.note(f"      {fact['words']:,} words{rework}, from tag {fact['tag']}, {fact['push']}{sealed}")
    return fact


def _session_with_a_death(stage: Stage) -> Json:
    """Start a session; when the lock file shows that the book is open, SIGKILL the process that opened it."""
    victim = _worker(stage)
    # It waits for the session's end from the start: afterwards a short one may be over before it is found.
    command = ("book", "session", str(stage.folder))
    running = stage.begin(*command)
    while not (stage.folder / LOCK).exists() and running.poll() is None:
        time.sleep(0.002)
    os.kill(victim, signal.SIGKILL)
    began = time.monotonic()
    mid_session = (stage.folder / LOCK).exists()
    ending = stage.answer(running, *command)
    return {
        "killed": victim,
        "successor": _worker(stage),
        "held_the_book": mid_session,
        "recovered_in_s": round(time.monotonic() - began, 1),
        "session": ending,
    }


def _worker(stage: Stage) -> int:
    pid: int = stage.call("status")["children"]["activities"]["pid"]
    return pid


def plant_wish(review: Path) -> str:
    """Put an instruction after the second paragraph of the waiting prose; returns that paragraph."""
    paragraphs = review.read_text(encoding="utf-8").split("\n\n")
    prose = [
        n for n, text in enumerate(paragraphs) if text.strip() and not text.lstrip().startswith(("<", "#"))
    ]
    wished = prose[min(1, len(prose) - 1)]
    before = paragraphs[wished].strip()
    paragraphs[wished] = f"{before} <!-- INK: {WISH} -->"
    review.write_text("\n\n".join(paragraphs), encoding="utf-8")
    return before


def find_rework(review: str) -> str:
    """The new text of the first reworked passage."""
    return next((rework.text for rework in read_delivery(review).reworks), "")


def _what_there_is(stage: Stage) -> Json:
    engine = stage.call("status")
    listed = stage.git("log", "--reverse", "--format=%h%x09%D%x09%s").splitlines()
    return {
        "commits": [
            dict(zip(("commit", "refs", "subject"), line.split("\t"), strict=True)) for line in listed
        ],
        "tags": stage.git("tag", "--sort=creatordate").split(),
        "ui": engine.get("ui", ""),
        "book": str(stage.folder),
        "full_book": str(stage.folder / FULL_BOOK),
        "home": stage.environment["PENWRIGHT_HOME"],
    }


def _closing_lines(facts: Json, *, kept: bool) -> list[str]:
    lines = ["", "session  words  from tag"]
    for number, session in enumerate(facts["sessions"], start=1):
        lines.append(f"   {number}    {session['words']:>5,}  {session['tag']}")
    lines += ["", "commits, oldest first:"]
    lines += [f"  {c['commit']}  {c['subject']}{_tags_of(c['refs'])}" for c in facts["commits"]]
    lines += ["", f"the book:    {facts['full_book']}", f"repository:  {facts['book']}"]
    lines.append(
        "model:       demo, which makes sentences without sense; `penwright models --help` adds a real one"
    )
    if kept:
        lines += [
            *([f"Temporal UI: {facts['ui']}"] if facts["ui"] else []),
            f"stop it all: PENWRIGHT_HOME={facts['home']} penwright down",
        ]
    else:
        lines.append("to look around: `penwright demo --keep` leaves the engine running, with its pages")
    return lines


def _tags_of(refs: str) -> str:
    tags = [ref.removeprefix("tag: ") for ref in refs.split(", ") if ref.startswith("tag: ")]
    return f"  [{', '.join(tags)}]" if tags else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:157]}…"


MODEL = "local"
_LONGEST_ANSWER = 800
"""Tokens: a small model that loops would go on for an hour."""


def local_settings(file: Path) -> str:
    """The demo's settings with the model in ``file``; raises ``ModelFinal`` if it cannot be served here."""
    whole = file.expanduser().resolve()
    check_file(MODEL, whole)
    return (
        f"[models.{MODEL}]\nmodel = {jsonlib.dumps(f'{GGUF}{whole}')}\n"
        f"max_output_tokens = {_LONGEST_ANSWER}\n\n"
        f'[roles]\nwriter = "{MODEL}"\n\n'
    )


def _play_locally(stage: Stage) -> Json:
    """Have the session written, which may also end with the reason why none of its replies could be kept."""
    stage.out.note("[3/3] one session, as a terminal or a pipe shows it; it takes minutes …")
    command = [sys.executable, "-P", "-m", "gateway", "book", "session", str(stage.folder)]
    asked = [*command, "--json"] if stage.out.as_json else command
    done = subprocess.run(
        asked, env=dict(stage.environment), cwd=stage.place, stdout=subprocess.PIPE, text=True, check=False
    )
    review = stage.folder / REVIEW
    text = read_delivery(review.read_text(encoding="utf-8")).prose if review.exists() else ""
    told = jsonlib.loads(done.stdout) if stage.out.as_json else done.stdout
    return {"session": told, "written": done.returncode == 0, "text": text, "book": str(stage.folder)}


def _local_lines(facts: Json) -> list[str]:
    """The prose, or the reason why there is none."""
    return ["", facts["session"].rstrip(), *(["", facts["text"].strip()] if facts["text"].strip() else [])]
