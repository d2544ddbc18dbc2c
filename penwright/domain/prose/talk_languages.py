"""Talk about the task in other languages than English: beginnings, ends, and counts of words.

Each pattern needs a word of the work ("Szene", "chapitre"), or stands for itself, so that no letter or speech
of a story is taken for it.
"""

from typing import NamedTuple


class _Talk(NamedTuple):
    """The words of one language."""

    yes: str
    """Beginnings of a reply."""
    work: str
    """Words for the task, or for a text that is to be changed."""
    offer: str
    """Beginnings of an afterword."""
    go_on: str
    """Questions that are talk without a word of the work."""
    counted: str
    """Names of a count of words."""


_TALKS = (
    _Talk(
        r"gerne?|natürlich|klar|sicher|okay|verstanden|hier (?:ist|kommt|folgt)|es folgt|im folgenden",
        r"szene|kapitel|abschnitt|fortsetzung|text|sitzung|entwurf|fassung|passage|prosa|änder|anpass",
        r"ich hoffe|lass(?:en sie)? (?:es )?mich wissen|sag(?:en sie)? (?:mir )?(?:gerne? )?bescheid",
        r"(?:soll|darf) ich (?:weiterschreiben|fortfahren|die (?:nächste )?szene|etwas ändern|das kapitel)"
        r"|(?:möchtest du|möchten sie),? dass ich",
        r"wort(?:an)?zahl|anzahl (?:der )?wörter|wörter",
    ),
    _Talk(
        r"bien sûr|d'accord|certainement|très bien|voici|voilà|ci-dessous",
        r"scène|chapitre|suite|passage|texte|extrait|session|version|modifi|ajust",
        r"j'espère|n'hésite[zs]? pas|dites-moi|dis-moi|faites-moi savoir",
        r"(?:souhaite[zs]|veu[xt]|voule[zs])-(?:vous|tu) que je (?:continue|poursuive|modifie|réécrive)",
        r"nombre de mots|mots",
    ),
    _Talk(
        r"claro|por supuesto|desde luego|aquí (?:está|tienes|va)|a continuación|de acuerdo|entendido",
        r"escena|capítulo|continuación|pasaje|texto|sesión|versión|fragmento|cambi|ajust|modific",
        r"espero que|avísame|dime si|hazme saber|no dudes",
        r"(?:quieres|te gustaría|desea[s]?|quiere) que (?:continúe|siga|escriba|modifique|cambie|ajuste)",
        r"(?:recuento|número|cantidad) de palabras|palabras",
    ),
    _Talk(
        r"certo|certamente|ecco|di seguito|va bene|d'accordo",
        r"scena|capitolo|continuazione|brano|testo|sessione|versione|modific",
        r"spero che|fammi sapere|dimmi se",
        r"(?:vuoi|desideri|vuole) che (?:continui|prosegua|modifichi|scriva)",
        r"(?:numero|conteggio) (?:di|delle) parole|parole",
    ),
    _Talk(
        r"claro|com certeza|aqui (?:está|vai)|segue|a seguir|entendido",
        r"cena|capítulo|continuação|trecho|texto|sessão|versão|mudan|ajust|alter",
        r"espero que|me avise|avise-me|diga-me se",
        r"(?:quer|deseja|gostaria) que eu (?:continue|prossiga|escreva|modifique|altere)",
        r"(?:contagem|número) de palavras|palavras",
    ),
    _Talk(
        r"конечно|хорошо|вот|ниже|понял[а]?",
        r"сцен|глав|продолжени|отрыв|текст|верси|измен|правк",
        r"надеюсь|дайте (?:мне )?знать|дай знать|если (?:хотите|нужно)",
        r"(?:хотите|хочешь),? чтобы я (?:продолжил|изменил|написал)|продолжить\?",
        r"количество слов|слов",
    ),
    _Talk(
        r"好的|当然|没问题|明白了|以下(?:是|为)|下面是|这是",
        r"场景|章|续写|正文|内容|段落|故事|修改|调整",
        r"希望(?:这|你|您)|如果(?:你|您|需要|有)|请告诉我",
        r"(?:需要|要)我(?:继续|修改|调整)",
        r"(?:总)?字数|字数统计",
    ),
    _Talk(
        r"はい|承知|わかりました|以下|こちら|もちろん",
        r"場面|シーン|章|続き|本文|文章|修正",
        r"(?:お気に召|ご希望|ご要望|気に入って)",
        r"(?:続きを)?(?:書き)?続け(?:ます|ましょう)か",
        r"文字数|語数",
    ),
)
_ABOUT = r"(?:ca\.?|circa|etwa|rund|environ|env\.?|unos|aprox\.?|около|约|約)?[ \t~≈]*"
_OPENING = "|".join(rf"(?:{each.yes})[^\n]*(?:{each.work})[^\n]*[:：]\**\Z" for each in _TALKS)
_AFTERWORD = "|".join(rf"(?:{each.offer})[^\n]*(?:{each.work})|[^\n?？]*(?:{each.go_on})" for each in _TALKS)
_COUNTED = "|".join(each.counted for each in _TALKS)
COUNT = rf"(?:{_COUNTED})\W*[:=：]\W*{_ABOUT}\d[\d., \u00a0]*\w*\W*\Z"
"""A count of words, beside what stands before it."""
TALK = rf"(?:{_OPENING}|{_AFTERWORD}|{COUNT})"
"""The beginning of a paragraph about the task, in small letters and capitals alike."""
