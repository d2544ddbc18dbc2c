"""Check a reader's copy of Penwright without Penwright: python3 verify_evidence.py FILE [FINGERPRINT]

Needs Python 3.9 or newer and the library "cryptography" (pip install cryptography). It reads the one file
and nothing else. It prints what was changed since the copy was signed, and whose key signed it.

Exit codes: 0 no byte was changed, and the key is the one that was named; 1 otherwise; 2 it could not run.

The copy is a page of HTML. Its last line is the seal: an element with JSON that has the public key, the
SHA-256 of all bytes before it, a name and the beginning of the SHA-256 of each line, and an Ed25519 signature
over all of that as canonical JSON (keys sorted, no blanks, UTF-8, and <, >, &, U+2028 and U+2029 as \\u
escapes).
"""

import base64
import difflib
import hashlib
import json
import sys

BEGIN, END = b'<script type="application/json" id="seal">', b"</script>\n"
FORMAT = "penwright-evidence/1"
SEAL = "the seal"


def canonical(value):
    """JSON in the one form that is signed."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode()


def split(content):
    """The bytes before the seal, and the seal as a dictionary; None if it is not as it was written."""
    start = content.rfind(b"\n", 0, len(content) - 1) + 1
    body, line = content[:start], content[start:]
    if not (line.startswith(BEGIN) and line.endswith(END)):
        return body, None
    try:
        seal = json.loads(line[len(BEGIN) : -len(END)])
        known = {name: seal[name] for name in ("digest", "format", "key", "lines", "signature")}
        texts = [known["digest"], known["key"], known["signature"]]
        texts += [text for pair in known["lines"] for text in pair]
        right = known["format"] == FORMAT and all(isinstance(each, str) for each in texts)
        right = right and all(len(pair) == 2 for pair in known["lines"])
        # One form only: no byte of the seal can differ and mean the same.
        for name in ("key", "signature"):
            again = base64.b64encode(base64.b64decode(known[name])).decode()
            right = right and again == known[name]
        return body, known if right and BEGIN + canonical(known) + END == line else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return body, None


def is_signed(seal):
    """Whether the key of the seal has signed what the seal says."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    said = {name: each for name, each in seal.items() if name != "signature"}
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(seal["key"]))
        key.verify(base64.b64decode(seal["signature"]), canonical(said))
    except (InvalidSignature, ValueError):
        return False
    return True


def changes(body, lines):
    """The names of the lines that are not as they were signed."""
    were = [short for _, short in lines]
    there = body.split(b"\n")
    are = [hashlib.sha256(line).hexdigest()[:12] for line in there[:-1]]
    for kind, begin, end in differences(were, are):
        if kind == "insert":
            yield f"something put in before {lines[begin][0]}" if begin < len(lines) else SEAL
        else:
            for name, _ in lines[begin:end]:
                yield name
    if there[-1]:
        yield SEAL


def differences(were, are):
    """Kind, begin and end of what differs; what both begin and end with is left out first, to be quick."""
    least, head, tail = min(len(were), len(are)), 0, 0
    while head < least and were[head] == are[head]:
        head += 1
    while tail < least - head and were[-1 - tail] == are[-1 - tail]:
        tail += 1
    ours, theirs = were[head : len(were) - tail], are[head : len(are) - tail]
    if len(ours) == len(theirs):
        for at, one in enumerate(ours):
            if one != theirs[at]:
                yield "replace", head + at, head + at + 1
        return
    for kind, begin, end, _, _ in difflib.SequenceMatcher(None, ours, theirs).get_opcodes():
        if kind != "equal":
            yield kind, head + begin, head + end


def check(content):
    """The names of what was changed, none if nothing was; and the fingerprint of the key, if it is read."""
    body, seal = split(content)
    if seal is None:
        return [SEAL], ""
    fingerprint = hashlib.sha256(base64.b64decode(seal["key"])).hexdigest()
    if not is_signed(seal):
        return [SEAL], fingerprint
    if hashlib.sha256(body).hexdigest() == seal["digest"]:
        return [], fingerprint
    return list(dict.fromkeys(changes(body, seal["lines"]))) or ["its lines"], fingerprint


def main(arguments):
    """Check the file that the arguments name; returns the exit code."""
    if not 1 <= len(arguments) <= 2 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 2
    try:
        with open(arguments[0], "rb") as file:
            changed, fingerprint = check(file.read())
    except (OSError, ImportError) as error:
        print(f"It could not be checked: {error}", file=sys.stderr)
        return 2
    for name in changed:
        print(f"changed: {name!r}")
    print(f"key: {fingerprint or 'cannot be read'}")
    expected = "".join(filter(str.isalnum, "".join(arguments[1:]))).lower()
    if len(arguments) == 2 and expected != fingerprint:
        print("The key is not the one that you named.")
        return 1
    if not changed:
        print(
            "Every byte is as it was signed." + ("" if expected else " Compare the key with the publisher's.")
        )
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
