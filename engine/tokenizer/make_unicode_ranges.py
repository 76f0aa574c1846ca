#!/usr/bin/env python3
"""Writes unicode_ranges.inc: the character classes that pre-tokenizers tell apart, from Python's Unicode database.

    python3 engine/tokenizer/make_unicode_ranges.py > engine/tokenizer/unicode_ranges.inc

One entry per run of code points of one class: (first code point << 4) | class, the classes of char_class.h.
"""
import sys
import unicodedata

OTHER, UPPER, LOWER, CASELESS, MARK, NUMBER, SPACE, NEWLINE, PUNCTUATION, SYMBOL = range(10)


def class_of(code_point):
    if code_point in (0x0A, 0x0D):
        return NEWLINE
    if 0x09 <= code_point <= 0x0D or code_point == 0x85:
        return SPACE
    category = unicodedata.category(chr(code_point))
    if category in ("Lu", "Lt"):
        return UPPER
    if category == "Ll":
        return LOWER
    return {"L": CASELESS, "M": MARK, "N": NUMBER, "Z": SPACE, "P": PUNCTUATION, "S": SYMBOL}.get(category[0], OTHER)


def main():
    entries = []
    last = None
    for code_point in range(0x110000):
        now = class_of(code_point)
        if now != last:
            entries.append((code_point << 4) | now)
            last = now
    print(f"// Unicode {unicodedata.unidata_version}. Written by make_unicode_ranges.py.")
    line = ""
    for entry in entries:
        item = f"{entry:#x},"
        if len(line) + len(item) + 1 > 118:
            print(line)
            line = ""
        line = f"{line} {item}" if line else item
    print(line)
    print(f"{len(entries)} ranges", file=sys.stderr)


if __name__ == "__main__":
    main()
