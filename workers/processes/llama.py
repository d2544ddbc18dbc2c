"""The process ``llama``: llama.cpp's own server, one for each model of the settings that is a file."""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn
from urllib.parse import urlsplit

from penwright.adapters.models.gguf import check_file
from penwright.errors import PenwrightError, PermanentError
from workers.model_catalog import window_of
from workers.settings import Loaded, ModelSettings


def serve_files(loaded: Loaded, on_ready: Callable[[], None]) -> NoReturn:
    """Serve every file that has an address until SIGTERM.

    Raises:
        PermanentError: none can be served; the messages of all.
    """
    files = {name: each for name, each in loaded.settings.models.items() if each.file and each.api_base}
    servers, troubles = [], list[str]()
    for name, model in files.items():
        try:
            servers.append(_server(name, model, loaded.environ.get(model.key_env, "")))
        except PenwrightError as error:
            sys.stderr.write(f"error[{error.code}]: {error.message}\n")
            troubles.append(error.message)
    if not servers:
        raise PermanentError("gguf-not-served", " ".join(troubles) or "The settings name no model's file.")
    on_ready()
    while True:
        # SIGTERM ends the process and its threads at once; what it answers then is asked for again.
        signal.pause()


def _server(name: str, model: ModelSettings, key: str) -> Any:  # a library without types
    """llama.cpp's server with the window and the chat template of the file, for callers that have the key."""
    assert model.file is not None
    check_file(name, model.file)
    # Imported here: it is an extra.
    import xllamacpp

    address = urlsplit(model.api_base)
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(model.file)
    wanted.model_alias = model.file.stem
    wanted.n_ctx = window_of(model) or 0
    wanted.n_parallel = 1
    wanted.hostnames, wanted.port = [address.hostname], address.port
    wanted.api_keys = [key]
    # Pages of a browser on this machine are strangers, and its own pages show what was asked.
    wanted.cors_origins, wanted.ui, wanted.endpoint_slots = f"http://{address.netloc}", False, False
    wanted.offline = True
    for threads in (wanted.cpuparams, wanted.cpuparams_batch):
        # They go in step, and all wait for one whose core another process has: one core is left to those.
        threads.n_threads, threads.poll = max(1, (os.cpu_count() or 1) - 1), 0
    try:
        return xllamacpp.Server(wanted)
    except RuntimeError as error:
        raise PermanentError(
            "gguf-not-served",
            f"llama.cpp cannot serve the file of the model {name!r}, {str(model.file)!r}: {error} The lines "
            "above say why: a damaged file, one that it does not know, too little memory, or a port in use.",
        ) from error
