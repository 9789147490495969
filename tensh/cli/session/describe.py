"""A value in a few words: what tells it from its neighbours, never its contents."""

LIBRARIES = ("torch", "tensh", "numpy")  # whose shape and dtype are facts, not code of the user that would run


def is_array(value):
    """Whether a value is a tensor or an array of a library we know."""
    return any(
        kind.__module__.partition(".")[0] in LIBRARIES and kind.__name__ in ("Tensor", "ndarray")
        for kind in type(value).__mro__
    )


def shape(value):
    """The shape of an array as it is written: [2, 3]."""
    return str(list(value.shape))


def dtype(value):
    return str(value.dtype).removeprefix("torch.")


def brief(value):
    """`[2, 3] float32` for an array, None for what has no shape."""
    return f"{shape(value)} {dtype(value)}" if is_array(value) else None


def size(value):
    """The number of bytes, with a unit."""
    amount = value.nbytes
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            return f"{amount} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024


def duration(seconds):
    """A time in the unit that suits it, to three digits."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"
