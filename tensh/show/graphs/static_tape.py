"""The tape of a captured program: a line for each step, before and after optimization."""

from tensh.compiler.programs.notes import words_of
from tensh.compiler.programs.passes import FUSED
from tensh.compiler.programs.steps import EFFECT, VIEW, Var
from tensh.graph import tokens
from tensh.graph.counting import count_steps
from tensh.show.drawing.text import pad
from tensh.show.graphs.static_graph import dtype_of
from tensh.show.reading.describe import amount
from tensh.support.language import _

WIDEST = 40  # columns
KINDS = ("margin", "name", "plain", "plain", "number", "number")  # kinds of the columns before the code
BYTES = 4  # the first column of bytes


def write_tape(program, width=None):
    """Yield the lines of all passes, before and after."""
    for title, passes in ((_("captured"), program.before), (_("optimized"), program.after)):
        for name, steps in zip(("", _(", backward")), passes, strict=True):
            if not name:
                numbers = {}
            if steps or not name:
                yield [("keyword", title + name)]
                yield from write_steps(steps, numbers, width)
                yield [("plain", "")]
    yield [("note", summarize(program))]


def write_steps(steps, numbers, width=None):
    """Yield the steps of a pass; ``numbers`` (variable -> its number) grows.

    In a window that is narrower than the columns, those of bytes and code too long for the line stand below it.
    """
    for step in steps:
        for part in getattr(step, "steps", [step]):
            for out in part.outs:
                numbers[out] = f"%{len(numbers) + 1}"
    rows = []
    for step in steps:
        if step.kind == FUSED:
            title = _("fused: {steps} steps, block by block").format(steps=len(step.steps))
            rows += [("", title, "", "", *describe_traffic(step), "")]
            rows += [row_of(part, numbers, "  ") for part in step.steps]
        else:
            rows.append(row_of(step, numbers))
    widths = [min(max((tokens.width(row[i]) for row in rows), default=0), WIDEST) for i in range(len(KINDS))]
    for row in rows:
        yield from lay_out(row, widths, width)


def lay_out(row, widths, width=None):
    """Yield the lines of a row: one, or in a window narrower than that, further ones for bytes and code."""
    texts = [pad(tokens.shorten(text, WIDEST), column) for text, column in zip(row, widths, strict=False)]
    line = [("plain", "  "), *((kind, f"{text}  ") for kind, text in zip(KINDS, texts, strict=True))]
    code, start = ("note", row[-1]), 2 + sum(each + 2 for each in widths)
    fits = width is None or start <= width
    if width is None or (fits and start + tokens.width(row[-1]) < width):
        yield [*line, code]
        return
    beside = 1 + (len(KINDS) if fits else BYTES)
    yield line[:beside]
    below, indent = line[beside:], 4 + widths[0] + 2
    is_one = indent + sum(tokens.width(text) for _kind, text in [*below, code]) < width
    for part in [[*below, code]] if is_one else [below, [code]]:
        if any(text.strip() for _kind, text in part):
            yield [("plain", " " * indent), *part]


def row_of(step, numbers, indent=""):
    """Return (numbers, call, shape, dtype, bytes read, bytes written, the user's code) of a step."""
    given = [text_of(each, numbers) for each in step.args]
    out = step.outs[0] if step.outs else None
    own = ", ".join(numbers[each] for each in step.outs)
    bytes_ = ("", "") if indent else describe_traffic(step)
    shape = "" if out is None else f"[{', '.join(map(str, out.shape))}]"
    return (
        own,
        f"{indent}{step.name}({', '.join(given)})",
        shape,
        "" if out is None else dtype_of(out),
        *bytes_,
        words_of(step) or "",
    )


def text_of(value, numbers):
    if isinstance(value, (tuple, list)):
        text = ", ".join(text_of(each, numbers) for each in value)
        return f"[{text}]" if isinstance(value, list) else f"({text}{',' * (len(value) == 1)})"
    if isinstance(value, Var):
        return numbers.get(value) or value.label or value.name or "_"
    if hasattr(value, "shape") and not value.shape:
        return str(value)
    return "..." if hasattr(value, "shape") else str(value)


def describe_traffic(step):
    """Return (bytes read, bytes written) by a step, as texts; a view reads and writes nothing."""
    read, written = count_bytes(step)
    return (
        _("reads {amount}").format(amount=amount(read)) if read else "",
        _("writes {amount}").format(amount=amount(written)) if written else "",
    )


def count_bytes(step):
    if step.kind == VIEW:
        return 0, 0
    if step.kind == EFFECT:
        inputs = step.inputs
        return sum(each.nbytes for each in inputs), inputs[0].nbytes if inputs else 0
    return sum(each.nbytes for each in step.inputs), sum(each.nbytes for each in step.outs)


def summarize(program):
    """Count the lines before and after, and the bytes they move."""
    texts = []
    for title, passes in ((_("captured"), program.before), (_("optimized"), program.after)):
        steps = [*passes[0], *passes[1]]
        moved = sum(sum(count_bytes(step)) for step in steps)
        parts = {"title": title, "steps": count_steps(len(steps)), "amount": amount(moved)}
        texts.append(_("{title}: {steps}, {amount} moved").format(**parts))
    groups = [step for steps in program.after for step in steps if step.kind == FUSED]
    fused = sum(len(step.steps) for step in groups)
    more = [_("{fused} fused into {groups}").format(fused=fused, groups=len(groups))] if groups else []
    more += [_("{merged} common").format(merged=program.merged)] if program.merged else []
    more += [_("{folded} folded").format(folded=program.folded)] if program.folded else []
    return "; ".join([*texts, *more])
