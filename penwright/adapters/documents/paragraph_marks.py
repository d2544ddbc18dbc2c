"""Tracked changes of a DOCX as Word has them: ends of whole paragraphs too, each under its own number."""

import re
from itertools import count

_WHOLE = re.compile(
    rb"(?P<style><w:pPr>(?:(?!</w:pPr>).)*)(?P<rest></w:pPr>\s*<w:(?P<kind>ins|del)(?P<said> [^<>]*)>"
    rb"(?:(?!</w:(?P=kind)>).)*</w:(?P=kind)>\s*</w:p>)",
    re.DOTALL,
)
_NUMBER = re.compile(rb'(<w:(?:ins|del)\s(?:[^<>]*\s)?w:id=")[0-9]+')
_ANY_NUMBER = re.compile(rb'\sw:id="([0-9]+)"')


def with_paragraph_marks(xml: bytes) -> bytes:
    """Return ``word/document.xml`` so that accepting or rejecting a paragraph leaves no empty one."""
    return _numbered(_WHOLE.sub(rb"\g<style><w:rPr><w:\g<kind>\g<said> /></w:rPr>\g<rest>", xml))


def _numbered(xml: bytes) -> bytes:
    """Give each change a number of its own: pandoc counts insertions and deletions apart."""
    numbers = count(max(map(int, _ANY_NUMBER.findall(xml)), default=0) + 1)
    return _NUMBER.sub(lambda found: found[1] + b"%d" % next(numbers), xml)
