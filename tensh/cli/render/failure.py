"""A failure as text: the message, the user's code with the failing part marked, then the callers."""

import traceback
from itertools import accumulate

from tensh.cli.render.code import quote
from tensh.show.drawing.text import cells, shorten, shorten_middle, wrap_lines
from tensh.show.reading import reprs
from tensh.show.reading.reprs import safe_str
from tensh.support.language import _

LONGEST_OPERAND = 40  # columns of an operand's code
INDENT = 8  # columns before the details of a failure
LEAST_WIDTH = 30  # narrowest window in which sentences are wrapped
LONGEST_LOCAL = 80  # columns for the other arrays of the function
MOST_CALLERS = 4  # callers shown at each end of a deep stack


def render_short(failure, shown=0, width=None):
    """Yield (kind, text) pairs for a failure, with the user's lines only.

    `shown` is the number of values shown before, `width` the width of the window.
    """
    yield from _head(failure, width)
    if failure.places:
        yield from quote(failure.places[0], failing=True, window=width)
    if failure.explanation:
        is_single = bool(failure.places) and len(failure.places[0].source.lines) == 1
        yield from render_explanation(failure.explanation, width, is_single)
    elif failure.operands:
        yield (
            "note",
            "        "
            + ", ".join(_("{name} is {text}").format(name=each.name, text=each.text) for each in failure.operands)
            + "\n",
        )
    yield from render_locals(failure)
    yield from describe_turn(failure.explanation, shown)
    if failure.suggestion:
        yield "note", f"        {describe_suggestion(failure.suggestion)}\n"
    for note in failure.notes:
        yield "plain", "".join(f"  {line}\n" for line in shorten_middle(note).split("\n"))
    if failure.inside:
        yield "note", "  " + _("raised in {place}").format(place=failure.inside) + "\n"
    yield from _callers(failure.places, width)
    if failure.cause:
        yield "note", f"  {_(failure.reason)}\n"
        yield from render_short(failure.cause, width=width)


def render_explanation(explanation, width, is_single=False):
    """Yield (kind, text) pairs for the operands, the rule they broke, and code that would work.

    `is_single`: the code is one line, which a change of it need not name.
    """
    yield from render_operands(explanation, width)
    yield from describe_origins(explanation)
    yield "plain", fill(explanation.rule, width)
    first, other = _("fits:"), _("or:")
    widest = max((cells(fit.text) for fit in explanation.fits), default=0)
    for number, fit in enumerate(explanation.fits):
        if is_single and fit.line == 1 and not fit.side:
            fit = fit._replace(line=None)
        yield from render_fit(other if number else first, fit, widest)
    if explanation.advice:
        yield "note", f"        {pad(other if explanation.fits else _('try:'))}{explanation.advice}\n"
    if explanation.then:
        yield "note", f"        {pad(_('then:'))}{explanation.then}\n"


def render_fit(word, fit, width):
    """Yield (kind, text) pairs for a change, and for the changes that belong to it."""
    yield "note", f"        {pad(word)}{describe_line(fit)}"
    yield "code", fit.text
    yield "note", (" " * (width - cells(fit.text) + 4) + fit.result if fit.result else "") + "\n"
    for each in fit.more:
        yield from render_fit(_("and:"), each, width)


def describe_origins(explanation):
    """Tell on which lines operands were made, if those lines are not shown."""
    texts = [_("{name} on line {line}").format(name=name, line=line) for name, line in explanation.made[1:]]
    if explanation.made:
        name, line = explanation.made[0]
        first = _("{name} was made on line {line}").format(name=name, line=line)
        yield "note", f"        {_(', ').join([first, *texts])}\n"


def describe_suggestion(code):
    """Ask whether another name was meant, or suggest an import."""
    is_import = code.startswith(("import ", "from "))
    return f"{pad(_('try:'))}{code}" if is_import else _("did you mean {name}?").format(name=code)


def describe_line(fit):
    """Return `before line 3: ` for a change on another line than the failing one; a prompt's lines have no numbers."""
    if fit.line is None:
        return ""
    if not fit.line:
        earlier = {
            "": _("earlier line: "),
            "before": _("before an earlier line: "),
            "after": _("after an earlier line: "),
        }
        return earlier[fit.side]
    places = {"": _("line {line}: "), "before": _("before line {line}: "), "after": _("after line {line}: ")}
    return places[fit.side].format(line=fit.line)


def pad(word):
    """Pad a label to its column."""
    return word + " " * max(7 - cells(word), 1)


def describe_turn(explanation, shown):
    """Tell in which iteration of a loop the failure happened, if known."""
    if explanation and explanation.turn:
        line, number = explanation.turn
        if not shown:
            text = _("failed in iteration {number} of the loop on line {line}")
        elif shown == 1:
            text = _("failed in iteration {number} of the loop on line {line}; 1 value was shown before")
        else:
            text = _("failed in iteration {number} of the loop on line {line}; {shown} values were shown before")
        yield "note", f"        {text.format(number=number, line=line, shown=shown)}\n"


def render_locals(failure):
    """List the other arrays of the function with their shapes."""
    texts = [f"{each.name} {each.text}" for each in failure.local]
    ends = [*accumulate(cells(text) + 2 for text in texts)]
    shown = max(sum(end <= LONGEST_LOCAL for end in ends), 1)
    if texts:
        names = ", ".join(texts[:shown])
        if len(texts) > shown:
            names = _("{names} and {count} more").format(names=names, count=len(texts) - shown)
        yield "note", "        " + _("locals: {names}").format(names=names) + "\n"


def render_operands(explanation, width=None):
    """Show the operands with their shapes, on a line each in a narrow window, and mark the relevant sizes below."""
    if not explanation.operands:
        return
    is_operator = not explanation.operation[:1].isalpha() and explanation.operation != "[]"
    if not is_operator:  # a function may get the same tensor twice
        explanation = explanation._replace(operands=tuple(dict.fromkeys(explanation.operands)))
    texts, marks = [], []
    for each in explanation.operands:
        name = f"{shorten(each.text or _('it'), LONGEST_OPERAND)} "
        sizes = [str(size) for size in each.shape]
        texts.append(name + "[" + ", ".join(sizes) + "]")
        below = ["~" * len(size) if dim in each.marked else " " * len(size) for dim, size in enumerate(sizes)]
        marks.append(" " * (cells(name) + 1) + "  ".join(below) + " ")
    dtypes = list(dict.fromkeys(each.dtype for each in explanation.operands))
    between = f"  {explanation.operation}  " if is_operator and len(texts) == 2 else "   "
    kinds = dtypes[0] if len(dtypes) == 1 else ", ".join(each.dtype for each in explanation.operands)
    is_shared = len(texts) == 2 and len(dtypes) == 1
    kinds = _("both {dtype}").format(dtype=kinds) if is_shared else kinds
    if width is not None and len(texts) > 1 and INDENT + cells(between.join(texts) + kinds) + 4 > width:
        yield from render_operands_in_lines(explanation, texts, marks)
        yield "note", " " * INDENT + kinds + "\n"
        return
    yield "plain", "        " + between.join(texts)
    yield "note", "    " + kinds + "\n"
    if any(each.marked for each in explanation.operands):
        yield "mark", ("        " + (" " * len(between)).join(marks)).rstrip() + "\n"


def render_operands_in_lines(explanation, texts, marks):
    """Show each operand on a separate line, the second after the sign of the operation."""
    is_function = explanation.operation[:1].isalpha() or explanation.operation == "[]"
    sign = "" if is_function or len(texts) != 2 else f"{explanation.operation} "
    for number, (each, text, below) in enumerate(zip(explanation.operands, texts, marks, strict=True)):
        before = " " * (INDENT - cells(sign)) + sign if number == 1 else " " * INDENT
        yield "plain", before + text + "\n"
        if each.marked:
            yield "mark", (" " * INDENT + below).rstrip() + "\n"


def render_in_full(failure, width=None):
    """Yield (kind, text) pairs for Python's own traceback, with all frames."""
    try:
        is_bounded = all(reprs.is_bounded(each.error) for each in failure.chain)
        texts = traceback.format_exception(failure.error) if is_bounded else None
    except Exception:  # the exception and its values are user code
        texts = None
    if texts is None:
        yield from render_short(failure, width=width)
        return
    for text in texts:
        yield "plain", shorten_middle(text)


def render_stop(failure, words):
    """Yield (kind, text) pairs that tell where the code was stopped."""
    yield from _where(failure)
    yield "message", f"{words}\n"


def fill(sentence, width, before=INDENT):
    """Indent a sentence, and wrap it between words if a window has `width` columns."""
    if width is None or before + cells(sentence) < width or width < LEAST_WIDTH:
        return f"{' ' * before}{sentence}\n"
    first, *rest = wrap_lines(sentence, width - before - 1)
    more = wrap_lines(" ".join(rest), width - INDENT - 1) if rest else []
    return "".join(f"{' ' * column}{line}\n" for column, line in ((before, first), *((INDENT, line) for line in more)))


def render_warning(place, kind, message, note, width):
    """Yield (kind, text) pairs for a warning and its note."""
    yield from _format_place(place)
    yield "warning", kind
    yield "plain", f": {shorten_middle(safe_str(message))}\n"
    if place.text:
        yield from quote(note.place if note else place, failing=False, before=0, window=width)
    if note:
        yield "plain", fill(note.message, width)
        yield from render_advice(note)


def render_note(note, width):
    """Yield (kind, text) pairs for a note to learners."""
    head = [*_format_place(note.place), ("warning", _("note")), ("plain", ": ")]
    yield from head
    before = cells("".join(text for _kind, text in head))
    yield "plain", fill(note.message, width, before).lstrip(" ")
    if note.place.text:
        yield from quote(note.place, failing=False, before=0, window=width)
    yield from render_advice(note)


def render_advice(note):
    yield "note", f"        {pad(_('try:'))}{note.advice}\n"


def _where(failure):
    if failure.places:
        yield from _format_place(failure.places[0])


def _format_place(place):
    """Yield the location of a failure; nothing for code that the reader has just typed."""
    text = place.source.place(place.line)
    if text:
        yield "place", text
        yield "plain", ": "


def _head(failure, width):
    """Yield the place and the message; what tensh itself says is wrapped, a message of the code is left as it is."""
    yield from _where(failure)
    if not failure.kind and width is not None and width >= LEAST_WIDTH:
        before = cells("".join(text for _kind, text in _where(failure)))
        lines = wrap_lines(" " * before + shorten_middle(failure.message), width)
        yield "message", "\n  ".join(lines)[before:] + "\n"
        return
    if failure.kind:
        yield "error", shorten_middle(failure.kind)
        yield "plain", ": " if failure.message else ""
    yield "message", shorten_middle(failure.message.rstrip("\n"))
    yield "plain", "\n"


def _callers(places, width):
    """Show the callers of the first place, innermost first."""
    hidden = len(places) - 1 - 2 * MOST_CALLERS
    for index in range(1, len(places)):
        if hidden > 0 and MOST_CALLERS < index <= MOST_CALLERS + hidden:
            if index == MOST_CALLERS + 1:
                yield "note", "  " + _("... {count} more calls ...").format(count=hidden) + "\n"
            continue
        place = places[index]
        where = place.source.place(place.line)
        yield (
            "note",
            "  "
            + _("in {function}, called from").format(function=places[index - 1].function or _("the file"))
            + " " * bool(where),
        )
        yield "place", where
        yield "plain", "\n"
        yield from quote(place, failing=False, before=0, window=width)
