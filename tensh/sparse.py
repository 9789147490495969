"""torch.sparse: functions of sparse tensors, and the types that are named after their dtypes."""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

__path__: list = []  # a package in PyTorch, whose private modules are switched off
FUNCTIONS = "mm addmm sum softmax log_softmax sampled_addmm spdiags as_sparse_gradcheck check_sparse_tensor_invariants"
TYPES = "BFloat16Tensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor"
PLACES = dict.fromkeys(FUNCTIONS.split(), "tensh.engine.operators.sparse.functions")

__getattr__, __dir__ = declare_namespace(
    "tensh.sparse",
    globals(),
    PLACES | dict.fromkeys(TYPES.split(), "tensh.engine.operators.sparse.legacy"),
    unsupported=lookup("torch.sparse"),
)
