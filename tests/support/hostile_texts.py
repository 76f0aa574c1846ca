"""tests/data/hostile_texts.txt for tests in Python: names and bytes of what a stranger may put where a text is expected."""
import os
import re

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "hostile_texts.txt")
NAMED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"\\": b"\\"}


def unescaped(text):
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda found: bytes([int(found[1][1:], 16)]) if found[1][:1] == b"x"
                  else NAMED[found[1]], text)


def hostile_texts():
    with open(FILE, "rb") as file:
        rows = [line.rstrip(b"\n").split(b"\t", 2) for line in file if not line.startswith(b"#")]
    return {name.decode(): unescaped(text) * int(times) for name, times, text in rows}
