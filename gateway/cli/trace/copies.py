"""``penwright trace check`` and ``key``: whether a reader's copy is as it was signed, and by whom."""

from pathlib import Path

from gateway.cli.output import Printer
from gateway.cli.trace.reports import plain
from gateway.desk.evidence import copies
from gateway.desk.services import Services
from penwright.domain.evidence.sealing import fingerprint, same_fingerprint

_SHOWN = 20


def check(file: Path, key: str, out: Printer) -> bool:
    """Say what of a copy was changed, and whose key signed it; whether either is wrong."""
    found = copies.check(file)
    is_theirs = not key or same_fingerprint(found.fingerprint, key)
    data = {
        "whole": found.is_whole,
        "changed": list(found.changed),
        "key": found.fingerprint,
        "expected_key": is_theirs if key else None,
    }
    lines = [f"changed: {plain(each)}" for each in found.changed[:_SHOWN]]
    if len(found.changed) > _SHOWN:
        lines.append(f"… and {len(found.changed) - _SHOWN:,} more parts; --json has them all.")
    if found.is_whole:
        lines.append(f"Every byte is as it was signed by the key {found.fingerprint}.")
    elif found.fingerprint:
        lines.append(f"It is not what the key {found.fingerprint} signed.")
    else:
        lines.append("Its seal cannot be read, so nothing in it is proven.")
    if not is_theirs:
        lines.append("This is another key than the one you named: whoever made the copy does not hold yours.")
    elif not key and found.is_whole:
        lines.append("Compare the key with the one that the publisher names, or give it: --key FINGERPRINT.")
    out.result(data, lines)
    return not (found.is_whole and is_theirs)


def key(services: Services, out: Printer) -> None:
    """Print the fingerprint of this installation's key."""
    signing = copies.key_of(services)
    named = fingerprint(signing.public)
    out.result(
        {"key": named, "public": signing.public.hex(), "file": str(signing.file)},
        [named, f"Its private half is {str(signing.file)!r}: keep a copy where only you can read it."],
    )
