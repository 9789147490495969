"""The line search of LBFGS: a step that meets the strong Wolfe conditions.

Nocedal and Wright, Numerical optimization (2006), algorithms 3.5 and 3.6; minima of cubics as in Schmidt's minFunc.
"""

from typing import Any, NamedTuple

DECREASE, CURVATURE = 1e-4, 0.9  # the constants of the two conditions
SMALLEST = 1e-9  # intervals shorter than this are not divided


class Point(NamedTuple):
    """The loss, the gradient, and the slope along the direction at one step size."""

    t: Any
    loss: float
    grad: Any
    slope: Any


def strong_wolfe(evaluate, start, t, longest, most):
    """Return the best point found from ``start`` on, and the number of evaluations.

    ``evaluate(t)`` gives a point; ``longest`` is the largest element of the direction; ``most`` limits the iterations.
    """
    count = 0

    def try_step(t):
        nonlocal count
        count += 1
        return evaluate(t)

    bracket, iterations = _bracket(try_step, start, t, most)
    if len(bracket) == 1:
        return bracket[0], count
    return _zoom(try_step, start, bracket, longest, most - iterations), count


def _is_too_high(point, start):
    return point.loss > start.loss + DECREASE * point.t * start.slope


def _is_flat(point, start):
    return abs(point.slope) <= -CURVATURE * start.slope


def _bracket(tried, start, t, most):
    """Return one point that fulfils the conditions, or two that enclose one, and the number of iterations."""
    before, point = start, tried(t)
    for iteration in range(most):
        if _is_too_high(point, start) or (iteration > 1 and point.loss >= before.loss):
            return [before, point], iteration
        if _is_flat(point, start):
            return [point], iteration
        if point.slope >= 0:
            return [before, point], iteration
        step = point.t - before.t
        t = minimum_of_cubic(before, point, (point.t + 0.01 * step, point.t * 10))
        before, point = point, tried(t)
    return [start, point], most


def _zoom(tried, start, bracket, longest, most):
    """Narrow the bracket until one of its ends fulfils the conditions."""
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    was_near_the_edge = False
    for _ in range(most):
        if abs(bracket[1].t - bracket[0].t) * longest < SMALLEST:
            break
        t, was_near_the_edge = _move_inside(bracket, was_near_the_edge)
        point = tried(t)
        if _is_too_high(point, start) or point.loss >= bracket[low].loss:
            bracket[high] = point
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        is_done = _is_flat(point, start)
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
