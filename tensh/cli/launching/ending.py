"""Ending processes whose parent has ended (Linux only)."""

import os
import sys


def end_with_parent(sign, parent=None):
    """Have a signal sent to this process when its parent ends; exit at once if the parent is no longer ``parent``."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, sign)  # PR_SET_PDEATHSIG
    if parent is not None and os.getppid() != parent:
        os._exit(1)
