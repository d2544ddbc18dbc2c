"""Keys as they are typed."""

import asyncio
import codecs
import os
import sys
import termios
import tty
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

_MOST = 65_536


@contextmanager
def unbuffered() -> Iterator[int]:
    """Standard input without waiting for Enter, and without echo; as it was afterwards."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield descriptor
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


async def keys(descriptor: int) -> AsyncIterator[str]:
    """What is typed, until the terminal goes away."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    loop.add_reader(descriptor, ready.set)
    try:
        while True:
            await ready.wait()
            ready.clear()
            try:
                read = os.read(descriptor, _MOST)
            except OSError:  # Linux reports EIO once the terminal is gone
                return
            if not read:
                return
            yield decoder.decode(read)
    finally:
        loop.remove_reader(descriptor)
