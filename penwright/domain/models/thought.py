"""Thought that a model wrote into its reply, in the forms of its vendors; it is never text of the answer.

Sources: the chat templates of DeepSeek, Qwen, Magistral, Kimi, gpt-oss (harmony), Gemma, Command, Granite,
Sky-T1, Seed and Hunyuan, as their model cards give them.
"""

import re

_TAGS = "think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|seed:think|antml:thinking"
_CALLS = "tool_calls?|tool_use|tools?_call|function_calls?|invoke"
_PAIRS = (
    (rf"<(?P<tag>{_TAGS}|{_CALLS})(?:\s[^<>]*)?>", r"</{tag}\s*>"),
    (r"\[THINK\]", r"\[/THINK\]"),
    (r"◁think▷", r"◁/think▷"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|tool_calls?(?:_begin)?\|>", r"<\|/tool_calls?\|>|<\|tool_calls?_end\|>"),
    (r"<\|channel>thought\b", r"<channel\|>"),
    (
        r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<]*(?:<\|constrain\|>\w+)?<\|message\|>",
        r"<\|(?:end|call|return)\|>|(?=<\|start\|>)|(?=<\|channel\|>)",
    ),
    (r"\Aanalysis(?=[A-Z\s].*assistantfinal)", r"assistantfinal"),
    (r"\AHere(?: is|'s) my thought process:(?=.*my response:)", r"Here(?: is|'s) my response:"),
    (r"\A\[TOOL_CALLS\]", r"\Z"),
)
"""The beginning of a thought or a call in text, and its end, of which ``{tag}`` is the name that began it."""
_CODE = r"^(?P<fence>`{3,}|~{3,})[^\n]*\n(?s:.*?)^(?P=fence)[^\n]*$|(?P<ticks>`+)(?!`)[^\n]*?(?P=ticks)(?!`)"
_LOST_BEGINNING = rf"</(?:{_TAGS})\s*>|\[/THINK\]|◁/think▷|<\|END_THINKING\|>|<\|end_of_thought\|>"
"""The end of a thought whose beginning stood in the prompt, as templates of thinking models have it."""
_TOKEN = re.compile(
    "|".join(
        [
            f"(?P<code>{_CODE})",
            *(f"(?P<pair{number}>(?s:{beginning}))" for number, (beginning, _) in enumerate(_PAIRS)),
            f"(?P<lost>{_LOST_BEGINNING})",
        ]
    ),
    re.IGNORECASE | re.MULTILINE,
)
_WRAPPING = re.compile(
    r"<\|(?:START|END)_RESPONSE\|>|<\|(?:begin|end)_of_solution\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>final[^<]*<\|message\|>"
    r"|\A\s*(?:<s>|<\|im_start\|>assistant\b)"
)
_ENDS = (
    *("<|end|>", "<|return|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
    *("<|END_OF_TURN_TOKEN|>", "</s>", "<eos>", "<end_of_turn>", "[/INST]", "<｜end▁of▁sentence｜>"),
)
"""Marks by which a turn ends."""
_ANSWER = re.compile(r"\A\s*<(answer|response)>(.*)</\1>\s*\Z", re.DOTALL | re.IGNORECASE)
_MARK = re.compile(r"<(?!!--)|\[/?T|◁|\Aanalysis|\AHere", re.IGNORECASE)
_TAIL = re.compile(r"(?:<[|/\w:]*\|?|\[/?[A-Z_]*|◁/?\w*)\Z")
"""The last signs of an unfinished reply that may become a mark."""
_GAP = re.compile(r"\s*(?:\0\s*)+")


def without_thought(reply: str) -> str:
    """The reply without what the model thought or called in its text; a reply without either stays as it is.

    Marks inside of code are text. A thought without an end goes on to the end of the reply, if it begins a
    line; an end without a beginning makes all before it a thought.
    """
    if not _MARK.search(reply):
        return reply
    text = _WRAPPING.sub("", _without_ends(_joined(_kept(reply))))
    answer = _ANSWER.match(text)
    text = answer[2] if answer else text
    return reply if text == reply else text.strip()


def without_thought_so_far(reply: str) -> str:
    """As ``without_thought`` for a reply that still comes: what may become a mark is left out."""
    return without_thought(_TAIL.sub("", reply))


def _without_ends(text: str) -> str:
    """The text without the marks, and the blanks between them, by which its turn ends."""
    end = kept = len(text)
    while end:
        if text[end - 1].isspace():
            end -= 1
        elif mark := next((each for each in _ENDS if text.endswith(each, 0, end)), ""):
            end = kept = end - len(mark)
        else:
            break
    return text[:kept]


def _kept(text: str) -> list[str]:
    """The stretches between thoughts, in order."""
    kept: list[str] = []
    last_ends: dict[str, int] = {}
    start = position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        position = token.end()
        if token["lost"]:
            kept, start = [], position
        elif not token["code"] and (end := _end(token, start, last_ends)) is not None:
            kept.append(text[start : token.start()])
            start = position = end
    return [*kept, text[start:]]


def _end(token: re.Match[str], start: int, last_ends: dict[str, int]) -> int | None:
    """The end of the thought that begins with ``token``; None if it is none.

    ``start``: where the stretch before it begins. ``last_ends``: where the last end of each kind stands,
    filled here.
    """
    ending = _PAIRS[int((token.lastgroup or "").removeprefix("pair"))][1].format(
        tag=re.escape(token["tag"] or "")
    )
    closing = re.compile(ending, re.IGNORECASE)
    if ending not in last_ends:
        last_ends[ending] = max((each.start() for each in closing.finditer(token.string)), default=-1)
    if token.end() <= last_ends[ending]:
        found = closing.search(token.string, token.end())
        return found.end() if found else None
    return len(token.string) if token.start() == start or _begins_line(token) else None


def _begins_line(token: re.Match[str]) -> bool:
    position = token.start()
    while position and token.string[position - 1] in " \t":
        position -= 1
    return not position or token.string[position - 1] == "\n"


def _joined(kept: list[str]) -> str:
    """The stretches as one text; a gap that had a line end is one between paragraphs."""
    if len(kept) == 1:
        return kept[0]
    return _GAP.sub(_gap, "\0".join(kept))


def _gap(gap: re.Match[str]) -> str:
    if gap.start() == 0 or gap.end() == len(gap.string):
        return ""
    return "\n\n" if "\n" in gap[0] else " " if gap[0].strip("\0") else ""
