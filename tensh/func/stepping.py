"""The form of the transforms while a function is recorded for a back end of ``torch.compile``.

Note [Transforms in steps]
A graph of PyTorch has no call of ``torch.vmap``: it has the steps of that call, such as ``_add_batch_dim``, between which
the operations of the mapped function stand. So has a graph of tensh. While a recorder has set ``now.transforms``, the
transforms call its methods, which compose a transform of the functions in ``primitives`` and record these calls. Otherwise
they take a shorter way, which costs one comparison more.
"""

import threading


class Stepping(threading.local):
    """The recorder of this thread that takes transforms apart: an object with a method for each of them, or None."""

    transforms = None


now = Stepping()
