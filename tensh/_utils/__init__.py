"""torch._utils: pickles of tensors, and small functions that libraries import."""

import tensh as torch  # noqa: F401 (where PyTorch's pickles look up memory formats)
from tensh._utils.blocks import (  # noqa: F401
    _element_size,
    _flatten_dense_tensors,
    _handle_complex,
    _reorder_tensors_as,
    _take_tensors,
    _unflatten_dense_tensors,
)
from tensh._utils.devices import (  # noqa: F401
    _get_all_device_indices,
    _get_available_device_type,
    _get_current_device_index,
    _get_device_attr,
    _get_device_index,
    _get_device_module,
    get_current_device_index,
)
from tensh._utils.pickling import (  # noqa: F401
    Memory,
    _rebuild_meta_tensor_no_storage,
    _rebuild_parameter,
    _rebuild_parameter_with_state,
    _rebuild_sparse_tensor,
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    _rebuild_wrapper_subclass,
    as_memory,
    reduce_parameter,
    reduce_tensor,
    storage_of,
)
from tensh._utils.python_values import (  # noqa: F401
    ExceptionWrapper,
    _dummy_type,
    _get_async_or_non_blocking,
    _get_obj_state,
    _import_dotted_name,
    _set_obj_state,
    classproperty,
    cpu_count,
    is_compiling,
    render_call,
    try_import,
)
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.support.sent_exceptions import KeyErrorMessage  # noqa: F401

__getattr__ = unsupported_lookup("torch._utils")
