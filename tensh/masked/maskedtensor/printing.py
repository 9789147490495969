"""The printed form of a masked tensor, in which two dashes represent invalid elements."""

WIDTH = 8  # widths of a number with four decimals, and of the dashes that replace it


def format_tensor(data, mask):
    """Format ``MaskedTensor(...)`` with all elements."""
    if not data.ndim:
        return f"MaskedTensor({format_element(data) if mask else '--'}, {bool(mask)})"
    return f"MaskedTensor(\n{indent_lines(format_rows(data, mask))}\n)"


def format_rows(data, mask):
    """Format the elements in brackets, with a line for each row of the last dimension."""
    if data.ndim == 1:
        found = [(format_element(each), bool(counts)) for each, counts in zip(data, mask)]
        width = max([WIDTH, *(len(number) for number, counts in found if counts)])
        return f"[{', '.join(number if counts else '--'.rjust(width) for number, counts in found)}]"
    return "[\n" + ",\n".join(indent_lines(format_rows(*each)) for each in zip(data, mask)) + "\n]"


def format_element(number):
    value = number.item()
    return f"{value:{WIDTH}.4f}" if isinstance(value, float) else str(value)


def indent_lines(text):
    return "\n".join(f"  {line}" for line in text.split("\n"))
