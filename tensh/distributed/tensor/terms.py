"""Elementwise functions of terms that give the terms of their result, so that nothing has to be exchanged."""

import numbers
from typing import NamedTuple

from tensh.distributed.tensor.placement_types import Partial

EXTREMES = {"max", "min"}
ADDING, SCALING = {"add", "sub"}, {"mul", "div"}
INCREASING = set("relu sigmoid tanh exp floor ceil round trunc sign".split())


class Call(NamedTuple):
    """A call of an elementwise function: its name, its distributed operands in order, and its other arguments."""

    word: str
    given: list
    others: list

    def keeps(self, placement, place):
        """Return True if the operand at a place can be terms, which give terms of the result."""
        operation, word = placement.reduce_op, self.word
        if operation == "product":
            return False
        if word in ADDING:
            return len(self.given) == 2 and (place == 0 or operation not in EXTREMES)
        if operation in EXTREMES:  # the derivative is that at one term only
            return word in INCREASING and not self.given[0].requires_grad
        if word in SCALING:
            return (word == "mul" or place == 0) and all(isinstance(each, numbers.Number) for each in self.others)
        return word == "neg"

    def find_kept(self, number):
        """Return the place of the first operand whose terms on a dimension of the mesh are kept, or None."""
        for place, each in enumerate(self.given):
            placement = each.placements[number]
            if isinstance(placement, Partial) and self.keeps(placement, place):
                return place
        return None

    def adds_terms(self, operation):
        """Return True if all operands are terms, False if all but one are replicas."""
        return self.word in ADDING and operation not in EXTREMES
