"""Languages by the names that authors write, and the tags that documents need."""

import re

_TAGS = {
    "ar": "arabic العربية",
    "bg": "bulgarian български",
    "ca": "catalan català",
    "cs": "czech čeština",
    "da": "danish dansk",
    "de": "german deutsch",
    "el": "greek ελληνικά",
    "en": "english",
    "es": "spanish español castellano",
    "et": "estonian eesti",
    "eu": "basque euskara",
    "fa": "persian farsi فارسی",
    "fi": "finnish suomi",
    "fr": "french français",
    "ga": "irish gaeilge",
    "he": "hebrew עברית",
    "hi": "hindi हिन्दी",
    "hr": "croatian hrvatski",
    "hu": "hungarian magyar",
    "id": "indonesian bahasa",
    "is": "icelandic íslenska",
    "it": "italian italiano",
    "ja": "japanese 日本語",
    "ko": "korean 한국어",
    "la": "latin latina",
    "lt": "lithuanian lietuvių",
    "lv": "latvian latviešu",
    "nl": "dutch nederlands flemish vlaams",
    "no": "norwegian norsk",
    "pl": "polish polski",
    "pt": "portuguese português",
    "ro": "romanian română",
    "ru": "russian русский",
    "sk": "slovak slovenčina",
    "sl": "slovenian slovene slovenščina",
    "sr": "serbian српски srpski",
    "sv": "swedish svenska",
    "th": "thai ไทย",
    "tr": "turkish türkçe",
    "uk": "ukrainian українська",
    "vi": "vietnamese tiếng",
    "zh": "chinese mandarin 中文",
}
_BY_NAME = {name: tag for tag, names in _TAGS.items() for name in names.split()}
_REGIONS = {
    "british": "GB",
    "uk": "GB",
    "american": "US",
    "us": "US",
    "usa": "US",
    "australian": "AU",
    "canadian": "CA",
    "irish": "IE",
    "brazilian": "BR",
    "mexican": "MX",
    "austrian": "AT",
    "swiss": "CH",
}
_SCRIPTS = (
    ("Japanese", "\u3041", "\u30ff", 0.1),
    ("Chinese", "\u4e00", "\u9fff", 0.5),
    ("Korean", "\uac00", "\ud7a3", 0.5),
    ("Thai", "\u0e00", "\u0e7f", 0.5),
    ("Greek", "\u0370", "\u03ff", 0.5),
)
"""Languages, first and last letter of their script, and the share of letters from which a text is in it."""
_LOOKED_AT = 20_000
_TAG = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


def language_by_script(text: str) -> str:
    """Return the language whose script the beginning of ``text`` is in; empty if several share it."""
    letters = [each for each in text[:_LOOKED_AT] if each.isalpha()]
    for language, first, last, share in _SCRIPTS:
        if letters and sum(first <= each <= last for each in letters) > share * len(letters):
            return language
    return ""


def language_tag(language: str) -> str:
    """Return the tag of a language, such as ``en-GB`` for ``British English``; empty if it is not known.

    A tag is returned as it is.
    """
    named = language.strip()
    if _TAG.fullmatch(named) and (named[:2] in _TAGS or "-" in named or len(named) <= 3):
        return named.replace("_", "-")
    words = re.findall(r"\w+", named.casefold())
    tags = [_BY_NAME[word] for word in words if word in _BY_NAME]
    regions = [_REGIONS[word] for word in words if word in _REGIONS]
    # "Irish English" is English of Ireland: of two languages the last is meant.
    return f"{tags[-1]}{f'-{regions[0]}' if regions and len(words) > 1 else ''}" if tags else ""
