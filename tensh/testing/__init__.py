"""torch.testing: tensors that should be close, and tensors to try things with."""

from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.testing.comparing import assert_allclose, assert_close
from tensh.testing.file_check import FileCheck
from tensh.testing.making import make_tensor

__all__ = ["FileCheck", "assert_allclose", "assert_close", "make_tensor"]
__getattr__ = unsupported_lookup("torch.testing")
