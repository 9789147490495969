"""The line search of LBFGS: a step that meets the strong Wolfe conditions.

Nocedal and Wright, Numerical optimization (2006), algorithms 3.5 and 3.6; minima of cubics as in Schmidt's minFunc.
"""

from typing import Any, NamedTuple


class Limits(NamedTuple):
    """The constants of the two conditions; intervals shorter than ``smallest`` are not divided."""

    decrease: float = 1e-4
    curvature: float = 0.9
    smallest: float = 1e-9


LIMITS = Limits()


class Point(NamedTuple):
    """The loss, the gradient, and the slope along the direction at one step size."""

    t: Any
    loss: float
    grad: Any
    slope: Any


def strong_wolfe(evaluate, start, t, longest, most, limits=LIMITS):
    """Return the best point found from ``start`` on, and the number of evaluations.

    ``evaluate(t)`` gives a point; ``longest`` is the largest element of the direction; ``most`` limits the iterations.
    """
    count = 0

    def try_step(t):
        nonlocal count
        count += 1
        return evaluate(t)

    bracket, iterations = _bracket(try_step, start, t, most, limits)
    if len(bracket) == 1:
        return bracket[0], count
    return _zoom(try_step, start, bracket, longest, most - iterations, limits), count


def _is_too_high(point, start, limits):
    return point.loss > start.loss + limits.decrease * point.t * start.slope


def _is_flat(point, start, limits):
    return abs(point.slope) <= -limits.curvature * start.slope


def _bracket(tried, start, t, most, limits):
    """Return one point that fulfils the conditions, or two that enclose one, and the number of iterations."""
    before, point = start, tried(t)
    for iteration in range(most):
        if _is_too_high(point, start, limits) or (iteration > 1 and point.loss >= before.loss):
            return [before, point], iteration
        if _is_flat(point, start, limits):
            return [point], iteration
        if point.slope >= 0:
            return [before, point], iteration
        step = point.t - before.t
        t = minimum_of_cubic(before, point, (point.t + 0.01 * step, point.t * 10))
        before, point = point, tried(t)
    return [start, point], most


def _zoom(tried, start, bracket, longest, most, limits):
    """Narrow the bracket until one of its ends fulfils the conditions."""
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    was_near_the_edge = False
    for _ in range(most):
        if abs(bracket[1].t - bracket[0].t) * longest < limits.smallest:
            break
        t, was_near_the_edge = _move_inside(bracket, was_near_the_edge)
        point = tried(t)
        if _is_too_high(point, start, limits) or point.loss >= bracket[low].loss:
            bracket[high] = point
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        is_done = _is_flat(point, start, limits)
        if not is_done and point.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = point
        if is_done:
            break
    return bracket[low]


def _move_inside(bracket, was_near_the_edge):
    """Return a step size within the bracket; the second time at or beyond its edge, move it inwards by a tenth."""
    t = minimum_of_cubic(*bracket)
    left, right = sorted(point.t for point in bracket)
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if was_near_the_edge or t >= right or t <= left:
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
    return t, True


def minimum_of_cubic(one, other, bounds=None):
    """Return the minimum within ``bounds`` of the cubic through the losses and slopes of two points; or their middle."""
    if one.t > other.t:
        one, other = other, one
    low, high = bounds or (one.t, other.t)
    d1 = one.slope + other.slope - 3 * (one.loss - other.loss) / (one.t - other.t)
    square = d1**2 - one.slope * other.slope
    if square < 0:
        return (low + high) / 2
    d2 = square.sqrt()
    t = other.t - (other.t - one.t) * ((other.slope + d2 - d1) / (other.slope - one.slope + 2 * d2))
    return min(max(t, low), high)


# ── functions that libraries import from torch.optim.lbfgs ───────────────────
def _cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """Return the minimum within ``bounds`` of the cubic with losses ``f`` and slopes ``g`` at ``x1`` and ``x2``."""
    return minimum_of_cubic(Point(x1, f1, None, g1), Point(x2, f2, None, g2), bounds)


def _strong_wolfe(obj_func, x, t, d, f, g, gtd, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """Search from ``x`` along ``d``; return the loss, the gradient, the step size and the number of evaluations.

    ``obj_func(x, t, d)`` gives the loss and the gradient at ``x + t * d``; ``f``, ``g`` and ``gtd`` are the loss, the
    gradient and the slope at ``x``. The conditions are ``c1`` for the decrease and ``c2`` for the slope.
    """

    def evaluate(t):
        loss, grad = obj_func(x, t, d)
        return Point(t, loss, grad.clone(), grad.dot(d))

    limits = Limits(c1, c2, tolerance_change)
    point, count = strong_wolfe(evaluate, Point(0, f, g.clone(), gtd), t, d.abs().max(), max_ls, limits)
    return point.loss, point.grad, point.t, count
