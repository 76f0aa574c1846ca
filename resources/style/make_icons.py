#!/usr/bin/python3
"""Writes the few icons that the style sheet names by URL, once a theme, from the path data of tokens.json.

All other icons are drawn from the same path data at run time, in the colour of their text role.
"""

import argparse
import json
import pathlib

# Icon name to the colour role it has in the style sheet.
SHEET_ICONS = {"up": "ink2", "down": "ink2", "right": "ink2", "check": "onPrimary", "close": "ink2"}


def svg(path, colour, stroke):
    paint = f'fill="{colour}"' if path["fill"] else 'fill="none"'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="16" height="16">'
        f'<path d="{path["d"]}" {paint} stroke="{colour}" stroke-width="{stroke}" '
        'stroke-linecap="round" stroke-linejoin="round"/></svg>\n'
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tokens", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    tokens = json.loads(options.tokens.read_text(encoding="utf-8"))
    icons = tokens["icons"]
    for theme, values in tokens["theme"].items():
        folder = options.folder / theme
        folder.mkdir(parents=True, exist_ok=True)
        for name, role in SHEET_ICONS.items():
            text = svg(icons["paths"][name], values["colour"][role], icons["stroke"])
            (folder / f"{name}.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
