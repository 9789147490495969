"""torch.sparse: functions of sparse tensors."""

from tensh.namespace import declare_namespace

FUNCTIONS = "mm addmm sum softmax log_softmax sampled_addmm spdiags as_sparse_gradcheck check_sparse_tensor_invariants"

__getattr__, __dir__ = declare_namespace(
    "tensh.sparse", globals(), dict.fromkeys(FUNCTIONS.split(), "tensh.engine.operators.sparse.functions")
)
