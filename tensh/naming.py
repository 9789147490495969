"""By which names values are pickled: those of PyTorch in a program whose `torch` is tensh, so that PyTorch reads them, too."""

import os
import sys

FOLDER = os.path.dirname(__file__)


def torch_is_tensh():
    """True if the module `torch` of this program is tensh.  Then a pickle may name it; otherwise it names tensh itself."""
    return (getattr(sys.modules.get("torch"), "__file__", None) or "").startswith(FOLDER)
