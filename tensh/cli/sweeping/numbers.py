"""Values as the numbers that a sweep reports."""

from tensh.show.reading.describe import is_array, is_tensor, numel

BITS = 63  # bits of a whole number


def number_of(value):
    """Return a value as one number: a Python number, or the element of a tensor or array of one; else None."""
    try:
        if is_tensor(value) or is_array(value) or type(value).__module__ == "numpy":
            value = value.item() if numel(value) == 1 else None
    except Exception:  # a class of the user's own, or a tensor without elements
        return None
    if type(value) is int and value.bit_length() > BITS:
        return float(value) if value.bit_length() < 1000 else None
    return value if type(value) in (bool, int, float) else None
