"""Draw the chart of speed in the README:  python tools/chart.py [FIGURES.json] [--check]

FIGURES.json holds ratios of times, ``{"workload": tensh / PyTorch}``, measured by the benchmark. Those in
the chart are kept in docs/speed.json, from which docs/_static/speed.svg is drawn. `--check` writes nothing and exits
with 1 if the chart is out of date.
"""

import argparse
import json
import math
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
FIGURES, CHART = DOCS / "speed.json", DOCS / "_static" / "speed.svg"

# workload -> its label in the chart
ROWS = {
    "mul_recorded": "multiply two small tensors, recorded",
    "chain_100": "100 small operations and their backward pass",
    "linear_regression_step": "training step, linear regression",
    "mlp_tiny_step": "training step, small network",
    "mlp_mnist_step": "training step, network on 28 x 28 images",
    "add_large": "add large tensors",
    "exp_large": "exponential of a large tensor",
    "sort_large": "sort a large tensor",
    "matmul_large": "multiply large matrices",
    "sum_large": "sum of a large tensor",
    "softmax_large": "softmax of a large matrix",
    "backward_large": "backward pass over large tensors",
    "conv2d_forward": "convolution",
    "conv2d_backward": "convolution and its backward pass",
}
WIDTH, ROW, TOP, LEFT = 820, 24, 54, 390
LIMIT = 6  # the ratio at the ends of the axis
FASTER, SLOWER = "#3b82f6", "#d97706"


def place(ratio):
    """Return the horizontal position of a ratio: logarithmic, with 1 in the middle."""
    middle = (LEFT + WIDTH - 60) / 2
    return middle + (WIDTH - 60 - LEFT) / 2 * max(-1, min(1, math.log(ratio) / math.log(LIMIT)))


def format_ratio(ratio):
    return f"{1 / ratio:.1f} × faster" if ratio < 0.95 else f"{ratio:.1f} × slower" if ratio > 1.05 else "even"


def draw_row(number, label, ratio):
    y, one, end = TOP + number * ROW, place(1), place(ratio)
    side = ("end", min(end, one) - 5) if ratio <= 1 else ("start", max(end, one) + 5)
    return (
        f'<text x="{LEFT - 75}" y="{y + 15}" text-anchor="end">{label}</text>'
        f'<rect x="{min(one, end):.1f}" y="{y + 5}" width="{max(abs(end - one), 1):.1f}" height="{ROW - 10}" rx="2" '
        f'fill="{FASTER if ratio <= 1 else SLOWER}"/>'
        f'<text class="figure" x="{side[1]:.1f}" y="{y + 15}" text-anchor="{side[0]}">{format_ratio(ratio)}</text>'
    )


def draw(figures):
    """Return the chart as SVG."""
    known = [(label, figures[name]) for name, label in ROWS.items() if name in figures]
    height = TOP + len(known) * ROW + 16
    one = f"{place(1):.1f}"
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {height}" xmlns="http://www.w3.org/2000/svg" role="img">',
        "<title>Time of tensh against PyTorch</title>",
        "<style>text { font: 13px system-ui, sans-serif; fill: #1f2937 } .figure { font-size: 11px; fill: #4b5563 }"
        " .head { font-weight: 600 }</style>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#f8fafc"/>',
        '<text class="head" x="20" y="28">Time of tensh against PyTorch on the CPU</text>',
        f'<text class="figure" x="{one}" y="46" text-anchor="middle">as fast as PyTorch</text>',
        f'<line x1="{one}" x2="{one}" y1="{TOP}" y2="{height - 12}" stroke="#94a3b8"/>',
        *(draw_row(number, *row) for number, row in enumerate(known)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("figures", nargs="?", help="take new figures from this file")
    parser.add_argument("--check", action="store_true", help="write nothing, exit with 1 if the chart is out of date")
    options = parser.parse_args(arguments)
    measured = json.loads(Path(options.figures or FIGURES).read_text(encoding="utf-8"))
    figures = {name: round(measured[name], 2) for name in ROWS if name in measured}
    chart = draw(figures)
    if options.check:
        return CHART.read_text(encoding="utf-8") != chart
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    CHART.write_text(chart, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
