"""Killing a process, or raising in it, at a chosen call to the operating system."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

_TELLING = {"rename", "fsync", "open", "fork_exec", "unlink", "flock", "mkdir", "chmod"}


class Crash(BaseException):
    """Simulates the end of the process."""


def _at_once() -> bool:
    return True


class Bomb:
    """Goes off before the ``number``-th call, from 0, that touches the disk or a process once ``armed``."""

    def __init__(self, number: int, blast: Callable[[], None], armed: Callable[[], bool] = _at_once) -> None:
        self.left = number
        self._blast = blast
        self._armed = armed

    def __enter__(self) -> "Bomb":
        threading.setprofile(self._watch)
        sys.setprofile(self._watch)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _watch(self, frame: FrameType, event: str, argument: object) -> None:
        name = getattr(argument, "__name__", "")
        # A file that is only read is as good as none: there are more of them with every commit.
        reads = name == "open" and frame.f_locals.get("mode") in ("r", "rb")
        if event == "c_call" and name in _TELLING and not reads and self._armed():
            self.left -= 1
            if self.left < 0:
                self.__exit__(None, None, None)
                self._blast()


def raise_crash() -> None:
    """End the call as if the process had died, in this process."""
    raise Crash


def kill_self() -> None:
    """End this process, at once."""
    os.kill(os.getpid(), signal.SIGKILL)


def in_a_child(work: Callable[[], object]) -> int:
    """Fork, do ``work`` there, return the process id; it exits with 0, or 1 on an error."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def killed_at(number: int, work: Callable[[], object], armed: Callable[[], bool] = _at_once) -> bool:
    """Do ``work`` in a child killed before its ``number``-th telling call once ``armed``; whether it was."""

    def bombed() -> None:
        with Bomb(number, kill_self, armed):
            work()

    _, status = os.waitpid(in_a_child(bombed), 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0
    return False
