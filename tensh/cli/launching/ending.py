"""The end of processes whose parent has ended, where the system (Linux) can tell."""

import os
import sys


def end_with_parent(sign, parent=None):
    """Have a signal sent to this process when its parent ends; it ends at once if that is no longer ``parent``."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, sign)  # PR_SET_PDEATHSIG
    if parent is not None and os.getppid() != parent:
        os._exit(1)
