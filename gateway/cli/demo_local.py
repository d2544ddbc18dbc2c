"""``penwright demo --local FILE``: one session of a book, written by a model on this machine."""

import json as jsonlib
import subprocess
import sys
from pathlib import Path

from gateway.cli.demo_stage import Json, Stage
from penwright.adapters.models.gguf import check_file
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.review.delivery import read_delivery
from schemas.model_catalog import GGUF

MODEL = "local"
_LONGEST_ANSWER = 800
"""Tokens: a small model that loops would go on for an hour."""


def settings_of(file: Path) -> str:
    """The demo's settings with the model in ``file``; raises ``ModelFinal`` if it cannot be served here."""
    whole = file.expanduser().resolve()
    check_file(MODEL, whole)
    return (
        f"[models.{MODEL}]\nmodel = {jsonlib.dumps(f'{GGUF}{whole}')}\n"
        f"max_output_tokens = {_LONGEST_ANSWER}\n\n"
        f'[roles]\nwriter = "{MODEL}"\n\n'
    )


def play(stage: Stage) -> Json:
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


def closing_lines(facts: Json) -> list[str]:
    """The prose, or the reason why there is none."""
    return ["", facts["session"].rstrip(), *(["", facts["text"].strip()] if facts["text"].strip() else [])]
