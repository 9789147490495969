"""The tensors in a list, a tuple or a dict, one per line: `contents`."""

from collections import OrderedDict, defaultdict

from tensh.show.drawing.page import View
from tensh.show.drawing.text import cells, one_line, pad, shorten
from tensh.show.reading import describe
from tensh.show.reading.reprs import is_bounded, parts, safe_repr, write_repr
from tensh.support.escaping import visible_line
from tensh.support.language import _, count

MOST_ITEMS = 3  # tensors of a container shown in full
WIDEST = 80  # columns of a container's text shown in full
DEEPEST = 4  # nested containers
MOST_LINES = 200  # items shown


class Contents(View):
    """The items of a container: for each tensor its shape, dtype, size and distribution."""

    def __init__(self, value):
        self.value = value

    @property
    def rows(self):
        """Return (indent, name, facts) for each item, containers before their items; `name` is how to access the item."""
        return [*_rows(self.value, "", 0)]

    def draw(self, page):
        yield "title", heading(self.value)
        rows = self.rows
        shown = rows[:MOST_LINES]
        names = max((indent * 2 + cells(name) for indent, name, _ in shown), default=0)
        names = min(names, max(page.width // 2, 12))
        room = page.width - names - 2 if page.is_window else None
        widths = fit_columns([facts for _, _, facts in shown if len(facts) > 1], room)
        for indent, name, facts in shown:
            begin = "  " * (indent + 1) + shorten(name, names - indent * 2, page.unicode)
            yield "name", "\n" + pad(begin, names + 2)
            if len(facts) > 1:
                texts = "".join("  " + pad(text, width) for text, width in zip(facts, widths, strict=False))
                yield "trouble" if "NaN" in texts or "inf" in texts else "plain", texts.rstrip()
            else:
                text = facts[0] if room is None else shorten(facts[0], room - 2, page.unicode)
                yield "plain", "  " + text
        if len(rows) > MOST_LINES:
            yield "note", "\n  " + _("... {number} more").format(number=len(rows) - MOST_LINES)


def fit_columns(rows, room):
    """Return the widths of the columns that fit, most important first; None fits all."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    while room is not None and len(widths) > 1 and sum(widths) + 2 * len(widths) > room:
        widths.pop()
    return widths


def heading(value):
    """Describe a container: `dict of 4 tensors, 101,770 values, 397.5 KiB`."""
    arrays = {id(each): each for each in _arrays(value, 0)}.values()
    kind = type(value).__name__
    held = [item for _name, item in items(value)]
    if not all(map(describe.is_array, held)):
        found = count(len(arrays), "tensor")
        return _("{kind} of {count}, {found} in it").format(kind=kind, count=count(len(held), "item"), found=found)
    numbers = sum(map(describe.numel, arrays))
    whole = describe.amount(sum(map(describe.nbytes, arrays)))
    return _("{kind} of {tensors}, {values}, {size}").format(
        kind=kind, tensors=count(len(held), "tensor"), values=count(numbers, "value"), size=whole
    )


def items(value):
    """Return (name, item) for each item of a container."""
    if issubclass(type(value), dict):
        return [(visible_line(safe_repr(name)), item) for name, item in dict.items(value)]
    names = getattr(value, "_fields", None)
    return [(names[index] if names else f"[{index}]", item) for index, item in enumerate(parts(value))]


def _rows(value, name, indent):
    for own, item in items(value):
        if describe.is_array(item):
            yield indent, own, _facts(item)
        elif is_container(item) and indent < DEEPEST and any(True for _ in _arrays(item, 0)):
            yield indent, own, (heading(item),)
            yield from _rows(item, own, indent + 1)
        else:
            yield indent, own, (one_line(safe_repr(item)),)


def _facts(array):
    """Describe an array, most important facts first."""
    history = "requires_grad" if getattr(array, "requires_grad", False) else ""
    return describe.shape(array), describe.dtype(array), values(array), describe.size(array), history


def values(array):
    """Describe the distribution of an array's values."""
    from tensh.show.reading.measures import range_of, statistics, trouble

    try:
        found = statistics(array)
    except TypeError:  # a NumPy array of objects
        return ""
    if found.count == 1 and found.low is not None:
        return describe.number(int(found.low) if found.is_whole else found.low)
    return ", ".join(
        [text.partition(" (")[0] for _, text in trouble(found)] + [range_of(found)] * (found.low is not None)
    )


def is_container(value):
    """Return True if a value is a list, tuple or dict that prints as such, or of a subclass that only fills one."""
    kind = type(value)
    return issubclass(kind, list | tuple | dict) and kind.__repr__ in REPRS


REPRS = [kind.__repr__ for kind in (list, tuple, dict, OrderedDict, defaultdict)]


def _arrays(value, depth):
    """Yield all arrays in a container."""
    for _name, item in items(value):
        if describe.is_array(item):
            yield item
        elif is_container(item) and depth < DEEPEST:
            yield from _arrays(item, depth + 1)


def is_long(value):
    """Return True if a container of tensors is better shown by its contents than by its repr."""
    if not is_container(value) or not is_bounded(value):
        return False
    try:
        return has_much_to_show(value)
    except Exception:  # the user's repr, whose failure will be shown later
        return False


def has_much_to_show(value):
    """Return True if a container holds many tensors, or prints in lines that are too long."""
    arrays = []
    for array in _arrays(value, 0):
        arrays.append(array)
        if len(arrays) > MOST_ITEMS:
            return True
    return bool(arrays) and any(cells(line) > WIDEST for line in write_repr(value).split("\n"))


def contents(value):
    """List the tensors in a container, one per line, at any depth.

    >>> import tensh
    >>> tensh.show.contents({"w": tensh.ones(2, 3), "b": tensh.zeros(3)})
    dict of 2 tensors, 9 values, 36 B
      'w'  [2, 3]  float32  all 1  24 B
      'b'  [3]     float32  all 0  12 B
    """
    if not is_container(value):
        raise TypeError(
            _("contents(): expected a list, a tuple or a dict, not {name}").format(name=type(value).__name__)
        )
    return Contents(value)
