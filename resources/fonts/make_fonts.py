#!/usr/bin/python3
"""Makes the fonts that are compiled into the program from the Debian packages fonts-inter and fonts-jetbrains-mono.

Two things are changed, and with them the family name. Digits: Qt 6.4 cannot switch font features on, and numbers
that change ten times a second must not move, so the tabular glyphs of the `tnum` feature take the place of the
default ones. Contextual alternates (`calt`): they turn the two characters "->" into an arrow; text that a server
sent is shown as it was sent, so the feature is taken out.
"""

import argparse

from fontTools.ttLib import TTFont


def tabular_glyphs(font):
    """The glyph pairs, default to tabular, of the `tnum` feature."""
    table = font["GSUB"].table
    pairs = {}
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag != "tnum":
            continue
        for index in record.Feature.LookupListIndex:
            for subtable in table.LookupList.Lookup[index].SubTable:
                pairs.update(getattr(subtable, "ExtSubTable", subtable).mapping)
    return pairs


def use_tabular_digits(font):
    pairs = tabular_glyphs(font)
    digits = [pairs[glyph] for glyph in map(font.getBestCmap().get, range(0x30, 0x3A))]
    widths = [font["hmtx"][glyph][0] for glyph in digits]
    # The interpolated weights are off by a rounding step; more than that would be another font.
    if max(widths) - min(widths) > font["head"].unitsPerEm / 500:
        raise SystemExit("the tnum digits of this font differ in width")
    for glyph in digits:
        font["hmtx"][glyph] = (max(widths), font["hmtx"][glyph][1])
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap.update({code: pairs[glyph] for code, glyph in table.cmap.items() if glyph in pairs})


def drop_contextual_alternates(font):
    for record in font["GSUB"].table.FeatureList.FeatureRecord:
        if record.FeatureTag == "calt":
            record.Feature.LookupListIndex = []
            record.Feature.LookupCount = 0


def rename(font, family, style):
    compact = family.replace(" ", "") + "-" + style.replace(" ", "")
    # Weights other than Regular and Bold are sub-families by the typographic names (16, 17), which Qt reads.
    plain = style == "Regular"
    names = {
        1: family if plain else f"{family} {style}",
        2: "Regular",
        3: compact,
        4: f"{family} {style}",
        6: compact,
        16: family,
        17: style,
    }
    table = font["name"]
    table.names = [entry for entry in table.names if entry.nameID not in (1, 2, 3, 4, 6, 7, 16, 17, 18, 21, 22)]
    for name_id, text in names.items():
        table.setName(text, name_id, 3, 1, 0x409)
    if "CFF " in font:
        cff = font["CFF "].cff
        cff.fontNames = [compact]
        cff.topDictIndex[0].FullName = f"{family} {style}"
        cff.topDictIndex[0].FamilyName = family


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--family", required=True)
    parser.add_argument("--style", required=True)
    parser.add_argument("--tabular-digits", action="store_true")
    options = parser.parse_args()

    font = TTFont(options.source, recalcTimestamp=False)
    if options.tabular_digits:
        use_tabular_digits(font)
    drop_contextual_alternates(font)
    rename(font, options.family, options.style)
    font.save(options.target)


if __name__ == "__main__":
    main()
