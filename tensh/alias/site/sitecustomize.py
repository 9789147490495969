"""Read by Python when it starts with this folder in PYTHONPATH: `import torch` imports tensh in this process."""

import contextlib
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
with contextlib.suppress(ModuleNotFoundError):  # another Python, without tensh
    from tensh.alias import install

    install(children=False, safetensors=not os.environ.get("TENSH_KEEP_SAFETENSORS"))

# The file of this name that Python would have read otherwise.
own = sys.modules.pop(__name__, None)
try:
    import sitecustomize  # noqa: F401
except ImportError:
    sys.modules[__name__] = own
