"""Whether a program is being exported, which ``torch.compiler.is_exporting`` asks."""

import threading


class Exporting(threading.local):
    """The export of a thread."""

    now = False


exporting = Exporting()
