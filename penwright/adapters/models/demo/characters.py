"""Prose of the demo model in Chinese and Japanese, of an exact number of characters."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from penwright.adapters.models.demo.prose import Bags, of_exactly
from penwright.domain.text.words import count_words
from penwright.roles.book_text import BookText


def _each(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


_SENTENCES = re.compile(r"[^。！？]*[。！？][”」』]?")
_NAMED_LINE = re.compile(
    r"^\s*(?:#+\s*|[-*+]\s+)(?:\*\*)?([\u3041-\u30ff\u4e00-\u9fff]{2,4})(?:\*\*)?\s*"
    r"(?=$|[：:，,、（(—])",
    re.MULTILINE,
)
_NOT_NAMES = _each("人物 角色 主角 姓名 名字 配角 反派 登場人物 主人公 名前 脇役 年齢 年龄 性格")
_CANDIDATES = 160
_TAIL = 60
"""Once fewer characters remain, sentences are chosen so that the count is exact."""
_SENTENCES_OF_A_PARAGRAPH = (3, 4, 5)


@dataclass(frozen=True, slots=True)
class Tongue:
    """Phrases of one language; a pattern's names are the fields, ``hero`` and ``other``."""

    names: tuple[str, str]
    patterns: tuple[str, ...]
    times: tuple[str, ...]
    places: tuple[str, ...]
    deeds: tuple[str, ...]
    sayings: tuple[str, ...]
    closing: str


TONGUES: Mapping[str, Tongue] = {
    "zh": Tongue(
        names=("林岚", "周远"),
        patterns=(
            "{time}，{hero}在{place}{deed}。",
            "{hero}{deed}。",
            "{place}没有别人，只有{other}{deed}。",
            "“{saying}”{other}{deed}，声音很低。",
            "{hero}还没走到{place}，{time}。",
            "“{saying}”",
            "{time}，谁都没有再提起{place}。",
        ),
        times=_each(
            """
            天快亮了 雨刚刚停 钟敲过三下 风从河面吹来 雾慢慢散开 灯一盏盏熄了 潮水退到最低
            炉火只剩余烬 月亮躲进云里 雪落得很轻 鸟群飞过屋顶 远处有人摇铃
            """
        ),
        places=_each(
            """
            渡口 磨坊后面 旧仓库门前 石桥下 灯塔的台阶上 河边小路 空车站 屋檐下 码头尽头
            山坡的果园 井台旁 窄巷深处
            """
        ),
        deeds=_each(
            """
            停下来听水声 把信折好收进口袋 数了数亮着的窗 想起父亲说过的话 认出那阵脚步
            捡起一块光滑的石头 轻轻关上门 始终没有回头 重新系紧缆绳 闻见淡淡的烟味
            记下那条船的名字 把灯举高一些 终于明白该走哪边 笑了笑又收住 摊开那张旧地图
            擦去窗上的水汽 用手指量了量裂缝 悄悄换了把钥匙 咽下要说的半句 朝对岸挥了挥手
            """
        ),
        sayings=_each(
            """
            别等我。 门没有锁。 你早就知道了，对吗？ 明天再说。 那不是他的字迹。 船会来的。
            我数过两遍。 把它烧掉。 这条路我走过。 谁让你来的？
            """
        ),
        closing="门终于关上，故事到这里就说完了。",
    ),
    "ja": Tongue(
        names=("ミナ", "ソウタ"),
        patterns=(
            "{time}、{hero}は{place}で{deed}。",
            "{hero}は{deed}。",
            "{place}にはほかに誰もおらず、{other}だけが{deed}。",
            "「{saying}」{other}はそう言って{deed}。",
            "{hero}が{place}へ着く前に、{time}。",
            "「{saying}」",
            "{time}、もう誰も{place}の話をしなかった。",
        ),
        times=_each(
            """
            夜が明けかけた 雨がやんだ 鐘が三つ鳴った 川風が強くなった 霧が薄れた
            灯がひとつ消えた 潮がすっかり引いた 炉の火が細った 月が雲に隠れた
            雪が静かに積もった 鳥が屋根を越えた
            """
        ),
        places=_each(
            """
            渡し場 水車小屋の裏 古い倉庫の前 石橋の下 灯台の階段 川沿いの道 誰もいない駅
            軒下 桟橋の端 坂の果樹園 井戸のそば
            """
        ),
        deeds=_each(
            """
            水音に耳を澄ました 手紙をたたんでしまった 明るい窓を数えた 父の言葉を思い出した
            足音の主に気づいた 丸い石を拾いあげた そっと戸を閉めた 一度も振り返らなかった
            綱を結びなおした かすかな煙をかいだ 船の名を書きとめた ランプを高く掲げた
            行くべき道を悟った 笑いかけてやめた 色あせた地図を広げた 向こう岸へ手を振った
            """
        ),
        sayings=_each(
            """
            待たないで。 鍵はかかっていない。 知っていたんだね。 明日にしよう。
            あの人の字じゃない。 船は来るよ。 二度数えた。 燃やしてくれ。
            この道なら歩いたことがある。
            """
        ),
        closing="戸が静かに閉まり、物語はここで終わった。",
    ),
}


class CharacterProse:
    """Writes sentences of one language; a phrase is used again only after all others of its kind."""

    def __init__(self, tongue: Tongue, texts: Sequence[BookText], seed: int) -> None:
        self._tongue = tongue
        self._random = random.Random(seed)
        self._bags = Bags(self._random)
        self._names = _names(texts, tongue)

    def passage(self, wanted: int, *, after: str = "", ending: bool = False) -> str:
        """Paragraphs of ``wanted`` characters, signs not counted."""
        closing = self._tongue.closing if ending and wanted > 2 * _TAIL else ""
        left = wanted - count_words(closing)
        paragraphs: list[str] = []
        while left > 2 * _TAIL:
            size = self._random.choice(_SENTENCES_OF_A_PARAGRAPH)
            paragraph = "".join(self.sentence() for _ in range(size))
            if (length := count_words(paragraph)) > left - _TAIL:
                break
            paragraphs.append(paragraph)
            left -= length
        return "\n\n".join(filter(None, (*paragraphs, self._exactly(left), closing)))

    def sentence(self, rule: str = "", **bound: str) -> str:
        """One sentence; of the rules of the English grammar it knows none but ``closing``."""
        if rule == "closing":
            return self._tongue.closing
        fields = ("time", "place", "deed", "saying")
        hero, other = self._random.sample(self._names, 2)
        pattern = self._draw("patterns")
        drawn = {field: self._draw(f"{field}s") for field in fields if f"{{{field}}}" in pattern}
        return pattern.format(hero=hero, other=other, **drawn)

    @staticmethod
    def chapter(number: int) -> str:
        """The name of a chapter, the same in both languages."""
        return f"第{number}章"

    def rework(self, passage: str, instruction: str) -> str:
        """The passage without its last sentence if it shall be shorter, else with one more."""
        text = passage.strip()
        sentences = _SENTENCES.findall(text)
        if len(sentences) > 1 and re.search(r"short|短|简|簡", instruction, re.IGNORECASE):
            return "".join(sentences[:-1]).rstrip()
        return text + self.sentence()

    def _exactly(self, characters: int) -> str:
        """Sentences of so many characters; where none fit, one is cut."""
        candidates = list(dict.fromkeys(self.sentence() for _ in range(_CANDIDATES)))
        if (chosen := of_exactly(candidates, characters)) is not None:
            return "".join(chosen)
        signs = re.sub(r"\W", "", "".join(candidates))
        return f"{signs[:characters]}。" if characters > 0 else ""

    def _draw(self, kind: str) -> str:
        choices: tuple[str, ...] = getattr(self._tongue, kind)
        return self._bags.draw(kind, choices)


def _names(texts: Sequence[BookText], tongue: Tongue) -> list[str]:
    """At least two names, those of Characters.md first."""
    return list(dict.fromkeys([*_written_down(texts), *tongue.names]))[:4]


def _written_down(texts: Sequence[BookText]) -> Iterator[str]:
    for text in texts:
        if text.name == "Characters.md":
            yield from (name for name in _NAMED_LINE.findall(text.text) if name not in _NOT_NAMES)
