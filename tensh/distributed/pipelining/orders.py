"""Orders of passes that compute gradients of inputs and of weights apart, so that no process waits for long.

Each function yields (index of a stage among those of the process, number of the part, pass). Weights can wait: their
gradients fill the time in which a process would wait for others.
"""

from collections import Counter, deque

__all__ = ["BACKWARD", "FORWARD", "INPUTS", "WEIGHTS", "order_dual_pipe", "order_v", "order_zero_bubble"]

FORWARD, BACKWARD, INPUTS, WEIGHTS = "F", "B", "I", "W"  # a whole backward pass, or the two halves of one


def order_zero_bubble(place, total, ahead, lag):
    """Yield the passes of the interleaved schedule: weights follow ``lag`` steps after inputs.

    ``place(step, backward)`` is (stage, part) of a step; ``ahead`` forward passes come first.
    """
    yield from ((*place(step, False), FORWARD) for step in range(ahead))
    for step in range(total):
        yield *place(step, True), INPUTS
        if step >= lag:
            yield *place(step - lag, True), WEIGHTS
        if ahead + step < total:
            yield *place(ahead + step, False), FORWARD
    yield from ((*place(step, True), WEIGHTS) for step in range(max(total - lag, 0), total))


class Counted:
    """Numbers the passes of two stages; ``take`` is what they are, without those of parts that a batch lacks."""

    def __init__(self, count):
        self.count, self.done, self.waiting = count, Counter(), deque()

    def take(self, *passes):
        """Yield (stage, number, pass) for each (stage, pass)."""
        for stage, kind in passes:
            number = self.done[stage, kind]
            self.done[stage, kind] += 1
            if kind == BACKWARD:
                self.done[stage, INPUTS] += 1
                self.done[stage, WEIGHTS] += 1
            if kind == INPUTS:
                self.done[stage, BACKWARD] += 1
            if number < self.count:
                yield stage, number, kind


def order_v(rank, size, count):
    """Yield the passes of ZBV, in which a process has a stage of the way there and one of the way back."""
    counted = Counted(count)
    take, done = counted.take, counted.done
    there, back = ((0, FORWARD),), ((1, FORWARD), (1, INPUTS), (1, WEIGHTS))
    yield from take(*there * (2 * (size - rank) - 1))
    yield from take(*((1, FORWARD), (0, FORWARD)) * rank)
    yield from take(*back * (size - rank))
    all_parts = max(2 * size - 1, count)  # at least as many as fill the stages; those that the batch lacks are left out
    while done[1, FORWARD] < done[0, FORWARD] or done[0, FORWARD] < all_parts:
        if done[0, FORWARD] < all_parts:
            yield from take((0, FORWARD))
        yield from take((0, INPUTS), (0, WEIGHTS), *back)
    yield from take(*((0, INPUTS), (1, INPUTS)) * rank)
    yield from take(*((0, INPUTS), (0, WEIGHTS)) * (size - rank))
    for stage in (1, 0):
        while done[stage, WEIGHTS] < done[stage, INPUTS]:
            yield from take((stage, WEIGHTS))


def order_dual_pipe(rank, size, count):
    """Yield the passes of DualPipeV, which pairs forward and backward passes.

    Gradients of weights are computed separately only at the end.
    """
    take, weights = Counted(count).take, deque()
    rest = size - rank - 1
    yield from take(*((0, FORWARD),) * 2 * rest)
    yield from take(*((0, FORWARD), (1, FORWARD)) * (rank + 1))
    yield from take(*((1, INPUTS), (1, WEIGHTS), (1, FORWARD)) * rest)
    yield from take(*((0, FORWARD), (1, BACKWARD), (1, FORWARD), (0, BACKWARD)) * (count - 2 * size + rank + 1))
    yield from take(*((1, BACKWARD), (1, FORWARD), (0, BACKWARD)) * rest)
    for place, stage in enumerate((1, 0) * (rank + 1)):
        if place < rank + 1:
            yield from take((stage, BACKWARD))
            continue
        weights.append(stage)
        yield from take((stage, INPUTS))
    for _ in range(rest):
        yield from take((weights.popleft(), WEIGHTS), (0, INPUTS))
        weights.append(0)
    yield from take(*((stage, WEIGHTS) for stage in weights))
