"""Options and report of the verifier."""

from collections.abc import Mapping
from typing import Literal

from schemas.base import Value
from schemas.trace import Finding

Severity = Literal["error", "warning", "info"]

_REPAIR = "put the ledger back with `penwright trace repair BOOK`"

CODES: Mapping[str, tuple[int, Severity, str]] = {
    # Level 0: parse
    "LINE_NOT_UTF8": (0, "error", _REPAIR),
    "LINE_NOT_JSON": (0, "error", _REPAIR),
    "LINE_NOT_CANONICAL": (0, "error", _REPAIR),
    "LINE_TOO_LONG": (0, "error", _REPAIR),
    "LINE_CUT": (0, "error", _REPAIR),
    "LEGACY_RECORD": (0, "error", f"an older tool wrote it; {_REPAIR}"),
    "SCHEMA_UNKNOWN": (0, "error", "verify with the version of Penwright that wrote it"),
    "RECORD_MALFORMED": (0, "error", "see who wrote the line with `git log -S` and put the ledger back"),
    "ID_DOUBLED": (0, "error", "see who wrote the line with `git log -S` and put the ledger back"),
    "TIME_BACKWARDS": (0, "warning", "look at the clock of the machine that wrote it"),
    "SEGMENT_UNREADABLE": (0, "error", "fetch from the remote, or run `git fsck` and restore the repository"),
    "SEGMENT_TOO_LARGE": (0, "error", f"no engine wrote it; {_REPAIR}"),
    # Level 1: chain
    "CHAIN_MEMBER_MISSING": (1, "error", _REPAIR),
    "CHAIN_HASH_MISMATCH": (1, "error", f"the line was edited; {_REPAIR}"),
    "CHAIN_PARENT_MISSING": (1, "error", f"a line was removed; {_REPAIR}"),
    "RECORD_DOUBLED": (1, "warning", "a merge by hand kept a line twice; the copies are the same"),
    "MANIFEST_MALFORMED": (1, "error", _REPAIR),
    "SEGMENT_MISSING": (1, "error", _REPAIR),
    "SEGMENT_CHANGED": (1, "error", f"a closed segment was edited; {_REPAIR}"),
    "SEGMENT_UNLISTED": (1, "error", _REPAIR),
    # Level 2: anchor
    "RECORD_MISSING": (2, "error", "a commit names a record the ledger lacks; put the ledger back"),
    "RECORD_UNCOMMITTED": (2, "error", "no commit names this record; it was forged or added by hand"),
    "TRAILER_MISMATCH": (2, "error", "the commit's trailers and its record disagree; look at the commit"),
    "BLOB_MISMATCH": (2, "error", "the record speaks of another content than the commit holds"),
    "REBASED": (2, "info", "the commit was rewritten with its record; the contents still fit"),
    "LEDGER_TRUNCATED": (2, "error", f"noted records are gone; {_REPAIR}"),
    "BRANCH_REWOUND": (2, "error", "commits are gone and no rollback says so; see `git reflog`"),
    "RECORD_UNANCHORED": (
        2,
        "error",
        "the log outside the branch does not know this commit; see who made it",
    ),
    "LOG_SHORTENED": (2, "error", "`refs/penwright/trace` was rewritten; fetch it from the remote"),
    "BRANCH_BEHIND": (2, "info", "pull, then verify again"),
    "NO_ANCHORS": (
        2,
        "warning",
        "push from the machine where sessions ran, or fetch `refs/penwright/trace/*` from where they are: "
        "without them, a history that was rewritten as a whole looks sound",
    ),
    "LOG_NOT_COMPARED": (
        2,
        "info",
        "start the engine with `penwright up`; its database may know more of the log than git",
    ),
    "NO_LEDGER": (
        2,
        "warning",
        "name the folder of a book (`penwright book list` shows them); the first "
        "`penwright book session BOOK` "
        "begins a ledger",
    ),
    # Level 3: coverage
    "UNTRACED": (
        3,
        "error",
        "an engine's commit changed text without a record; see `penwright trace why COMMIT BOOK`",
    ),
    "PATH_UNTRACED": (3, "error", "the commit changed a file its record does not name"),
    "BLOCK_UNTRACED": (3, "error", "the commit changed a block its record does not name"),
    "HUMAN_UNTRACED": (3, "info", "committed by hand, outside any session"),
    "BEFORE_LEDGER": (3, "info", "older than the ledger"),
    "BLOCKS_NOT_COMPARED": (3, "info", "`--strict` compares every commit, however long it takes"),
    "RECORD_UNNAMED": (
        3,
        "error",
        "if commits were squashed or amended, put their trailers into the message, or fetch the log: "
        "`git fetch origin '+refs/penwright/trace/*:refs/penwright/remotes/origin/trace/*'`",
    ),
    "SQUASHED": (3, "info", "commits were squashed or amended; the log outside the branch knows the record"),
    "MERGE_UNTRACED": (3, "info", "made by a merge"),
    # Level 4: re-find
    "LOST": (4, "error", "recorded text is gone and nothing says who took it"),
    "EDITED_UNTRACED": (4, "warning", "recorded text was changed outside any session"),
    "BLOCK_SPLIT": (4, "warning", "recorded text was cut in two outside any session"),
    "BLOCK_JOINED": (4, "warning", "recorded text was joined with other text outside any session"),
    "AMBIGUOUS": (4, "info", "the same text is in several places"),
    # Level 5: policy
    "INTENT_WAS_UNKNOWN": (5, "error", "the registry of that time has no such intent"),
    "INTENT_WAS_NOT_WRITABLE": (5, "error", "the intent was not in progress at that time"),
    "INTENT_WAS_OTHERWISE": (5, "error", "the intent's entry differed from the one selected"),
    "SCOPE_WAS_EXCEEDED": (5, "error", "the intent did not own the file at that time"),
    "INTENT_WAS_IGNORED": (5, "error", "`.intentignore` forbade the intent to write at that time"),
    "PATH_WAS_IGNORED": (5, "error", "`.intentignore` protected the file at that time"),
    "APPROVAL_UNBOUND": (5, "error", "an approval must be on the commit and in its record, or in neither"),
    "APPROVAL_EXCEEDED": (5, "error", "the approval covers what no person can approve"),
    "CLASS_UNDERSTATED": (5, "error", "the change is more than it was declared"),
    "INTENT_MISSING": (5, "error", "a model changed text under no intent"),
}
"""Code -> level, severity and what to do."""

FACTS = frozenset({"HUMAN_UNTRACED", "BEFORE_LEDGER", "MERGE_UNTRACED", "SQUASHED", "AMBIGUOUS"})
"""Codes whose hint tells a fact; there is nothing to do."""


class VerifyOptions(Value):
    """Scope and strictness of a verification."""

    since: str | None = None
    """Commit; only what came after it is judged."""
    intent: str = ""
    path: str = ""
    strict: bool = False
    """Take every commit's blocks apart again, and count warnings as findings: a missing log is one."""


class VerifyReport(Value):
    """The verifier's answer."""

    tip: str
    records: int
    """Records in the ledger."""
    commits: int
    """Commits looked at."""
    blocks: dict[str, int]
    """Recorded blocks by what became of them: present, moved, relocated, superseded, …"""
    findings: tuple[Finding, ...]
    newest: dict[str, str] | None = None
    """Newest entry of each clone's log, which the next look must find; None when something is wrong."""
    anchored: bool = True
    """Whether a log outside the branch was there to compare with."""

    @property
    def warnings(self) -> int:
        """Number of warnings; a missing log is one."""
        return sum(finding.severity == "warning" for finding in self.findings)

    @property
    def clean(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return not self.counted(strict=True)

    def counted(self, *, strict: bool) -> int:
        """Findings that make the exit code 1: errors; warnings only if ``strict``."""
        wanted = ("error", "warning") if strict else ("error",)
        return sum(finding.severity in wanted for finding in self.findings)


def finding(code: str, message: str, **where: str | int) -> Finding:
    """A finding of the table."""
    level, severity, hint = CODES[code]
    return Finding.model_validate(
        {"code": code, "level": level, "severity": severity, "message": message, "hint": hint, **where}
    )
