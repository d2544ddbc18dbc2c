"""``penwright doctor``: what an installation needs, what it has, and what to do about the difference."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from penwright.adapters.models.gguf import check_file
from penwright.domain.scene.indexing import PIPELINE as INDEXING
from penwright.domain.text.nearest import nearest_of
from penwright.errors import PenwrightError
from schemas.notices import PIPELINE as NOTIFICATION
from workers.embedding import embeddings_model
from workers.engine import condition, postgres, processes, temporal
from workers.engine.server_probe import postgres_probe, silent
from workers.engine.silence import PATIENCE_S, SUPERVISOR, silent_processes, with_silence
from workers.engine.status import silent_supervisor, since_words, times
from workers.home import free_space
from workers.home.address import address
from workers.home.folder import Home, Record
from workers.settings import (
    ALIASES,
    EMBEDDINGS,
    SET_KEYS_VARIABLE,
    Loaded,
    Settings,
    effective,
    leaves,
)

LEAST_DISK = 1_000_000_000
"""Bytes."""
LEAST_GIT = (2, 30)
OTHER_VARIABLES = ("PENWRIGHT_CONFIG", "PENWRIGHT_MCP_TOKEN", SET_KEYS_VARIABLE)
FIRST_PERSON = 500 if sys.platform == "darwin" else 1000
LAST_PERSON = 60_000
"""User ids of people; below are programs', above are those of containers and `nobody`."""
_NOTICES = 500
_NOTICES_SINCE = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    name: str
    verdict: Literal["ok", "warning", "failed"]
    message: str
    advice: str = ""


def examine(loaded: Loaded) -> list[Finding]:
    """Look at everything; a check that breaks is itself a finding."""
    left_out = () if _database_answers(loaded) else _OF_THE_DATABASE
    checks = [check for check in _CHECKS if check not in left_out]
    return [finding for check in checks for finding in _guarded(check, loaded)]


def document(findings: list[Finding]) -> dict[str, object]:
    """The findings as JSON."""
    healthy = all(finding.verdict != "failed" for finding in findings)
    return {"status": "ok" if healthy else "failed", "findings": [asdict(finding) for finding in findings]}


def lines(findings: list[Finding]) -> Iterator[str]:
    """The findings for people."""
    for finding in findings:
        yield f"{finding.verdict:<8} {finding.name:<12} {finding.message}"
        if finding.advice:
            yield f"{'':<21} -> {finding.advice}"


def _guarded(check: Callable[[Loaded], Iterator[Finding]], loaded: Loaded) -> Iterator[Finding]:
    try:
        yield from check(loaded)
    except PenwrightError as error:
        yield Finding(check.__name__.strip("_"), "failed", error.message, error.details.get("hint", ""))
    except (OSError, subprocess.SubprocessError) as error:
        yield Finding(check.__name__.strip("_"), "failed", str(error))


def _python(loaded: Loaded) -> Iterator[Finding]:
    yield Finding("python", "ok", f"{sys.version.split()[0]} at {sys.executable}")


def _git(loaded: Loaded) -> Iterator[Finding]:
    program = shutil.which("git", path=loaded.environ.get("PATH"))
    if program is None:
        yield Finding("git", "failed", "git is not on PATH", "install git")
        return
    said = _output(program, "--version").split()[2]
    number = tuple(int(part) for part in said.split(".")[:2])
    if number < LEAST_GIT:
        yield Finding("git", "failed", f"{said} at {program}", "install git 2.30 or newer")
    else:
        yield Finding("git", "ok", f"{said} at {program}")
    if shutil.which("ssh", path=loaded.environ.get("PATH")) is None:
        yield Finding("ssh", "warning", "ssh is not on PATH", "install it if a book's remote uses SSH")


def _temporal(loaded: Loaded) -> Iterator[Finding]:
    engine = loaded.settings.engine
    if not loaded.settings.embeds_temporal:
        yield Finding("temporal", "ok", f"not embedded; at {engine.address or engine.profile}")
        return
    program = temporal.binary(engine.temporal_cli, loaded.environ.get("PATH"))
    yield Finding("temporal", "ok", f"{_output(str(program), '--version').strip()} at {program}")


def _postgres(loaded: Loaded) -> Iterator[Finding]:
    if not loaded.settings.embeds_postgres:
        yield Finding("postgres", "ok", "not embedded")
        return
    programs = postgres.binaries(Home(loaded.settings.home).postgres / "data")
    yield Finding("postgres", "ok", _output(str(programs / "postgres"), "--version").strip())
    if os.geteuid() == 0:
        advice = "run penwright as an ordinary user where you can"
        yield Finding("postgres user", "warning", f"root runs it as the user {postgres.ACCOUNT!r}", advice)


def _logins(loaded: Loaded) -> Iterator[Finding]:
    """Every user with a login here reaches Temporal's port, which asks for no password."""
    engine = loaded.settings.engine
    if engine.shared or not loaded.settings.embeds_temporal:
        return
    others = sorted(each.pw_name for each in pwd.getpwall() if _is_other_person(each))
    if others:
        shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        trouble = f"{shown} can log in to this machine, and steer this engine"
        yield Finding("logins", "warning", trouble, "set engine.shared = true in penwright.toml")


def _is_other_person(entry: pwd.struct_passwd) -> bool:
    a_person = FIRST_PERSON <= entry.pw_uid < LAST_PERSON and entry.pw_uid != os.getuid()
    return a_person and not entry.pw_shell.endswith(("nologin", "false"))


def _is_writable(folder: Path) -> bool:
    """Tried, because no permission tells that a file system takes no files."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _home(loaded: Loaded) -> Iterator[Finding]:
    home = loaded.settings.home
    existing = next(folder for folder in (home, *home.parents) if folder.exists())
    if not _is_writable(existing):
        yield Finding(
            "home", "failed", f"{existing} cannot be written", "make it writable, or set PENWRIGHT_HOME"
        )
        return
    yield Finding("home", "ok", str(home))
    if not free_space.enough(loaded.settings):
        advice = f"free some space, or lower engine.least_free_mb ({loaded.settings.engine.least_free_mb})"
        yield Finding("disk", "failed", free_space.message(loaded.settings), advice)
        return
    free = shutil.disk_usage(existing).free
    verdict: Literal["ok", "warning"] = "ok" if free >= LEAST_DISK else "warning"
    advice = "" if verdict == "ok" else "free some space: books and histories grow"
    yield Finding("disk", verdict, f"{free / 1e9:.1f} GB free", advice)


def _ports(loaded: Loaded) -> Iterator[Finding]:
    settings = loaded.settings
    if Home(settings.home).holder() is not None:
        return
    ports = {"web.port": settings.web.port if settings.web.enabled else None}
    if settings.embeds_temporal:
        ports |= {"engine.port": settings.engine.port, "engine.ui_port": settings.engine.ui_port}
    for name, port in ports.items():
        if port is None:
            continue
        if processes.free_port(port) == port:
            yield Finding("port", "ok", f"{port} is free")
        else:
            advice = f"choose another {name}, or leave it out to have one found"
            yield Finding("port", "failed", f"{port} is in use by another program", advice)


def _engine(loaded: Loaded) -> Iterator[Finding]:
    home = Home(loaded.settings.home)
    holder, record = home.holder(), home.read()
    if holder is None:
        yield Finding("engine", "warning", "does not run", "start it with `penwright up --detach`")
        return
    unheard = silent_processes(home, record) if record else []
    if record and SUPERVISOR in unheard:
        said, _, advice = silent_supervisor(loaded, record).partition("; run ")
        yield Finding("engine", "failed", said, f"run {advice}")
    else:
        yield Finding("engine", "ok", f"runs, pid {holder.pid}")
    if record and record.health:
        yield Finding("health", "ok", f"{record.health}/readyz")
    if record:
        yield from _processes(with_silence(record, unheard))


def _processes(record: Record) -> Iterator[Finding]:
    for name, child in record.children.items():
        if lack := condition.lack(child):
            trouble = f"is not ready: {lack}{since_words(child.silent_since)}"
            yield Finding(name, "warning", trouble, f"look at `penwright logs {name}`")
        if child.stuck:
            trouble = f"was ended {times(child.stuck)} because it showed no progress"
            yield Finding(name, "warning", trouble, f"where it stood is in `penwright logs {name}`")


def _database_answers(loaded: Loaded) -> bool:
    """Whether the embedded one does; another is asked by the checks themselves."""
    home = Home(loaded.settings.home)
    if not loaded.settings.embeds_postgres:
        return True
    probe = postgres_probe(postgres.socket_folder(home.postgres), postgres.SUPERUSER)
    return home.holder() is not None and not silent({"postgres": probe}, patience_s=PATIENCE_S)


def _database(loaded: Loaded) -> Iterator[Finding]:
    settings = loaded.settings
    # Imported here: a doctor that looks at a stopped engine needs no database driver.
    from penwright.adapters.store.migration import current_revision, finds_by_meaning, head_revision
    from penwright.adapters.store.scenes.tables.vectors import ADVICE

    current, head = current_revision(address(settings).database_url), head_revision()
    if current == head:
        yield Finding("database", "ok", f"tables at revision {current}")
        if not finds_by_meaning(address(settings).database_url):
            lacks = "no extension pgvector: memories of scenes are found by words, not by meaning"
            yield Finding("database", "warning", lacks, ADVICE)
    else:
        advice = "run `penwright up`: it brings them up to date"
        yield Finding("database", "warning", f"tables at {current or 'nothing'}, {head} wanted", advice)


def _memories(loaded: Loaded) -> Iterator[Finding]:
    """Whether memories have vectors of the present model; a run of the background says why it stopped."""
    settings = loaded.settings
    model = embeddings_model(settings)
    if not model:
        return
    # Imported here, as the database driver above.
    from workers.store_opening import open_store_of

    store = open_store_of(settings)
    try:
        count = store.memories.counted(model)
        runs = store.records.runs(pipeline=INDEXING, limit=1)
    finally:
        store.close()
    if not count.without:
        yield Finding("memories", "ok", f"{count.all:,}, and none lacks a vector of {model}")
        return
    trouble = f"{count.without:,} of {count.all:,} lack a vector of {model}, and are found by their words"
    failed = runs and runs[0].outcome == "failed"
    why = f"{runs[0].detail.get('message', '')} " if failed else ""
    advice = f"{why}they are brought in the background, after each round and when the engine starts"
    yield Finding("memories", "warning", trouble, advice)


def _encryption(loaded: Loaded) -> Iterator[Finding]:
    settings = loaded.settings
    # Imported here, as the database driver above.
    from workers.store_opening import open_store_of

    store = open_store_of(settings)
    try:
        forgotten = store.keys.forgotten()
    finally:
        store.close()
    for key in forgotten:
        trouble = f"the key {key} encrypted texts and histories here and is not set: runs of it do not go on"
        yield Finding("encryption", "failed", trouble, "add the key to PENWRIGHT_ENCRYPTION_OLD_KEYS")


def _notifications(loaded: Loaded) -> Iterator[Finding]:
    settings = loaded.settings
    # Imported here, as the database driver above.
    from workers.store_opening import open_store_of

    store = open_store_of(settings)
    try:
        rows = store.records.runs(pipeline=NOTIFICATION, limit=_NOTICES)
    finally:
        store.close()
    since = datetime.now(UTC) - _NOTICES_SINCE
    lost = [row for row in rows if row.ended_at and row.ended_at > since]
    if lost:
        last = lost[0].detail.get("title", "")
        trouble = f"{len(lost)} in the last week did not reach every channel; the last one: {last}"
        advice = "check [notify] in penwright.toml; Temporal lists them as workflows of type Notification"
        yield Finding("notification", "warning", trouble, advice)


def _models(loaded: Loaded) -> Iterator[Finding]:
    models = loaded.settings.models
    for role, name in loaded.settings.roles.items():
        if role == EMBEDDINGS and name not in models:
            yield Finding("model", "ok", f"{role} uses {name!r}")
            continue
        if name == "demo" and "demo" not in models:
            advice = "add a model and map the role to it in penwright.toml; see `penwright models --help`"
            yield Finding(
                "model", "warning", f"{role} uses the demo model, which only plays at writing", advice
            )
            continue
        if file := models[name].file:
            try:
                check_file(name, file)
            except PenwrightError as error:
                yield Finding("model", "failed", f"{role}: {error.message}", error.details.get("hint", ""))
                continue
        key = models[name].key_env
        if key and not loaded.has_key(key):
            yield Finding(
                "model", "failed", f"{role} uses {name!r}, whose key {key} is not set", f"export {key}"
            )
        else:
            yield Finding("model", "ok", f"{role} uses {name!r}")


def _scholarly(loaded: Loaded) -> Iterator[Finding]:
    settings = loaded.settings.scholarly
    if settings.only and not settings.asked:
        yield Finding(
            "scholarly", "ok", "only the novels' own sources are asked; nothing leaves this machine"
        )
        return
    if "recorded" in settings.asked:
        advice = "name the registries in `scholarly.sources`, or leave the setting out"
        yield Finding("scholarly", "warning", "only recorded works are known; no registry is asked", advice)
        return
    if not settings.asked:
        advice = "name at least crossref in `scholarly.sources`"
        yield Finding(
            "scholarly", "warning", "no registry is asked, so that no reference is verified", advice
        )
        return
    if not settings.contact:
        advice = 'set `contact = "you@example.org"` under [scholarly] in penwright.toml'
        yield Finding("scholarly", "warning", "registries are asked without a contact address", advice)
    named = settings.key_variables
    keyed = [name for name, variable in named.items() if variable and loaded.environ.get(variable)]
    yield Finding(
        "scholarly",
        "ok",
        f"asks {', '.join(settings.asked)}; keys for {', '.join(keyed) or 'none of them'}",
    )
    if "openalex" in settings.asked and "openalex" not in keyed:
        advice = f"get a free key at openalex.org and export {named['openalex']}"
        yield Finding("scholarly", "warning", "OpenAlex answers few searches a day without a key", advice)


def _variables(loaded: Loaded) -> Iterator[Finding]:
    """A misspelt variable, or a retired setting, would otherwise be ignored without a word."""
    for warning in loaded.warnings:
        yield Finding("setting", "warning", warning, "take it out")
    known = _known_variables(loaded.settings)
    without_prefix = {each: (each.removeprefix("PENWRIGHT_"),) for each in known}
    for name in sorted(loaded.environ):
        free = name.startswith(("PENWRIGHT_MODELS__", "PENWRIGHT_ROLES__", "PENWRIGHT_TEST_"))
        if not name.startswith("PENWRIGHT_") or free or name in known:
            continue
        if near := nearest_of(name.removeprefix("PENWRIGHT_"), without_prefix):
            yield Finding("variable", "warning", f"{name} is not a setting", f"did you mean {near[0]}?")


def _known_variables(settings: Settings) -> frozenset[str]:
    tree: Mapping[str, object] = effective(settings)
    own = {"PENWRIGHT_" + path.upper().replace(".", "__") for path, _ in leaves(tree)}
    return frozenset({*own, *ALIASES, *OTHER_VARIABLES})


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True, cwd=Path("/"))
    return done.stdout


_OF_THE_DATABASE = (_database, _memories, _encryption, _notifications)
_CHECKS = (
    *(_python, _git, _temporal, _postgres, _home, _logins, _ports),
    *(_engine, *_OF_THE_DATABASE, _models, _scholarly, _variables),
)
