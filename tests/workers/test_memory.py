"""What a worker's C library does with the memory of long texts."""

import subprocess
import sys

import pytest

_GROWING = """
import resource, sys
from workers import memory
asked = sys.argv[1] == "kept" and not memory.keep_for_the_next()
text = b"word " * 1_400_000
def lengthened(text):
    return text + b"More. " * 500
for _ in range(4):
    text = lengthened(text)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    text = lengthened(text)
print("other library" if asked else resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def _faults(way: str) -> str:
    done = subprocess.run([sys.executable, "-c", _GROWING, way], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_text_that_grows_is_written_to_pages_the_process_has() -> None:
    kept = _faults("kept")
    if kept == "other library":
        pytest.skip("this C library has no settings for it")
    # Ten versions of seven megabytes: 17,000 pages.
    assert int(kept) < 1000 < int(_faults("as it is"))
