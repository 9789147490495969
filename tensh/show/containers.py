"""The tensors in a list, a tuple or a dict, a line each: `contents`."""

from collections import OrderedDict, defaultdict

from tensh.escaping import visible_line
from tensh.language import _, count
from tensh.show import describe
from tensh.show.page import View
from tensh.show.reprs import is_bounded, parts, safe_repr, write_repr
from tensh.show.text import cells, one_line, pad, shorten

MOST_ITEMS = 3  # tensors of a container that are shown in full
WIDEST = 80  # columns of the text of a container that is shown in full
DEEPEST = 4  # containers in containers
MOST_LINES = 200  # of items


class Contents(View):
    """The items of a container: for each tensor shape, dtype, size and how its values are spread."""

    def __init__(self, value):
        self.value = value

    @property
    def rows(self):
        """(indent, name, facts) of each item, containers before what they hold; `name` is how the item is reached."""
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
    """The widths of the columns for which there is room, the most important first; None is room for all."""
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
    """(name, item) of each item of a container."""
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
    """Describe an array, the most important first."""
    history = "requires_grad" if getattr(array, "requires_grad", False) else ""
    return describe.shape(array), describe.dtype(array), values(array), describe.size(array), history


def values(array):
    """Describe the distribution of an array's values, in a few words."""
    from tensh.show.measures import range_of, statistics, trouble

    try:
        found = statistics(array)
    except TypeError:  # an array of NumPy may hold anything
        return ""
    if found.count == 1 and found.low is not None:
        return describe.number(int(found.low) if found.is_whole else found.low)
    return ", ".join(
        [text.partition(" (")[0] for _, text in trouble(found)] + [range_of(found)] * (found.low is not None)
    )


def is_container(value):
    """True if a value is a list, tuple or dict that prints as such, or of a class that only fills one."""
    kind = type(value)
    return issubclass(kind, list | tuple | dict) and kind.__repr__ in REPRS


REPRS = [kind.__repr__ for kind in (list, tuple, dict, OrderedDict, defaultdict)]


def _arrays(value, depth):
    """All arrays in a container."""
    for _name, item in items(value):
        if describe.is_array(item):
            yield item
        elif is_container(item) and depth < DEEPEST:
            yield from _arrays(item, depth + 1)


def is_long(value):
    """True if a container of tensors is better shown as its contents than as Python writes it."""
    if not is_container(value) or not is_bounded(value):
        return False
    try:
        return has_much_to_show(value)
    except Exception:  # of the user's own repr, which the text will raise
        return False


def has_much_to_show(value):
    """True if a container holds many tensors, or is written in lines that are too long."""
    arrays = []
    for array in _arrays(value, 0):
        arrays.append(array)
        if len(arrays) > MOST_ITEMS:
            return True
    return bool(arrays) and any(cells(line) > WIDEST for line in write_repr(value).split("\n"))


def contents(value):
    """List the tensors in a container: a line for each, however deep they lie.

    >>> import tensh
    >>> tensh.show.contents({"w": tensh.ones(2, 3), "b": tensh.zeros(3)})
    dict of 2 tensors, 9 values, 36 B
      'w'  [2, 3]  float32  all 1  24 B
      'b'  [3]     float32  all 0  12 B
    """
    if not is_container(value):
        raise TypeError(
            _("contents(): a list, a tuple or a dict is needed, not {name}").format(name=type(value).__name__)
        )
    return Contents(value)
