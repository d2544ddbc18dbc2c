"""The heading above a list of references, in the document's language."""

_HEADINGS = {
    "bg": "Литература",
    "ca": "Referències",
    "cs": "Literatura",
    "da": "Litteratur",
    "de": "Literatur",
    "el": "Βιβλιογραφία",
    "en": "References",
    "es": "Referencias",
    "et": "Kirjandus",
    "fi": "Lähteet",
    "fr": "Références",
    "hr": "Literatura",
    "hu": "Irodalom",
    "it": "Riferimenti bibliografici",
    "ja": "参考文献",
    "ko": "참고문헌",
    "lt": "Literatūra",
    "lv": "Literatūra",
    "nb": "Litteratur",
    "nl": "Literatuur",
    "nn": "Litteratur",
    "no": "Litteratur",
    "pl": "Bibliografia",
    "pt": "Referências",
    "ro": "Bibliografie",
    "ru": "Литература",
    "sk": "Literatúra",
    "sl": "Literatura",
    "sv": "Referenser",
    "tr": "Kaynakça",
    "uk": "Література",
    "zh": "参考文献",
}


def reference_heading(language: str) -> str:
    """Return the heading for a language tag such as ``de-AT``; the English one for others."""
    return _HEADINGS.get(language.partition("-")[0].lower(), _HEADINGS["en"])
