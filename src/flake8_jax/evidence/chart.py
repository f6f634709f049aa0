"""A chart of bars as SVG, readable on light and on dark pages."""

from collections.abc import Sequence
from html import escape

_STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #24292f }
.bar { fill: #8b949e } .own { fill: #2f81f7 } .target { stroke: #cf222e; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .bar { fill: #6e7681 } }
"""
_LEFT, _WIDTH, _ROW = 150, 430, 30


def bars(
    title: str, rows: Sequence[tuple[str, float]], own: str | None = None, target: float = 0
) -> str:
    """One bar for each row, from nothing; a line where the target of the own one is, if any."""
    longest = max(max(value for _, value in rows), target)
    height = 50 + _ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<text x="10" y="22" font-weight="bold">{escape(title)}</text>',
    ]
    for index, (name, value) in enumerate(rows):
        top, wide = 40 + index * _ROW, _WIDTH * value / longest
        kind = "own" if own in (name, None) else "bar"
        figure = f"{value:.2f}" if isinstance(value, float) else f"{value:,}"
        parts += [
            f'<text x="{_LEFT - 8}" y="{top + 15}" text-anchor="end">{escape(name)}</text>',
            f'<rect class="{kind}" x="{_LEFT}" y="{top}" width="{wide:.1f}" height="20" rx="2"/>',
            f'<text x="{_LEFT + wide + 8:.1f}" y="{top + 15}">{figure}</text>',
        ]
    if target:
        at = _LEFT + _WIDTH * target / longest
        line = f'x1="{at:.1f}" x2="{at:.1f}" y1="34" y2="{height - 10}"'
        parts.append(f'<line class="target" {line}/>')
    return "\n".join([*parts, "</svg>\n"])
