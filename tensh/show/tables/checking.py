"""`gradcheck`: a function's gradient compared with finite differences."""

import itertools

import numpy as np

from tensh.show.drawing.table import Table
from tensh.show.reading.describe import number
from tensh.support.language import _

STEP = 1e-6
ATOL, RTOL = 1e-5, 1e-3
MOST = 12  # rows; with more entries those with the largest errors


def gradcheck(function, input, *inputs):
    """Compare the derivative of a function of tensors with central differences, entry by entry, worst first.

    Args:
        function: takes the inputs and returns a tensor; several elements are summed.
        input, inputs: tensors of floats, converted to float64 to make the differences precise enough.

    >>> import tensh
    >>> tensh.show.gradcheck(lambda x: x ** 3, tensh.tensor([1., 2.]))
    index  analytic  numeric  error       allowed
    [0]    3         3        below 1e-6  0.00301
    [1]    12        12       below 1e-6  0.01201
    # agrees: every error is within 1e-05 + 0.001 of the number
    """
    import tensh

    given = (input, *inputs)
    points = [tensh.as_tensor(each).detach().to(tensh.float64).clone().requires_grad_() for each in given]
    if not callable(function):
        text = _("gradcheck(): expected a function, not {name}")
        raise TypeError(text.format(name=type(function).__name__))
    value = function(*points)
    if not isinstance(value, tensh.Tensor):
        text = _("gradcheck(): expected a function that returns a tensor, not {name}")
        raise TypeError(text.format(name=type(value).__name__))
    value = value.sum()
    found = tensh.autograd.grad(value, points, allow_unused=True)
    rows = []
    for position, (point, g) in enumerate(zip(points, found, strict=True)):
        analytic = np.zeros(point.shape) if g is None else g.detach().numpy()
        for index in itertools.product(*map(range, point.shape)):
            numeric = difference(function, points, position, index)
            error, allowed = abs(analytic[index] - numeric), ATOL + RTOL * abs(numeric)
            name = (f"input {position} " if len(points) > 1 else "") + str(list(index))
            rows.append((error / allowed, name, analytic[index], numeric, error, allowed))
    return table(rows)


def difference(function, points, position, index):
    """Return the central difference for one entry."""
    import tensh

    values = []
    for sign in (1, -1):
        moved = [point.detach().clone() for point in points]
        moved[position][index] += sign * STEP
        with tensh.no_grad():
            values.append(function(*moved).sum().item())
    return (values[0] - values[1]) / (2 * STEP)


def table(rows):
    """Return the rows (badness, index, analytic, numeric, error, allowed) as a table, and a sentence for below it."""
    wrong = sum(not row[0] <= 1 for row in rows)
    shown = sorted(rows, key=lambda row: not row[0] <= 1, reverse=True)
    if len(rows) > MOST:
        shown = sorted(rows, key=lambda row: (not row[0] <= 1, row[0]), reverse=True)[:MOST]
    cells = [
        (name, number(float(analytic)), number(numeric), small(error), number(float(allowed)))
        for _badness, name, analytic, numeric, error, allowed in shown
    ]
    notes = (
        [_("the {most} largest errors of {rows:,} entries").format(most=MOST, rows=len(rows))]
        if len(rows) > MOST
        else []
    )
    within = _("within {atol:g} + {rtol:g} of the number").format(atol=ATOL, rtol=RTOL)
    notes.append(
        _("agrees: every error is {within}").format(within=within)
        if not wrong
        else _("differs: {wrong:,} of {rows:,} errors are not {within}").format(
            wrong=wrong, rows=len(rows), within=within
        )
    )
    return Table((_("index"), _("analytic"), _("numeric"), _("error"), _("allowed")), cells, notes=notes)


def small(error):
    """Format an error, unless rounding alone explains it: then its digits are meaningless."""
    return _("below {step:g}").format(step=STEP).replace("e-0", "e-") if error < STEP else number(float(error))
