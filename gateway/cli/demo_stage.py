"""Stage of a demo: a folder and an engine of its own, and commands as a person would type them."""

import json as jsonlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.cli.output import Printer
from penwright.errors import PermanentError

_NO_WORKSPACE = "[web]\nenabled = false\n"

Json = dict[str, Any]  # Any: what other commands print


@dataclass(frozen=True, slots=True)
class Stage:
    """Stage of the demo, which calls the commands that a person would type."""

    out: Printer
    place: Path
    folder: Path
    """Of the book or novel."""
    environment: Mapping[str, str]

    def call(self, *words: str) -> Json:
        """Run one command with ``--json`` and read its answer."""
        return self.answer(self.begin(*words), *words)

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Start one command; see ``answer``."""
        command = [sys.executable, "-P", "-m", "gateway", *words, "--json"]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, env=dict(self.environment), cwd=self.place, stdout=pipe, stderr=pipe, text=True
        )

    def answer(self, running: subprocess.Popen[str], *words: str) -> Json:
        """Read what a command that was begun prints at its end."""
        printed, errors = running.communicate()
        answer = _document(printed)
        if running.returncode != 0 or not answer:
            said = answer.get("error") or " ".join((printed + errors).strip().splitlines()[-3:])
            raise PermanentError(
                "demo-failed",
                f"`penwright {' '.join(words)}` failed: {said}",
                hint=f"what was made so far is in {self.place}, and the logs in {self.place / 'home/logs'}",
            )
        return answer

    def git(self, *words: str) -> str:
        """Return what git prints in the folder."""
        command = ["git", "-C", str(self.folder), *words]
        return subprocess.run(
            command, env=dict(self.environment), capture_output=True, text=True, check=True
        ).stdout

    @contextmanager
    def engine(self, *, keep: bool, steps: int = 6) -> Iterator[None]:
        """A running engine of the demo's own; stopped afterwards unless it is to be kept."""
        from workers.engine import launch
        from workers.settings import load

        self.out.note(f"[1/{steps}] starting Temporal, PostgreSQL and the workers …")
        finished = False
        try:
            launch.detach(load(self.environment), lambda line: self.out.note(f"      {line}"))
            yield
            finished = True
        finally:
            if not (keep and finished):
                self.call("down")


def _document(printed: str) -> Json:
    """The JSON document that a command printed; empty if it printed none."""
    try:
        found = jsonlib.loads(printed)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def place_of(folder: Path | None) -> Path:
    """A folder of the demo's own; PostgreSQL may run as another user, who must be able to walk through it."""
    if folder is None:
        place = Path(tempfile.mkdtemp(prefix="penwright-demo-"))
        place.chmod(0o755)
        return place
    if folder.exists() and any(folder.iterdir()):
        raise PermanentError("folder-taken", f"{str(folder)!r} is not empty; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def environment_at(place: Path, settings: str, *, keep: bool = False) -> dict[str, str]:
    """The caller's environment, with an engine of the demo's own, and ``settings`` for the caller's.

    The engine has a workspace only if it is to be kept: the demo itself uses none.
    """
    from workers.settings import load

    environ = dict(load().environ)
    for name in [n for n in environ if n.startswith(("PENWRIGHT_", "TEMPORAL_"))]:
        if name != "PENWRIGHT_TEMPORAL_CLI":
            del environ[name]
    config = place / "penwright.toml"
    config.write_text(settings if keep else settings + _NO_WORKSPACE, encoding="utf-8")
    return environ | {"PENWRIGHT_HOME": str(place / "home"), "PENWRIGHT_CONFIG": str(config)}
