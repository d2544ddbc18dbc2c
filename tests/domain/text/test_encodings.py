"""Encodings of texts that do not name theirs."""

from penwright.domain.text.encodings import decoded
from tests.support.each import for_each


@for_each(
    "encoding, text",
    [
        ("cp1252", "Müller"),
        ("cp1252", "@book{a, title={é}}"),
        ("cp1252", "Það var rigning, og enginn fór yfir ána; hún braut bréfið saman."),
        ("cp1250", "Voda stoupla a nikdo nepřešel řeku; složila dopis a pomalu šla k mostu."),
        ("cp1254", "Işık ve gölge, ağaçların şarkısı"),
        ("cp1257", "Vanduo pakilo ir niekas neperėjo upės; ji sulankstė laišką."),
        ("iso8859_2", "Łódź stała przy brzegu, a żółte światło gasło."),
        ("cp1255", "המים עלו ואיש לא חצה את הנהר."),
        ("koi8_r", "Вода поднялась, и никто не переправлялся через реку."),
        ("cp874", "บทที่ 1\n\nน้ำขึ้นและไม่มีใครข้ามแม่น้ำ\n"),
        ("cp932", "第一章　渡し\n\n「テスト」と彼は言った。～"),
        ("euc_jp", "第一章　渡し\n\n「テスト」と彼は言った。"),
        ("euc_kr", "강과 보의 역사"),
    ],
)
def test_a_text_is_read_in_the_encoding_that_makes_one_language_of_it(encoding: str, text: str) -> None:
    found = decoded(text.encode(encoding))

    assert found
    assert (found.text, found.encoding, found.guessed) == (text, encoding, True)


def test_a_broken_sign_among_sound_ones_leaves_the_text_in_utf8() -> None:
    found = decoded("Tür, Öl, Fuß, Maß, süß".encode()[:-1])

    assert found
    assert (found.text, found.said[:13]) == ("Tür, Öl, Fuß, Maß, sü\ufffd", "damaged UTF-8")
