"""Models that are files: the addresses of their servers, and a server for as long as a test lasts."""

import json
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from penwright.adapters.models.gguf import check_file
from penwright.errors import PermanentError
from workers.engine import processes
from workers.engine.processes import Program
from workers.health.liveness import LivenessReader
from workers.settings import LONGEST_START_S, Loaded, load

NAME = "llama"
"""Of the process that serves them."""
KEY = "PENWRIGHT_LLAMA_KEY"
"""Variable of the key that its callers have."""
_SETTINGS = "PENWRIGHT_MODELS"
_POLL_S = 0.05


def files_of(loaded: Loaded) -> tuple[str, ...]:
    """The names of models that are files."""
    return tuple(name for name, model in loaded.settings.models.items() if model.file)


def addresses(loaded: Loaded, names: Collection[str]) -> dict[str, str]:
    """Variables that give each of these models an address on this machine, and a key to all of them."""
    # Any: a table of settings.
    given: dict[str, dict[str, Any]] = json.loads(loaded.environ.get(_SETTINGS) or "{}")
    taken: list[int] = []
    for name in names:
        taken.append(processes.free_port(None, taken=taken))
        address = f"http://127.0.0.1:{taken[-1]}/v1"
        given[name] = {**given.get(name, {}), "api_base": address, "key_env": KEY}
    return {_SETTINGS: json.dumps(given), KEY: secrets.token_urlsafe(32)}


@contextmanager
def served(loaded: Loaded, name: str) -> Iterator[Loaded]:
    """Settings under which the model answers: one that is a file is served meanwhile, by a server of its own.

    Raises:
        ModelFinal: the file, or llama.cpp, is not there.
        PermanentError: ``gguf-not-served``, with the end of what the server said.
    """
    model = loaded.settings.models.get(name)
    if model is None or model.file is None:
        yield loaded
        return
    check_file(name, model.file)
    environ = loaded.child_environment(with_model_keys=True) | addresses(loaded, [name])
    with tempfile.TemporaryDirectory() as folder:
        reading, writing = os.pipe()
        log = Path(folder) / "llama.log"
        program = Program(
            name=NAME,
            argv=(sys.executable, "-P", "-m", "workers", NAME, "--ready-fd", str(writing)),
            environ=environ,
            folder=Path(folder),
            log=log,
            inherits=(writing,),
        )
        process, reader = processes.spawn(program), LivenessReader(reading)
        os.close(writing)
        try:
            deadline = time.monotonic() + LONGEST_START_S
            while None not in list(reader.lines()):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise PermanentError("gguf-not-served", processes.tail(log, 5))
                time.sleep(_POLL_S)
            yield load(environ)
        finally:
            reader.close()
            process.kill()
            process.wait()
