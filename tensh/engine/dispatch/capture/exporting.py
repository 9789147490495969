"""The state of an export, for which ``torch.compiler.is_exporting`` asks."""

import threading


class Exporting(threading.local):
    """The export of a thread: whether there is one, and the numbers of the comparisons in its trace that have one outcome."""

    now, fixed = False, frozenset()


exporting = Exporting()
