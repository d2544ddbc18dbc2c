"""DOCX files whose citations are fields of a reference manager, as Zotero and Mendeley write them."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OF_PACKAGES = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats"
_OF_DOCUMENTS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_OF_PACKAGES}/content-types">'
    f'<Default Extension="rels" ContentType="{_TYPES}-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" '
    f'ContentType="{_TYPES}-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_OF_PACKAGES}/relationships">'
    f'<Relationship Id="r1" Type="{_OF_DOCUMENTS}" Target="word/document.xml"/></Relationships>',
}


def cited_document(text: str, *cited: Sequence[Mapping[str, Any]], program: str = "ZOTERO_ITEM") -> bytes:
    """A document of one paragraph: behind the text, one field for each list of works, as records in CSL."""
    body = f"<w:r><w:t xml:space='preserve'>{escape(text)} </w:t></w:r>" + "".join(
        _field(each, program) for each in cited
    )
    document = f"<w:document xmlns:w='{_SPACE}'><w:body><w:p>{body}</w:p></w:body></w:document>"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in {**_PARTS, "word/document.xml": document}.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _field(works: Sequence[Mapping[str, Any]], program: str) -> str:
    items = [{"id": each["id"], "itemData": dict(each)} for each in works]
    said = escape(json.dumps({"citationItems": items}), quote=False)
    marks = [f"<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>" for kind in ("begin", "separate", "end")]
    code = f"<w:r><w:instrText> ADDIN {program} CSL_CITATION {said} </w:instrText></w:r>"
    return f"{marks[0]}{code}{marks[1]}<w:r><w:t>(shown)</w:t></w:r>{marks[2]}"
