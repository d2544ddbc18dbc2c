"""What a publish costs on books of 5k, 100k and 1M words; prints ratios to the smallest."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from penwright.adapters.clock import SystemClock
from penwright.adapters.workspace import GitWorkspaces
from schemas.base import Effect, OpId
from schemas.workspace import Append, Contributor, Create, Modify, MutationPlan, Workspace
from tests.support.repos import add_remote, git

SIZES = ((5_000, 10), (100_000, 200), (1_000_000, 2_000))
_BOOK = "Current version/Full_Book.md"
_SYLLABLES = ("ba", "ren", "ti", "lo", "sk", "mer", "und", "a", "vel", "qui", "dor", "e", "han", "ist")


def prose(words: int, seed: int = 1) -> str:
    """Paragraphs of about a hundred words; the same for the same seed."""
    state, paragraphs, line = seed, [], []
    for number in range(words):
        state = (state * 1103515245 + 12345) % 2**31
        line.append(_SYLLABLES[state // 7 % 14] + _SYLLABLES[state // 101 % 14] + "s" * (state // 997 % 2))
        if number % 100 == 99:
            paragraphs.append(" ".join(line) + ".")
            line = []
    return "\n\n".join([*paragraphs, " ".join(line)]).strip() + "\n"


def history(words: int, commits: int) -> Iterator[bytes]:
    """A fast-import stream: the book grows by equal steps, one Changelog file and tag per commit."""
    paragraphs = prose(words).split("\n\n")
    start = int((datetime.now(UTC) - timedelta(days=commits)).timestamp())
    for number in range(1, commits + 1):
        # The long text is written at every hundredth commit only, so that building takes seconds.
        shown = paragraphs[: max(1, len(paragraphs) * number // commits)]
        files = {
            f"Changelog/{number:05}.md": f"Session {number}.\n",
            "Review/current.md": prose(1500, number),
        }
        if number == commits or number % 100 == 0:
            files[_BOOK] = "\n\n".join(shown) + "\n"
        if number == 1:
            files |= {
                f"Global Material/{name}.md": prose(500) for name in ("Soul", "Outline", "Lore", "Characters")
            }
            files |= {
                "Global Material/Config.yml": "target_length: 1\n",
                "Global Material/Summary.md": prose(200),
            }
        message = f"Session {number}\n\nPenwright-Op: old-{number}\nPenwright-Contributor: engine\n".encode()
        who = f"Penwright <penwright@localhost> {start + number * 86400 - 7200} +0000"
        yield f"commit refs/heads/main\ncommitter {who}\ndata {len(message)}\n".encode() + message
        for path, text in files.items():
            yield f'M 100644 inline "{path}"\ndata {len(text.encode())}\n'.encode() + text.encode() + b"\n"
        yield f"\nreset refs/tags/ink-old-{number}\nfrom refs/heads/main\n\n".encode()


def make_book(folder: Path, words: int, commits: int) -> Workspace:
    """A book with a history, checked out, tags loose as sessions leave them."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    subprocess.run(
        ["git", "fast-import", "--quiet"], cwd=folder, input=b"".join(history(words, commits)), check=True
    )
    git(folder, "reset", "-q", "--hard", "main")
    return Workspace(path=str(folder))


def measure(words: int, commits: int, rounds: int = 20) -> dict[str, float]:
    """Milliseconds: publish p50 and p95 (a session's close), snapshot, sync without remote, push."""
    with tempfile.TemporaryDirectory() as root:
        workspace = make_book(Path(root) / "book", words, commits)
        port = GitWorkspaces(SystemClock())
        publishing, reading, syncing = [], [], []
        for number in range(rounds):
            plan = closing(port, workspace, number)
            publishing.append(timed(partial(port.publish, plan, effect(f"close-{number}"))))
            reading.append(timed(partial(port.snapshot, workspace, ("Global Material/**", "Review/**"))))
            syncing.append(timed(partial(sync, port, workspace, number)))
        add_remote(Path(workspace.path), Path(root) / "remote.git")
        pushing = []
        for number in range(rounds, rounds + 5):
            port.publish(closing(port, workspace, number), effect(f"close-{number}"))
            pushing.append(timed(partial(port.push, workspace, effect(f"push-{number}"))))
    return {
        "publish p50": statistics.median(publishing),
        "publish p95": sorted(publishing)[int(len(publishing) * 0.95) - 1],
        "snapshot p50": statistics.median(reading),
        "sync p50": statistics.median(syncing),
        "push p50": statistics.median(pushing),
    }


def closing(port: GitWorkspaces, workspace: Workspace, number: int) -> MutationPlan:
    """What closing a session changes: the book, the review, the summary, a Changelog entry."""
    names = port.snapshot(
        workspace, (), names=(_BOOK, "Review/current.md", "Global Material/Summary.md")
    ).names
    tail = "\n" + prose(1500, number + 7)
    return MutationPlan(
        workspace=workspace,
        message="Close the session",
        contributor=Contributor.ENGINE,
        operations=(
            Append(path=_BOOK, tail=tail, base=names[_BOOK]),
            Modify(path="Review/current.md", content=prose(1500, number), base=names["Review/current.md"]),
            Append(
                path="Global Material/Summary.md", tail="\nMore.\n", base=names["Global Material/Summary.md"]
            ),
            Create(path=f"Changelog/new-{number}.md", content="Session.\n"),
            Create(path=f".ink-state-{number}.yml", content=f"blob: {'0' * 40}\n", null_id_of=_BOOK),
        ),
        trailers=(("Penwright-Sync", port.snapshot(workspace, ()).tip),),
        tag="ink-2026-03-01-08-00",
    )


def sync(port: GitWorkspaces, workspace: Workspace, number: int) -> object:
    """What opening a session asks first."""
    return port.sync(workspace, effect(f"sync-{number}"), known=(), engine=())


def effect(op_id: str) -> Effect:
    """An effect ordered now."""
    return Effect(op_id=OpId(op_id), issued_at=datetime.now(UTC))


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def main() -> int:
    """Print a row per size, in milliseconds and as ratios to the smallest book; 1 over budget."""
    base: dict[str, float] = {}
    for words, commits in SIZES:
        found = measure(words, commits)
        base = base or found
        row = "  ".join(f"{name} {cost:6.1f} ms ({cost / base[name]:.2f}x)" for name, cost in found.items())
        print(f"{words:>9} words, {commits:>5} commits: {row}")
    within = found["publish p95"] <= 150 and found["publish p50"] <= 1.5 * base["publish p50"]
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
