"""Runs of words that two blocks share, in scripts with and without blanks."""

from penwright.domain.text.blocks import Block, blocks_of
from penwright.domain.trace.reports.echoes import echoes
from tests.support.each import for_each

CHINESE = (
    "潮水退去以后，码头上只剩下一只旧木箱。老人弯下腰，用冻僵的手指把绳结一个一个解开，里面是一盏没有油的灯。",
    "他记得那年冬天，渡船整整三天没有来。孩子们站在堤上数着远处的灯火，谁也不肯先回家去。",
    "磨坊主人说水位又涨了两尺，闸门得在天黑之前放下。没有人回答他，只有风吹过空荡荡的院子。",
    "信是从南边寄来的，纸上有盐的味道。她读了两遍，把它折好放进抽屉，第二天一早就收拾了行李。",
    "集市散了，卖鱼的女人把剩下的几条鱼送给了邻居。她说明天不来了，后天也许来，要看天气。",
    "灯塔看守人每天夜里记下经过的船只，二十年来没有漏过一次。昨晚的那一页却是空白的。",
)
COPIED = "老人弯下腰，用冻僵的手指把绳结一个一个解开"


def blocks(*texts: str) -> tuple[Block, ...]:
    return tuple(block for text in texts for block in blocks_of(text))


def shared(one: str, other: str) -> bool:
    asked, others = blocks(one), blocks(other)
    return any(len(run) > 1 for runs in echoes(asked, others).values() for run in runs)


@for_each("around", CHINESE[1:])
def test_words_that_were_copied_into_a_chinese_paragraph_are_found(around: str) -> None:
    first, rest = around[: len(around) // 2], around[len(around) // 2 :]

    assert shared(first + COPIED + rest, CHINESE[0])
    assert shared(first + COPIED.replace("，", "") + rest, CHINESE[0])


def test_chinese_paragraphs_of_their_own_share_nothing() -> None:
    pairs = [(one, other) for one in CHINESE for other in CHINESE if one != other]

    assert [pair for pair in pairs if shared(*pair)] == []


@for_each("phrase", ["他不知道该怎么办才好", "过了很长很长一段时间以后", "没有人知道这是为什么"])
def test_a_usual_turn_of_phrase_in_chinese_is_no_copy(phrase: str) -> None:
    assert not shared(f"{CHINESE[1][:20]}{phrase}，{CHINESE[2]}", f"{CHINESE[3]}{phrase}。{CHINESE[4]}")


@for_each(
    "words, copied",
    [("took the last boat home before the tide turned", True), ("took the last boat home", False)],
)
def test_eight_words_in_a_row_are_a_copy_in_english(words: str, copied: bool) -> None:
    one = f"Mara, who had waited since noon, {words}."

    assert shared(one, f"Nobody in Skerrow {words}, whatever was said of it.") is copied
