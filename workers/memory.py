"""What the C library does with the memory that a long text leaves behind.

Left to itself, glibc gives each block of some size back to the system as it is freed. A text that grows never
fits into what the last one has taught it, so each version of a long book is written to new pages, and the
system clears every one of them first: eight times what copying the text costs.
"""

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Names of glibc's ``mallopt``."""
_KEPT = 64 * 1024 * 1024
"""Bytes of free memory that an arena keeps at most."""
_LARGEST = 32 * 1024 * 1024
"""Bytes of the largest block that is taken from there; glibc admits no more."""
_ARENAS = 2


def keep_for_the_next() -> bool:
    """Let blocks as long as a book be used again; False where the C library is another."""
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    # Few arenas, or each thread would keep as much for itself.
    wanted = ((_MMAP_THRESHOLD, _LARGEST), (_TRIM_THRESHOLD, _KEPT), (_ARENA_MAX, _ARENAS))
    taken = [mallopt(name, value) == 1 for name, value in wanted]
    return all(taken)
