"""Text of unknown origin, made fit to be shown: in a message, a terminal or a log.

A file may contain whatever moves the cursor, colours the screen, turns the direction of writing or
cannot be seen at all. What is shown of it consists of characters that can be seen.
"""

import re

_LINE_END = re.compile(r"(\r?\n)")
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U000e0100-\U000e01ef]"
)
"""Characters that Unicode says may be ignored when they are shown, or that are blank, and that
Python calls printable all the same: fillers, which may stand in names, and selectors of variants,
which can carry a whole text."""


def printable(text: str) -> str:
    r"""The text with an escape such as ``\x1b`` or ``\u202e`` for each character unseen."""
    return text if _can_be_seen(text) else "".join(map(_shown, text))


def printable_lines(text: str) -> str:
    """The same for a text of several lines, whose line ends and tabs are kept."""
    if _can_be_seen(text):
        return text
    parts = _LINE_END.split(text)
    parts[::2] = ["\t".join(map(printable, part.split("\t"))) for part in parts[::2]]
    return "".join(parts)


def _can_be_seen(text: str) -> bool:
    return text.isprintable() and (text.isascii() or _BLANK.search(text) is None)


def _shown(character: str) -> str:
    if _can_be_seen(character):
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
