"""Charts as inline SVG: no script, no outside resource."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ossia_evaluation.compare import Comparison, FrameworkSummary

_ROW = 34
_LEFT = 200
_WIDTH = 590


def success_chart(result: Comparison) -> str:
    """Return a dot with its 95 % interval for every framework, on one axis from 0 to 1."""
    height = _ROW * len(result.frameworks) + 40
    parts = [_axis(height - 30)]
    for index, line in enumerate(result.frameworks):
        value = line.success.value
        y = 20 + index * _ROW
        parts.append(_label(result.label(line), y))
        if value is None:
            parts.append(f'<text x="{_LEFT + 8}" y="{y + 4}">no valid episode</text>')
            continue
        low, high = _x(line.success.low), _x(line.success.high)
        parts.append(
            f'<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}"/>'
            f'<circle class="dot" cx="{_x(value):.1f}" cy="{y}" r="5"/>'
            f'<text x="{high + 8:.1f}" y="{y + 4}">{value:.2f}</text>'
        )
    return _svg(height, parts, "Success with 95 % interval by framework")


def time_chart(result: Comparison) -> str:
    """Return bars of median latency with the 95th percentile as a mark, or those of throughput."""
    if not any(line.latency_p50_s for line in result.frameworks):
        return _throughput_chart(result)
    lines = [line for line in result.frameworks if line.latency_p95_s is not None]
    largest = max((line.latency_p95_s or 0.0 for line in lines), default=0.0) or 1.0
    height = _ROW * len(lines) + 10
    parts: list[str] = []
    for index, line in enumerate(lines):
        parts.extend(_bar(result.label(line), line, 20 + index * _ROW, largest))
    return _svg(height, parts, "Latency of an episode: median bar, 95th percentile mark")


def _throughput_chart(result: Comparison) -> str:
    rates = [(result.label(line), line.throughput_per_min or 0.0) for line in result.frameworks]
    largest = max((rate for _, rate in rates), default=0.0) or 1.0
    parts: list[str] = []
    for index, (label, rate) in enumerate(rates):
        y, end = 20 + index * _ROW, _x(rate / largest)
        parts += (
            _label(label, y),
            f'<rect class="bar" x="{_LEFT}" y="{y - 8}" width="{end - _LEFT:.1f}" height="16"/>',
            f'<text x="{end + 8:.1f}" y="{y + 4}">{f"{rate:,.0f} / min" if rate else "-"}</text>',
        )
    return _svg(_ROW * len(rates) + 10, parts, "Throughput: episodes a minute")


def _bar(label: str, line: FrameworkSummary, y: int, largest: float) -> Sequence[str]:
    median, high = line.latency_p50_s or 0.0, line.latency_p95_s or 0.0
    width, mark = _x(median / largest) - _LEFT, _x(high / largest)
    return (
        _label(label, y),
        f'<rect class="bar" x="{_LEFT}" y="{y - 8}" width="{width:.1f}" height="16"/>',
        f'<line class="whisker" x1="{mark:.1f}" x2="{mark:.1f}" y1="{y - 10}" y2="{y + 10}"/>',
        f'<text x="{mark + 8:.1f}" y="{y + 4}">{median:.2f} s, p95 {high:.2f} s</text>',
    )


def _axis(y: int) -> str:
    return "".join(
        f'<line class="grid" x1="{_x(t / 5):.1f}" x2="{_x(t / 5):.1f}" y1="4" y2="{y}"/>'
        f'<text class="tick" x="{_x(t / 5):.1f}" y="{y + 16}">{t / 5:.1f}</text>'
        for t in range(6)
    )


def _label(text: str, y: int) -> str:
    return f'<text class="name" x="{_LEFT - 10}" y="{y + 4}">{escape(text)}</text>'


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - 10)


def _svg(height: int, parts: Sequence[str], title: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH + 160} {height}" role="img" width="{_WIDTH + 160}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )
