"""The line under a tensor: facts that its printed form omits, as a comment."""

from tensh.show.drawing.blocks import sparkline
from tensh.show.drawing.text import cells, comment
from tensh.show.printed.whole import is_summarised
from tensh.show.reading import describe
from tensh.show.reading.measures import SAMPLE, counts, range_of, statistics, trouble
from tensh.support.language import _, count

LONGEST_NAME = 30  # columns of an expression
BINS = 24  # bars of a sparkline


def caption(value, expression, page, whole="%full {}"):
    """Return (kind, text) pairs of the comment; [] for a value that is not a tensor.

    Separate lines state what a summary omits: the distribution of the values, values that are missing, and how to see
    the `whole`.
    """
    if not describe.is_tensor(value):
        return []
    found = statistics(value) if describe.numel(value) and describe.is_dense(value) else None
    head = describe.brief(value)
    longest = min(LONGEST_NAME, page.width - len(head) - len("#   "))
    if expression and cells(expression) <= longest and "\n" not in expression:
        head = f"{expression}  {head}"
    end = ("note", "\n")
    facts = [f"{head} {describe.device(value)}".rstrip(), *(trouble(found) if found else ())]
    facts += [*history(value), describe.size(value)]
    if not found or not is_summarised(value):
        return [*comment(facts, page), end]
    name = expression if expression.isidentifier() else "_"
    lines = [*comment([*facts, number_of(found)], page), end]
    for facts in (
        describe_values(value, found, page),
        [*list_absent(found), _("{command} shows all").format(command=whole.format(name))],
    ):
        lines += [*comment(facts, page, "#   "), end]
    return lines


def history(tensor):
    """Describe the place of the tensor in a graph: a leaf or made by an operation, and the state of its gradient."""
    maker = describe.describe_origin(tensor)
    yield _("leaf") if maker is None else _("made by {maker}").format(maker=maker)
    if tensor.requires_grad:
        yield _("grad {state}").format(state=describe.grad_state(tensor))


def number_of(found):
    """Write the number of values, or of those sampled."""
    about = _("a sample of ") if found.is_sample else ""
    return about + count(found.finite, "finite value" if found.finite < found.count else "value")


def describe_values(value, found, page):
    """Describe the distribution of the values: a small histogram, their range, mean and deviation."""
    if found.is_bool:
        true = round(found.mean * found.count)
        yield _("{true:,} True").format(true=true)
        yield _("{count:,} False").format(count=found.count - true)
        return
    if found.low is None:
        yield _("no finite value") if found.count else _("no elements")
        return
    if found.low < found.high:
        bins = min(BINS, max(page.width - 40, 8)) if page.is_window else BINS
        yield sparkline(counts(value, found.low, found.high, bins, SAMPLE), page.unicode)
    yield _("absolute values {range}").format(range=range_of(found)) if found.is_complex else range_of(found)
    if found.low < found.high:
        yield _("mean {mean}").format(mean=describe.number(found.mean))
        yield _("std {std}").format(std=describe.number(found.std))


def list_absent(found):
    """Name the kinds of special values that could occur and do not."""
    kinds = [("NaN", found.nans), ("inf", found.infinities)] if not found.is_whole else []
    kinds += [(_("zero"), found.zeros)] if not found.is_bool and found.low is not None else []
    none = [word for word, number in kinds if not number]
    if none:
        yield ", ".join(_("no {word}").format(word=word) for word in none)
