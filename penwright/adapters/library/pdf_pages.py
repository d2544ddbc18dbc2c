"""Write the text of a PDF's pages as JSON: ``python`` this, with the PDF on standard input.

A process of its own, because a PDF of a stranger may take all memory or time of who reads it.
"""

import json
import re
import resource
import sys
from collections.abc import Iterator
from io import BytesIO
from typing import Any

_BROKEN, _ENCRYPTED = 3, 4
_LEAST_LETTERS = 10
_LONGEST_WORDS = 20
"""Letters of a word on average, above which the blanks between words are lost."""
_MOST_FOREIGN = 0.1
"""Share of signs that no font could name."""
_PRISM = re.compile(
    r"<prism:(doi|publicationDate|coverDate|coverDisplayDate)\b[^>]*>([^<]{4,200})<", re.IGNORECASE
)
_LONGEST_XMP = 200_000


def main() -> int:
    """Write what ``found_in`` returns; 3: broken, 4: encrypted.

    Argument: the most memory that may be used, in MB.
    """
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError, PyPdfError

    most = int(sys.argv[1]) * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    content = sys.stdin.buffer.read()
    try:
        reader = PdfReader(BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return _ENCRYPTED
        found = found_in(content, reader)
    except FileNotDecryptedError:
        return _ENCRYPTED
    # A broken file makes the library fail in any way that Python knows.
    except (PyPdfError, ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}"[:500])
        return _BROKEN
    sys.stdout.buffer.write(json.dumps(found).encode("ascii"))
    return 0


def found_in(content: bytes, reader: Any) -> dict[str, Any]:  # Any: JSON, and a reader of pypdf
    """``pages``, ``headings``, the first page's lines with the size of their print (``front``), and what the
    file (``info``) and its publisher say of it."""
    pages = [text_of(content, number, page) for number, page in enumerate(reader.pages)]
    return {
        "pages": pages,
        "headings": list(_headings(reader)),
        "info": {name: str(value) for name, value in (reader.metadata or {}).items() if value is not None},
        "front": front_of(content) if any(pages) else [],
        "publisher": _publisher(reader),
    }


def text_of(content: bytes, number: int, page: Any) -> str:  # Any: a page of pypdf
    """The text of a page; pdfplumber is asked where pypdf finds nothing that can be used."""
    try:
        text = str(page.extract_text())
    except Exception:  # one hard page must not cost the others
        text = ""
    if _is_usable(text):
        return text
    try:
        other = _by_pdfplumber(content, number)
    except Exception:  # as above
        other = ""
    return other if _is_usable(other) else ""


def front_of(content: bytes) -> list[tuple[str, float]]:
    """The lines of the first page with the size of their print; wide gaps between words are tabs."""
    import pdfplumber

    try:
        with pdfplumber.open(BytesIO(content), pages=[1]) as opened:
            page = opened.pages[0].dedupe_chars()
            return [_printed(line["chars"]) for line in page.extract_text_lines(x_tolerance_ratio=0.2)]
    except Exception:  # the text is what counts
        return []


def _printed(chars: list[Any]) -> tuple[str, float]:  # Any: signs of pdfplumber
    chars = list({id(each): each for each in chars}.values())  # a ligature comes once for each letter
    sizes = sorted(float(each["size"]) for each in chars)
    size = sizes[len(sizes) // 2]
    foot = sorted(float(each["bottom"]) for each in chars)[len(chars) // 2]
    text, end = "", float(chars[0]["x0"])
    for each in chars:
        if each["size"] < 0.8 * size and foot - each["bottom"] > 0.15 * size:
            continue  # the sign of a note
        gap = float(each["x0"]) - end
        if text and not text[-1].isspace():
            text += "\t" if gap > 1.2 * size else " " if gap > 0.2 * size else ""
        text, end = text + str(each["text"]), float(each["x1"])
    return text, size


def _publisher(reader: Any) -> dict[str, str]:  # Any: a reader of pypdf
    """Fields of publishers, such as ``doi``, in the file's XML description."""
    try:
        metadata = reader.xmp_metadata
        text = metadata.stream.get_data().decode("utf-8", "replace")[:_LONGEST_XMP] if metadata else ""
    except Exception:  # as above
        return {}
    return {name.lower(): value.strip() for name, value in reversed(_PRISM.findall(text))}


def _by_pdfplumber(content: bytes, number: int) -> str:
    import pdfplumber

    with pdfplumber.open(BytesIO(content), pages=[number + 1]) as opened:
        return opened.pages[0].extract_text() or ""


def _is_usable(text: str) -> bool:
    signs = "".join(text.split())
    letters = sum(sign.isalpha() for sign in signs)
    foreign = sum(sign == "\ufffd" or ord(sign) < 32 for sign in signs) + 6 * text.count("(cid:")
    if letters < _LEAST_LETTERS or foreign > _MOST_FOREIGN * len(signs):
        return False
    # Scripts without blanks between words have long ones by nature.
    return not text.isascii() or letters / len(text.split()) <= _LONGEST_WORDS


def _headings(reader: Any) -> Iterator[str]:  # Any: a reader of pypdf
    """Titles of the table of contents, which a broken one may lack."""
    try:
        waiting = list(reader.outline)
    except Exception:  # the text is what counts
        return
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, list):
            waiting = [*item, *waiting]
        elif title := str(getattr(item, "title", "") or "").strip():
            yield title


if __name__ == "__main__":
    sys.exit(main())
