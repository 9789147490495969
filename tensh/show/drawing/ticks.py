"""The numbers on an axis: round values, and their places."""

import math

LEAST_POWER = -5  # power of the last digit that is written without an exponent
MOST_PLAIN = 1e6  # numbers of this size and above are written with an exponent
STEPS = (1, 2, 5)
SLACK = 1e-6  # part of a step: values of single precision lie that far from round ones


def ticks(low, high, most):
    """Return round numbers from `low` to `high`, at most `most` (at least 2) of them, and their texts.

    >>> from tensh.show.drawing.ticks import ticks
    >>> ticks(0.02, 1.06, 5)
    [(0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1.0')]
    """
    if not math.isfinite(high - low):
        return []
    numbers, step = next(
        (numbers, each) for each in steps(high - low) if len(numbers := whole_numbers(low / each, high / each)) <= most
    )
    power = math.floor(math.log10(step) + SLACK)
    return [(round(n * step, max(-power, 0)), write(n * step, power)) for n in numbers]


def whole_numbers(low, high):
    """Return the whole numbers from `low` to `high`, those that rounding has moved just outside included."""
    return range(math.ceil(low - SLACK), math.floor(high + SLACK) + 1)


def steps(width):
    """Yield round steps, from far too small to far too large for a width."""
    power = 10.0 ** (math.floor(math.log10(width)) - 2)
    while True:
        yield from (each * power for each in STEPS)
        power *= 10


def write(number, power):
    """Return a number down to the digit of a power of ten; large and tiny ones with an exponent."""
    if abs(number) < MOST_PLAIN and power >= LEAST_POWER:
        text = f"{number:.{max(-power, 0)}f}"
        return text.removeprefix("-") if not float(text) else text
    before = math.floor(math.log10(abs(number)) + SLACK) + 1 if number else 0
    return f"{number:.{max(before - power, 1)}g}"


def log_ticks(low, high, most):
    """Return the powers of ten between two logarithms, or round numbers where there are fewer than two."""
    powers = whole_numbers(low, high)
    if len(powers) < 2:
        return [(math.log10(number), text) for number, text in ticks(10**low, 10**high, most) if number > 0]
    every = -(-len(powers) // most)
    return [(power, f"{10.0**power:g}") for power in powers[::every]]


def place(number, low, high, count):
    """Return the number of the cell of `count` that a value falls into."""
    return min(max(int((number - low) / (high - low) * count), 0), count - 1)


def place_labels(marks, low, high, height):
    """Return the text beside each of `height` rows, from the top."""
    texts = [""] * height
    for number, text in marks:
        texts[height - 1 - place(number, low, high, height)] = text
    return texts


def below(marks, low, high, width):
    """Return the line below `width` columns: the texts, each under its place, as far as they do not touch."""
    line = ""
    for number, text in marks:
        start = max(place(number, low, high, width) - len(text) // 2, 0)
        if not line or start > len(line):
            line = line.ljust(start) + text
    return line
