"""The headings that are put above a list of references and a list of contents, in the document's language."""

_REFERENCES = {
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
_CONTENTS = {
    "cs": "Obsah",
    "da": "Indhold",
    "de": "Inhaltsverzeichnis",
    "en": "Table of Contents",
    "es": "Índice",
    "fi": "Sisällys",
    "fr": "Table des matières",
    "hu": "Tartalomjegyzék",
    "it": "Indice",
    "ja": "目次",
    "ko": "목차",
    "nl": "Inhoudsopgave",
    "no": "Innhold",
    "pl": "Spis treści",
    "pt": "Índice",
    "ru": "Содержание",
    "sv": "Innehåll",
    "tr": "İçindekiler",
    "uk": "Зміст",
    "zh": "目录",
}


def reference_heading(language: str) -> str:
    """Return the heading for a language tag such as ``de-AT``; the English one for others."""
    return _REFERENCES.get(language.partition("-")[0].lower(), _REFERENCES["en"])


def contents_heading(language: str) -> str:
    """Return the heading for a language tag; the English one for others."""
    return _CONTENTS.get(language.partition("-")[0].lower(), _CONTENTS["en"])
