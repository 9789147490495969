"""Observing embeddings: one-hot vectors in place of indices, whose zeros and ones are looked up one by one."""

import functools
import math

from tensh.cli.session.notes.observing import observing
from tensh.engine.core.tensor import Tensor

MOST = 50  # calls of embeddings
CHANCE = math.log(1e6)  # the chance that random indices look like one-hot vectors is less than e to minus this


class Tables:
    """Observes the first calls of embeddings."""

    def __init__(self, training):
        self.training = training
        self.left = MOST

    def begin(self):
        from tensh.nn.modules.sparse import Embedding

        @functools.wraps(Embedding.forward)
        def forward(table, input):
            self.left -= 1
            if self.left <= 0:
                undo()
            rows = own(table, input)
            with observing:
                if isinstance(input, Tensor) and is_certain(input, table.num_embeddings):
                    self.training.say("one-hot", table.num_embeddings)
            return rows

        own, undo = self.training.replacements.replace(Embedding, "forward", forward)


def is_certain(indices, count):
    """Return True if indices are one-hot vectors among ``count`` classes, and are hardly so by chance."""
    if indices.shape[-1:] != (count,) or count < 2:
        return False
    from tensh.explain.rules.one_hot import is_one_hot  # loaded for suspicious shapes alone

    rows = indices.numel() // count
    if rows * (count - 1) * math.log(count) < CHANCE or not is_one_hot(indices):
        return False
    places = indices.reshape(-1, count).argmax(1)
    return rows == 1 or bool((places != places[0]).any())  # a word and padding are all at one place
