"""Comments that silence findings, merged with those that stand there."""

import re
import tokenize
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

_NOQA = re.compile(r"# noqa(?::\s?(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*))?", re.IGNORECASE)
"""What flake8 looks for; of two in one stretch it takes the first."""
_CODE = re.compile(r"[A-Z]+[0-9]+", re.IGNORECASE)


@dataclass(frozen=True)
class _Stretch:
    """Lines that are silenced together: one, or those of a string or with backslashes."""

    first: int
    last: int
    comment: tuple[int, int] | None
    """Where its comment begins: its line from 1, its column from 0."""


def silenced(lines: Sequence[str], found: Mapping[int, Collection[str]]) -> list[str]:
    """Some lines with comments that silence codes, by the lines that these are reported at."""
    result = list(lines)
    for stretch in list(_stretches(lines)):
        numbers = range(stretch.first, stretch.last + 1)
        codes = {code for number in numbers for code in found.get(number, ())}
        if codes:
            at, line = _with_comment(result, stretch, sorted(codes))
            result[at - 1] = line
    return result


def _with_comment(lines: Sequence[str], stretch: _Stretch, codes: Sequence[str]) -> tuple[int, str]:
    """A line of a stretch, by its number, that silences codes as well."""
    for number in range(stretch.first, stretch.last + 1):
        line = lines[number - 1]
        match = _NOQA.search(line)
        if match is not None:
            is_comment = stretch.comment is not None and (number, match.start()) >= stretch.comment
            return number, _merged(line, match, codes) if is_comment else line
    line = lines[stretch.last - 1]
    end = "\n" if line.endswith("\n") else ""
    return stretch.last, f"{line.rstrip()}  # noqa: {', '.join(codes)}{end}"


def _merged(line: str, match: "re.Match[str]", codes: Sequence[str]) -> str:
    """A line whose comment names more codes; one that names none silences all of them."""
    known = match["codes"]
    if known is None:
        return line
    named = {code.upper() for code in _CODE.findall(known)}
    missing = [code for code in codes if code not in named]
    at = match.end("codes")
    return line[:at] + "".join(f", {code}" for code in missing) + line[at:]


def _stretches(lines: Sequence[str]) -> Iterator[_Stretch]:
    first: int | None = None
    comment: tuple[int, int] | None = None
    for token in tokenize.generate_tokens(iter(lines).__next__):
        if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
            continue
        first = token.start[0] if first is None else first
        if token.type == tokenize.COMMENT:
            comment = token.start
        if token.type in (tokenize.NL, tokenize.NEWLINE):
            yield _Stretch(first, token.start[0], comment)
            first, comment = None, None
