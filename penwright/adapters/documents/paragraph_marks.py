"""Paragraphs of a DOCX that are new or gone as a whole: their ends are tracked, too."""

import re

_WHOLE = re.compile(
    rb"(?P<style><w:pPr>(?:(?!</w:pPr>).)*)(?P<rest></w:pPr>\s*<w:(?P<kind>ins|del)(?P<said> [^<>]*)>"
    rb"(?:(?!</w:(?P=kind)>).)*</w:(?P=kind)>\s*</w:p>)",
    re.DOTALL,
)


def with_paragraph_marks(xml: bytes) -> bytes:
    """Return ``word/document.xml`` so that accepting or rejecting a paragraph leaves no empty one."""
    return _WHOLE.sub(rb"\g<style><w:rPr><w:\g<kind>\g<said> /></w:rPr>\g<rest>", xml)
