"""The closed list of negations, by language.

They count in every text, whatever its language is: a word that means no negation there, such as the English
``sin``, only makes a search stricter. Elided ones (``isn't``, ``n'est``) are recognized by their apostrophe.
"""

_BY_LANGUAGE = {
    "de": "nicht nichts nie niemals niemand niemandem niemanden nirgends nirgendwo kein keine keinem keinen "
    "keiner keines keins keinerlei keineswegs keinesfalls weder noch ohne kaum ausser außer",
    "en": "no not never none nobody nothing nowhere neither nor without cannot hardly scarcely barely unless "
    "except",
    "es": "no nunca jamás ni nada nadie ningún ninguno ninguna ningunos ningunas tampoco sin apenas salvo "
    "excepto",
    "fr": "ne non pas point jamais ni rien personne aucun aucune aucuns aucunes nul nulle nulles sans guère "
    "sauf",
    "it": "no non né mai niente nulla nessun nessuno nessuna neanche nemmeno neppure senza tranne eccetto",
    "nl": "niet niets nooit niemand nergens geen noch zonder nauwelijks tenzij behalve",
    "pt": "não nunca jamais nem nada ninguém nenhum nenhuma nenhuns nenhumas tampouco sem exceto salvo",
}
WORDS = frozenset(word for words in _BY_LANGUAGE.values() for word in words.split())
"""Folded to lower case, composed (NFC)."""
PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "des", "dés", "dé", "on", "a", "i", "s", "mal")
"""Prefixes that turn a word into its opposite, in those languages."""
