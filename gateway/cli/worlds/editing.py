"""``edit`` of anything that has a form: in an editor, from a file, or by field; and conflicts in it."""

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from gateway.cli import asking, output
from gateway.cli.output import EXIT_REFUSED, Interrupted, Printer
from gateway.cli.tables import block
from gateway.cli.worlds.arguments import wanted
from gateway.desk.services import Services
from gateway.desk.worlds import drafts
from gateway.desk.worlds.drafts import Draft
from gateway.desk.worlds.forms.writing import difference, read_form, written
from gateway.desk.worlds.storing import Changed, Clash, Conflict, Subject, change, wanted_of
from penwright.errors import PenwrightError, PermanentError, Refused, UsageMistake, error_of


def print_conflict(out: Printer, subject: Subject[Any], met: Conflict, kept: str, step: str) -> None:
    """Print both values of every field in conflict, and leave with exit code 3.

    Args:
        kept: where the text is that was not stored.
        step: the options of ``edit`` that put it over the other.
    """
    names = ", ".join(clash.field for clash in met.clashes)
    error = Refused(
        "stale",
        f"{names} of {subject.title} changed after version {met.based_on}, which this change is based on; "
        f"nothing was stored, and your text is in {kept}",
        hint=f"to put yours over it: `{subject.command} {step}`",
    )
    if out.as_json:
        told = {"status": "conflict", "code": error.code, "error": error.message}
        clashes = {each.field: {"mine": each.mine, "theirs": each.theirs} for each in met.clashes}
        more = {"next": error.details["hint"], "version": met.version, "kept": kept, "conflicts": clashes}
        out.result({**told, **more}, "")
        raise typer.Exit(EXIT_REFUSED)
    out.result({}, [line for clash in met.clashes for line in _lines(clash, met.version)])
    raise error


def _lines(clash: Clash, version: int) -> list[str]:
    mine, theirs = block(_text(clash.mine)), block(_text(clash.theirs))
    return [f"{clash.field}: yours", *mine, f"{clash.field}: theirs (version {version})", *theirs]


def _text(value: Any) -> str:  # Any: JSON
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


_HEAD = """\
{title}, version {version}. Save and close to store it; leave it as it is to store nothing.
Long text goes below a | and two blanks in. Lines that begin with # are notes."""
_MISTAKES = ("form-", "unknown-", "bad-", "no-", "unstorable-")
"""Beginnings of codes of what a person can correct in the form."""


def edit(
    services: Services,
    subject: Subject[Any],
    from_: Path | None,
    sets: Sequence[str] | None,
    based_on: int | None,
    *,
    sure: bool,
    json: bool,
) -> None:
    """Change a thing and print what changed; typed text that is not stored is kept in a file that is named.

    Raises:
        UsageMistake: ``no-terminal``: there is no terminal for an editor, and neither a file nor fields.
    """
    out = Printer(json)
    if from_ is None and not sets:
        _edit_by_hand(services, out, subject, sure=sure)
        return
    mine, version = wanted_of(subject.kind, subject.thing, wanted(services, from_, sets))
    result = change(subject, mine, based_on if based_on is not None else version)
    if isinstance(result, Conflict):
        kept = str(from_) if from_ else "your command line"
        given = [("--from", str(from_))] if from_ else []
        given += [*(("--set", each) for each in sets or ()), ("--based-on", str(result.version))]
        print_conflict(out, subject, result, kept, " ".join(map(shlex.join, given)))
    else:
        _finish(out, subject, result, show=True)


def _edit_by_hand(services: Services, out: Printer, subject: Subject[Any], *, sure: bool) -> None:
    if not asking.on_terminal():
        raise UsageMistake(
            "no-terminal",
            f"cannot open an editor for {subject.title}: stdin is not a terminal",
            hint=f"`{subject.command} --from FILE`, or `{subject.command} --set field=value`",
        )
    defaults = services.defaults()
    for path in drafts.left_over(defaults.drafts, subject.title):
        out.note(f"typed earlier and never stored: {path} (`{subject.command} --from {path}` stores it)")
    form = _form(subject, subject.thing, subject.version)
    draft = drafts.begin(defaults.drafts, subject.title, form)
    try:
        mine = _typed(services, out, subject, draft, form, sure=sure)
        result = change(subject, mine) if mine is not None else Changed(subject.thing, subject.version, ())
    except (KeyboardInterrupt, typer.Abort):
        raise Interrupted(f"nothing was stored; what you typed is kept in {draft.path}") from None
    except PenwrightError as error:
        raise _with_place(error, subject, draft, form) from None
    if isinstance(result, Conflict):
        merged = drafts.begin(defaults.drafts, subject.title, _form(subject, result.merged, result.version))
        print_conflict(out, subject, result, str(draft.path), f"--from {merged.path}")
    else:
        draft.discard()
        _finish(out, subject, result, show=False)


def _form(subject: Subject[Any], thing: Any, version: int) -> str:
    head = _HEAD.format(title=subject.title, version=version)
    return written(subject.kind, thing, head=head, version=version)


def _typed(
    services: Services, out: Printer, subject: Subject[Any], draft: Draft, form: str, *, sure: bool
) -> Any | None:
    """Return what the person wants stored; None: nothing was changed. A mistake can be corrected at once."""
    while True:
        open_file(draft.path, services.defaults().environment)
        try:
            text = draft.text()
            mine = subject.thing if text == form else read_form(subject.kind, subject.thing, text)[0]
        except UsageMistake as mistake:
            if not _again(mistake):
                raise
            continue
        lines = difference(subject.kind, subject.thing, mine)
        if not lines:
            return None
        _show(lines)
        if sure or asking.agreed(f"Store this as {subject.title}?", usual=True):
            return mine
        raise Refused("declined", f"{subject.title} was not changed")


def _again(mistake: UsageMistake) -> bool:
    typer.echo(f"error[{mistake.code}]: {mistake.message}\n  next: {output.next_step(mistake)}", err=True)
    return asking.agreed("Open it again?", usual=True)


def _show(lines: Sequence[str]) -> None:
    typer.echo("\n".join(lines), err=True)


def _with_place(error: PenwrightError, subject: Subject[Any], draft: Draft, form: str) -> PenwrightError:
    """The same error, which also says where the typed text is; an untouched form is deleted."""
    try:
        untouched = draft.text() == form
    except PenwrightError:
        untouched = not draft.path.exists()
    if untouched:
        draft.discard()
        return error
    hint = f"what you typed is kept in {draft.path}; `{subject.command} --from {draft.path}` stores it"
    if error.code.startswith(_MISTAKES):
        hint = f"correct {draft.path}, then `{subject.command} --from {draft.path}`"
    details = {**error.details, "hint": hint, "draft": str(draft.path)}
    return error_of(error.family, error.code, error.message, details, retryable=error.retryable)


def _finish(out: Printer, subject: Subject[Any], result: Changed[Any], *, show: bool) -> None:
    """Print what was stored; ``show``: with its difference."""
    word = subject.kind.word
    value = result.thing.model_dump(mode="json")
    lines = list(result.difference)
    data = {"status": "changed" if lines else "unchanged", "version": result.version, word: value}
    if not lines:
        out.result(
            {**data, "difference": []}, f"Nothing changed; {subject.title} is at version {result.version}."
        )
        return
    told = f"Stored {subject.title}, now at version {result.version}."
    out.result({**data, "difference": lines}, [*lines, told] if show else told)


_TERMINAL = 2
"""The editor draws on stderr: stdout may be a pipe that waits for JSON."""


def open_file(path: Path, environment: Mapping[str, str]) -> None:
    """Open a file in ``$EDITOR``, else ``$VISUAL``, else ``vi``, and wait until it is closed.

    Raises:
        PermanentError: ``no-editor``: there is no such program; ``editor-failed``: it ended with an error.
    """
    wish = environment.get("EDITOR") or environment.get("VISUAL") or "vi"
    try:
        words = shlex.split(wish) or ["vi"]
        done = subprocess.run([*words, str(path)], stdout=_TERMINAL, check=False)
    except (OSError, ValueError) as error:
        raise PermanentError(
            "no-editor",
            f"the editor {wish!r} cannot be started: {getattr(error, 'strerror', None) or error}",
            hint="name one, for instance `export EDITOR=nano`; or use `--from FILE`, `--set field=value`",
        ) from None
    if done.returncode:
        raise PermanentError(
            "editor-failed",
            f"the editor {wish!r} ended with exit code {done.returncode}",
            hint="see what it says above; nothing was stored",
        )
