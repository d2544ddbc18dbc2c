"""``python -m workers workflows|activities|models|engine|codec|llama``: one process of the engine."""

import argparse
import asyncio
import faulthandler
import os
import signal
import sys

from penwright.errors import PenwrightError, PermanentError
from workers.health.liveness import LivenessWriter
from workers.settings import Loaded, drop_git_variables, load

NOT_SET_UP = ("namespace-not-prepared", "store-not-migrated")
"""Errors that pass when an operator acts; starting the process again changes nothing."""


def main(argv: list[str] | None = None) -> int:
    """Run one process until a signal; returns its exit code, EX_CONFIG where a restart cannot help."""
    given = _arguments().parse_args(argv)
    try:
        return _run(given.process, preparing=given.prepare, writer=LivenessWriter(given.ready_fd))
    except PenwrightError as error:
        sys.stderr.write(f"error[{error.code}]: {error.message}\n")
        lasts = isinstance(error, PermanentError) or error.code in NOT_SET_UP
        return os.EX_CONFIG if lasts else 1
    except KeyboardInterrupt:
        return 130


def _run(process: str, *, preparing: bool, writer: LivenessWriter) -> int:
    loaded = load()
    drop_git_variables()
    match process:
        case "engine":
            from workers.engine.launch import serve

            return serve(loaded)
        case "llama":
            from workers.processes.llama import serve_files

            serve_files(loaded, writer.ready)
        case "codec":
            from workers.payloads.codec_server import serve_engine

            return serve_engine(loaded.settings, writer.ready)
    _dump_when_asked()
    asyncio.run(_worker(process, loaded, preparing=preparing, writer=writer))
    return 0


async def _worker(process: str, loaded: Loaded, *, preparing: bool, writer: LivenessWriter) -> None:
    """Run one worker process; each imports its own code only."""
    match process:
        case "workflows":
            from workers.processes.workflows import run_workflows

            await run_workflows(loaded, preparing=preparing, on_ready=writer.ready, report=writer.report)
        case "activities":
            from workers.processes.activities import run_activities

            await run_activities(loaded, preparing=preparing, on_ready=writer.ready, report=writer.report)
        case _:
            from workers.processes.models import run_models

            await run_models(loaded, on_ready=writer.ready, report=writer.report)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m workers", description=__doc__)
    parser.add_argument("process", choices=("workflows", "activities", "models", "engine", "codec", "llama"))
    parser.add_argument(
        "--prepare",
        action="store_true",
        help="first bring up to date what it needs: the namespace of an embedded Temporal, or the tables",
    )
    parser.add_argument("--ready-fd", type=int, help="descriptor for readiness and liveness reports")
    return parser


def _dump_when_asked() -> None:
    """On SIGUSR1, write the stack of every thread to the log, even if the event loop is blocked."""
    faulthandler.register(signal.SIGUSR1, all_threads=True)


if __name__ == "__main__":
    sys.exit(main())
