"""Line charts as SVG inside a page, by pygal. The style sheet gives the colours, so that they follow the theme."""

# pygal ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

_UNWANTED = frozenset({"script", "style", "defs", "desc"})
_MOST_LABELS = 7
"""Most labels below the axis; more would overlap on a phone."""


def line_chart(
    labels: Sequence[str],
    lines: Mapping[str, Sequence[float | None]],
    *,
    highest: float,
    marks: tuple[str, Sequence[bool]] = ("", ()),
) -> Markup:
    """A chart of lines over the same labels, from 0 to `highest`. It runs no script and has no style of its own.

    `marks` say what happened at some labels: dots at the top, without a line.
    """
    from pygal import Line  # noqa: PLC0415 takes a third of a second, and only pages with charts need it
    from pygal.style import Style  # noqa: PLC0415 for the reason above

    chart: Any = Line(
        range=(0, highest), show_legend=len(lines) > 1, legend_at_bottom=True, dots_size=2.5, width=600, height=340,
        margin=6, margin_right=24, margin_left=24, explicit_size=False, show_minor_x_labels=False, js=[], css=[],
        disable_xml_declaration=True, truncate_label=-1,
        # room for the letters of a phone, which the style sheet makes large
        style=Style(label_font_size=18, major_label_font_size=18, legend_font_size=18),
    )  # fmt: skip
    chart.x_labels = list(labels)
    # counted from the end: the newest day is what people look for
    chart.x_labels_major = list(labels)[:: -max(1, -(-len(labels) // _MOST_LABELS))][::-1]
    chart.y_labels = [highest * quarter / 4 for quarter in range(5)]
    for name, values in lines.items():
        chart.add(name, list(values))
    event, happened = marks
    if any(happened):
        chart.add(event, [highest if each else None for each in happened], stroke=False, dots_size=6)
    return _shown(chart, [*lines, *([event] if any(happened) else [])])


def _shown(chart: Any, named: Sequence[str]) -> Markup:
    tree = ElementTree.fromstring(chart.render())  # noqa: S314 our own output
    _clean(tree)
    tree.set("class", "chart")
    tree.set("role", "img")
    tree.set("aria-label", f"{', '.join(named)}: the table below has the numbers")
    tree.attrib.pop("id", None)
    # a namespace prefix on each element would not be SVG within HTML
    ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
    return Markup(ElementTree.tostring(tree, encoding="unicode"))  # noqa: S704 the tree escapes its texts


def _clean(parent: ElementTree.Element) -> None:
    """Removes scripts, styles and what only a script would show."""
    for child in list(parent):
        name = child.tag.rpartition("}")[2]
        classes = child.get("class", "").split()
        if name in _UNWANTED or "tooltip" in classes or "tooltip-overlay" in classes:
            parent.remove(child)
            continue
        child.attrib.pop("style", None)
        _clean(child)


def sparkline(values: Sequence[float | None], *, width: float = 100.0, height: float = 24.0) -> str:
    """The path of a line of values from 0 to 1; it has a gap where a value is missing.

    >>> sparkline([1.0, None, 0.0, 0.5])
    'M0.0 1.0h0.1M66.7 23.0L100.0 12.0'
    """
    step = width / max(1, len(values) - 1)
    path: list[str] = []
    for place, value in enumerate(values):
        if value is None:
            continue
        point = f"{place * step:.1f} {height - 1 - (height - 2) * value:.1f}"
        joined = place > 0 and values[place - 1] is not None
        alone = not joined and (place + 1 == len(values) or values[place + 1] is None)
        path.append(f"{'L' if joined else 'M'}{point}{'h0.1' if alone else ''}")
    return "".join(path)


def upright_lines(places: Sequence[bool], *, width: float = 100.0, height: float = 24.0) -> str:
    """The path of a line from bottom to top of a sparkline at each place that is true.

    >>> upright_lines([False, True, False])
    'M50.0 0v24'
    """
    step = width / max(1, len(places) - 1)
    return "".join(f"M{place * step:.1f} 0v{height:g}" for place, marked in enumerate(places) if marked)
