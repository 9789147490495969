"""The printed form of a masked tensor: elements that do not count are two dashes."""

WIDTH = 8  # of a number with four decimals, and of the dashes in its place


def text(data, mask):
    """``MaskedTensor(...)`` with all elements."""
    if not data.ndim:
        return f"MaskedTensor({element(data) if mask else '--'}, {bool(mask)})"
    return f"MaskedTensor(\n{indented(rows(data, mask))}\n)"


def rows(data, mask):
    """The elements in brackets, a row of the last dimension on each line."""
    if data.ndim == 1:
        found = [(element(each), bool(counts)) for each, counts in zip(data, mask)]
        width = max([WIDTH, *(len(number) for number, counts in found if counts)])
        return f"[{', '.join(number if counts else '--'.rjust(width) for number, counts in found)}]"
    return "[\n" + ",\n".join(indented(rows(*each)) for each in zip(data, mask)) + "\n]"


def element(number):
    value = number.item()
    return f"{value:{WIDTH}.4f}" if isinstance(value, float) else str(value)


def indented(text):
    return "\n".join(f"  {line}" for line in text.split("\n"))
