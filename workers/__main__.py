"""``python -m workers worker|models|engine|codec``: one process of the engine."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable

from penwright.errors import PenwrightError
from workers.settings import load


def main(argv: list[str] | None = None) -> int:
    """Run one process until it is told to stop; returns its exit code."""
    given = _arguments().parse_args(argv)
    try:
        return _run(given.process, preparing=given.prepare, on_ready=_notice(given.ready_fd))
    except PenwrightError as error:
        sys.stderr.write(f"error[{error.code}]: {error.message}\n")
        return 1
    except KeyboardInterrupt:
        return 130


def _run(process: str, *, preparing: bool, on_ready: Callable[[], None]) -> int:
    loaded = load()
    match process:
        case "engine":
            from workers.engine.launch import serve

            return serve(loaded)
        case "codec":
            from workers.codec_server import serve_engine

            return serve_engine(loaded.settings, on_ready)
        case "worker":
            from workers.worker import run_main

            asyncio.run(run_main(loaded, preparing=preparing, on_ready=on_ready))
        case _:
            from workers.worker import run_models

            asyncio.run(run_models(loaded, on_ready=on_ready))
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m workers", description=__doc__)
    parser.add_argument("process", choices=("worker", "models", "engine", "codec"))
    parser.add_argument("--prepare", action="store_true", help="bring namespace and tables up to date first")
    parser.add_argument("--ready-fd", type=int, help="descriptor on which to say that it is ready")
    return parser


def _notice(descriptor: int | None) -> Callable[[], None]:
    """Tells whoever started us that we are ready; nobody, when started by hand."""

    def tell() -> None:
        if descriptor is not None:
            os.write(descriptor, b"ready\n")
            os.close(descriptor)

    return tell


if __name__ == "__main__":
    sys.exit(main())
