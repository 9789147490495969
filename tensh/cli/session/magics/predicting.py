"""`%predict`: ask what an expression will give, then show its value."""

import contextlib
import io
import re

from tensh.cli.session.events import Exhausted, Notice
from tensh.cli.session.magics.registry import MagicError, magic
from tensh.support.language import _

ASKED = r"#\?\s*(\w*)\s*$"
TRIES = 3
LEAVING = ("", "skip", "quit", "exit")  # answers that show the value at once


@magic(
    "predict",
    "%predict EXPRESSION [#? value]",
    "predict the result of an expression (its shape, ...), then see it",
    sugar="{}",
)
def predict(session, command):
    from tensh.cli.learning.facts import KINDS

    found = re.search(ASKED, command.argument)
    kind = found[1] if found else ""
    if found and kind not in KINDS:
        raise MagicError(
            _("%predict: after #? expected one of {kinds}: %predict x.sum(0) #? shape").format(kinds=", ".join(KINDS))
        )
    expression = command.argument[: found.start()].rstrip() if found else command.argument
    units = session.units_within(command._replace(argument=expression)) if expression else []
    if len(units) != 1 or not units[0].shown:
        raise MagicError(_("%predict: expected one expression: %predict x.sum(0)"))
    value, error, printed = evaluate_unit(session, units[0])
    yield from ask(session, kind, expression, value, error)
    if printed:
        session.builtin("print")(printed, end="")
    if error is not None:
        raise error
    if value is None:
        yield Notice("None")
    yield from session.show_result(units[0], value)


def evaluate_unit(session, unit):
    """Evaluate an expression; return (value, exception, printed text)."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            return session.evaluate(unit), None, printed.getvalue()
    except Exhausted as error:
        return None, error.error, printed.getvalue()
    except Exception as error:
        return None, error, printed.getvalue()


def ask(session, kind, expression, value, error):
    """Ask until the answer is right or the input ends; yield the judgement of each answer."""
    from tensh.cli.learning.facts import state_error, state_value
    from tensh.cli.learning.judging import judge

    truth = state_value(value) if error is None else state_error(error)
    kind = kind or ("shape" if error is not None or truth.has("shape") and hasattr(value, "dtype") else "value")
    if not truth.has(kind):
        raise MagicError(_("%predict: {expression} has no {kind}").format(expression=expression, kind=kind))
    tries = 0
    while tries < TRIES:
        text = answer(session, question(kind, expression))
        if text in LEAVING:
            return
        judged = judge(kind, text, truth)
        if judged.is_right:
            session.predicted = session.predicted[0] + (tries == 0), session.predicted[1] + 1
            right, count = session.predicted
            yield Notice(_("right; {right} of {count} at the first attempt so far").format(right=right, count=count))
            return
        tries += judged.is_answer
        yield Notice((_("not yet: ") if tries < TRIES else _("no: ")) + judged.hint)
        if not judged.is_answer:
            yield Notice(_("Enter alone shows the result"))
    session.predicted = session.predicted[0], session.predicted[1] + 1


def question(kind, expression):
    """Write the question."""
    asked = {
        "shape": _("shape of {code}? "),
        "dtype": _("dtype of {code}? "),
        "value": _("value of {code}? "),
        "grad": _("gradient {code}? "),
        "fails": _("does {code} fail? no, or why: "),
    }
    return asked[kind].format(code=expression)


def answer(session, prompt):
    """Ask and return the answer; "" if there is no user."""
    try:
        return (session.ask or session.builtin("input"))(prompt).strip()
    except (EOFError, OSError, RuntimeError):  # a kernel without input raises a RuntimeError
        return ""
