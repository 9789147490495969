"""Colours of values: blue for negative, orange for positive, distinguishable with every kind of colour vision."""

BELOW, ABOVE = (40, 110, 235), (255, 140, 20)
ZERO = {True: (24, 24, 28), False: (255, 255, 255)}  # on dark, on light backgrounds
MISSING = (220, 60, 200)


def signed_colour(part, is_dark):
    """Return the colour of a value between -1 and 1."""
    end, zero = ABOVE if part > 0 else BELOW, ZERO[is_dark]
    part = min(abs(part), 1.0) ** 0.7  # keeps small values visible
    return tuple(round(z + (e - z) * part) for z, e in zip(zero, end, strict=True))


def grey(part):
    """Return a grey between black (0) and white (1)."""
    level = round(255 * min(max(part, 0.0), 1.0))
    return level, level, level
