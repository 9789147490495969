"""The public names of tensh.

Written by tools/stubs.py; do not edit."""
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable as _Callable, Iterator as _Iterator, Sequence as _Sequence
from typing import Any as _Any
from typing import TypeVar as _TypeVar
import numpy as _np
from tensh.engine.core.tensor import Tensor as Tensor
from tensh.engine.dtypes.size import Size as Size
class BFloat16Storage(TypedStorage):
    """Storages of torch.bfloat16."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class BFloat16Tensor:
    """Tensors of torch.bfloat16, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class BoolStorage(TypedStorage):
    """Storages of torch.bool."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class BoolTensor:
    """Tensors of torch.bool, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class ByteStorage(TypedStorage):
    """Storages of torch.uint8."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class ByteTensor:
    """Tensors of torch.uint8, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class CharStorage(TypedStorage):
    """Storages of torch.int8."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class CharTensor:
    """Tensors of torch.int8, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class CompilationUnit:
    """Scripted functions from a text, which are its attributes."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def define(self, lang: _Any, rcb: _Any = None, _frames_up: _Any = 0) -> _Any:
        """Add the functions of a text.  Raise RuntimeError for a text that is not a script, or a name that is taken."""
    def find_function(self, name: _Any) -> _Any:
        """Return a function; None for a name that nothing has."""
    def get_functions(self) -> _Any:
        """Return all functions."""
    def set_optimized(self, optimized: _Any) -> _Any:
        """Do nothing: there is no machine code to optimise."""
class ComplexDoubleStorage(TypedStorage):
    """Storages of torch.complex128."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class ComplexFloatStorage(TypedStorage):
    """Storages of torch.complex64."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class DisableTorchFunction:
    """A context in which no class and no mode overrides functions in this thread."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def __enter__(self) -> _Any: ...
    def __exit__(self, *error: _Any) -> None: ...
    level: _Any
class DisableTorchFunctionSubclass(DisableTorchFunction):
    """A context in which no class overrides functions in this thread; modes still do."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    level: _Any
class DispatchKey:
    """The name of a kernel that an operator may have, such as ``CPU`` or ``Autograd``."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    ADInplaceOrView: _Any
    AutocastCPU: _Any
    AutocastCUDA: _Any
    AutocastHPU: _Any
    AutocastIPU: _Any
    AutocastMPS: _Any
    AutocastPrivateUse1: _Any
    AutocastXPU: _Any
    Autograd: _Any
    AutogradCPU: _Any
    AutogradCUDA: _Any
    AutogradFunctionality: _Any
    AutogradHIP: _Any
    AutogradHPU: _Any
    AutogradIPU: _Any
    AutogradLazy: _Any
    AutogradMAIA: _Any
    AutogradMPS: _Any
    AutogradMTIA: _Any
    AutogradMeta: _Any
    AutogradNestedTensor: _Any
    AutogradOther: _Any
    AutogradPrivateUse1: _Any
    AutogradPrivateUse2: _Any
    AutogradPrivateUse3: _Any
    AutogradVE: _Any
    AutogradXLA: _Any
    AutogradXPU: _Any
    BackendSelect: _Any
    CPU: _Any
    CUDA: _Any
    CompositeExplicitAutograd: _Any
    CompositeExplicitAutogradNonFunctional: _Any
    CompositeImplicitAutograd: _Any
    CompositeImplicitAutogradNestedTensor: _Any
    Conjugate: _Any
    Dense: _Any
    FuncTorchBatched: _Any
    FuncTorchBatchedDecomposition: _Any
    FuncTorchDynamicLayerBackMode: _Any
    FuncTorchDynamicLayerFrontMode: _Any
    FuncTorchGradWrapper: _Any
    FuncTorchVmapMode: _Any
    Functionalize: _Any
    HIP: _Any
    HPU: _Any
    IPU: _Any
    Lazy: _Any
    MAIA: _Any
    MPS: _Any
    MTIA: _Any
    Meta: _Any
    Negative: _Any
    NestedTensor: _Any
    NestedTensorCPU: _Any
    NestedTensorCUDA: _Any
    NestedTensorHIP: _Any
    NestedTensorHPU: _Any
    NestedTensorIPU: _Any
    NestedTensorLazy: _Any
    NestedTensorMAIA: _Any
    NestedTensorMPS: _Any
    NestedTensorMTIA: _Any
    NestedTensorMeta: _Any
    NestedTensorPrivateUse1: _Any
    NestedTensorPrivateUse2: _Any
    NestedTensorPrivateUse3: _Any
    NestedTensorVE: _Any
    NestedTensorXLA: _Any
    NestedTensorXPU: _Any
    PreDispatch: _Any
    PrivateUse1: _Any
    PrivateUse2: _Any
    PrivateUse3: _Any
    Python: _Any
    PythonDispatcher: _Any
    PythonTLSSnapshot: _Any
    Quantized: _Any
    QuantizedCPU: _Any
    QuantizedCUDA: _Any
    QuantizedHIP: _Any
    QuantizedHPU: _Any
    QuantizedIPU: _Any
    QuantizedLazy: _Any
    QuantizedMAIA: _Any
    QuantizedMPS: _Any
    QuantizedMTIA: _Any
    QuantizedMeta: _Any
    QuantizedPrivateUse1: _Any
    QuantizedPrivateUse2: _Any
    QuantizedPrivateUse3: _Any
    QuantizedVE: _Any
    QuantizedXLA: _Any
    QuantizedXPU: _Any
    Sparse: _Any
    SparseCPU: _Any
    SparseCUDA: _Any
    SparseCsr: _Any
    SparseCsrCPU: _Any
    SparseCsrCUDA: _Any
    SparseCsrHIP: _Any
    SparseCsrHPU: _Any
    SparseCsrIPU: _Any
    SparseCsrLazy: _Any
    SparseCsrMAIA: _Any
    SparseCsrMPS: _Any
    SparseCsrMTIA: _Any
    SparseCsrMeta: _Any
    SparseCsrPrivateUse1: _Any
    SparseCsrPrivateUse2: _Any
    SparseCsrPrivateUse3: _Any
    SparseCsrVE: _Any
    SparseCsrXLA: _Any
    SparseCsrXPU: _Any
    SparseHIP: _Any
    SparseHPU: _Any
    SparseIPU: _Any
    SparseLazy: _Any
    SparseMAIA: _Any
    SparseMPS: _Any
    SparseMTIA: _Any
    SparseMeta: _Any
    SparsePrivateUse1: _Any
    SparsePrivateUse2: _Any
    SparsePrivateUse3: _Any
    SparseVE: _Any
    SparseXLA: _Any
    SparseXPU: _Any
    Undefined: _Any
    VE: _Any
    XLA: _Any
    XPU: _Any
    ZeroTensor: _Any
class DoubleStorage(TypedStorage):
    """Storages of torch.float64."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class DoubleTensor:
    """Tensors of torch.float64, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class Event:
    """A mark in a queue of work, to be waited for: on the CPU nothing queues work, so none is ever recorded."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    @property
    def device(self) -> _device:
        """The device of the event."""
    def elapsed_time(self, end_event: _Any) -> _Any:
        """Raise ValueError: no event was recorded, so there is no time between two."""
    @property
    def event_id(self) -> _Any:
        """The number of the event: 0 before it is recorded."""
    def from_ipc_handle(self, ipc_handle: _Any) -> _Any:
        """Raise NotImplementedError, as PyTorch does."""
    def ipc_handle(self) -> _Any:
        """Raise NotImplementedError, as PyTorch does."""
    def query(self) -> _Any:
        """Return True: nothing was recorded that is still to come."""
    def record(self, stream: _Any = None) -> _Any:
        """Raise RuntimeError: the CPU has no events."""
    def synchronize(self) -> _Any:
        """Return at once: nothing was recorded that is still to come."""
    def wait(self, stream: _Any = None) -> _Any:
        """Return at once: an event that was never recorded is not waited for."""
class FloatStorage(TypedStorage):
    """Storages of torch.float32."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class FloatTensor:
    """Tensors of torch.float32, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class Future:
    """A result that another thread or a collective of processes provides later."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def add_done_callback(self, callback: _Any) -> _Any:
        """Call a function with the future on completion, or at once if completed; its errors become warnings."""
    def done(self) -> _Any:
        """Return True if the result, or an error, has been set."""
    def set_exception(self, result: _Any) -> _Any:
        """Set an error, which ``wait`` and ``value`` raise; raise RuntimeError if the future is completed."""
    def set_result(self, result: _Any) -> _Any:
        """Set the result; raise RuntimeError if the future is completed."""
    def then(self, callback: _Any) -> _Any:
        """Return a future for a function's result, called with this future on completion; its error becomes RuntimeError."""
    def value(self) -> _Any:
        """Return the result, or raise the error, of a completed future. Raise RuntimeError before."""
    def wait(self) -> _Any:
        """Wait for the result and return it; raise the error that was set in its place."""
class Generator:
    """A source of random numbers, with its state; the same seed gives PyTorch's numbers."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    before_draw: _Any
    def clone_state(self) -> _Any:
        """Return a new generator in the same state."""
    @property
    def device(self) -> _device:
        """The device of the generator: the CPU."""
    first_seed: _Any
    float_normal: _Any
    def get_offset(self) -> _Any:
        """Raise RuntimeError: only generators of other devices have an offset."""
    def get_state(self) -> _Any:
        """Return the state as a tensor of 5056 bytes, which are those of PyTorch's generator after the same draws."""
    def graphsafe_get_state(self) -> _Any:
        """Raise NotImplementedError: CPU generators do not support it."""
    def graphsafe_set_state(self, state: _Any, /) -> _Any:
        """Raise NotImplementedError: CPU generators do not support it."""
    def initial_seed(self) -> _int:
        """Return the last seed."""
    def manual_seed(self, seed: _Any, /) -> _Any:
        """Set the seed, an int from -2**63 to 2**64 - 1 (2**64 is added to negative ones), and return the generator."""
    normal: _Any
    def open(self) -> _Any:
        """Return the stream of words, for a draw."""
    def seed(self) -> _int:
        """Set a new seed from the operating system, and return it."""
    def set_offset(self, offset: _Any, /) -> _Any:
        """Raise RuntimeError: only generators of other devices have an offset."""
    def set_state(self, new_state: _Any, /) -> _Any:
        """Restore a state returned by ``get_state``, here or in PyTorch."""
    stream: _Any
    untouched: _Any
    def word(self) -> _Any:
        """Return the next 32-bit word, as an int."""
    def words(self, n: _Any) -> _Any:
        """Return the next ``n`` 32-bit words as a new array: of uint64 if there are few, of uint32 otherwise."""
    def words64(self, n: _Any) -> _Any:
        """Return the next ``n`` 64-bit words as a new uint64 array."""
class GradScaler:
    """A scaler of losses, which keeps small gradients of float16 from becoming zero."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def get_backoff_factor(self) -> _Any:
        """Return the backoff factor."""
    def get_growth_factor(self) -> _Any:
        """Return the growth factor."""
    def get_growth_interval(self) -> _Any:
        """Return the growth interval."""
    def get_scale(self) -> _Any:
        """Return the scale; 1.0 where nothing is scaled."""
    def is_enabled(self) -> _Any:
        """Return True if losses are scaled."""
    def load_state_dict(self, state_dict: _Any) -> _Any:
        """Take over what ``state_dict`` returned.  Raise RuntimeError if it is empty."""
    def scale(self, outputs: _Any) -> _Any:
        """Return the tensors, also those in lists and tuples, times the scale.  Raise ValueError for anything else."""
    def set_backoff_factor(self, new_factor: _Any) -> _Any:
        """Set the backoff factor."""
    def set_growth_factor(self, new_factor: _Any) -> _Any:
        """Set the growth factor."""
    def set_growth_interval(self, new_interval: _Any) -> _Any:
        """Set the growth interval."""
    def state_dict(self) -> _Any:
        """Scale, factors and interval; {} where nothing is scaled."""
    def step(self, optimizer: _Any, *args: _Any, **kwargs: _Any) -> _Any:
        """Make the optimizer's step unless a gradient is not finite; return what the step returned."""
    def unscale_(self, optimizer: _Any) -> _Any:
        """Divide the gradients of an optimizer's parameters by the scale."""
    def update(self, new_scale: _Any = None) -> _Any:
        """Adapt the scale to the steps since the last update, or set it."""
class HalfStorage(TypedStorage):
    """Storages of torch.float16."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class HalfTensor:
    """Tensors of torch.float16, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class IntStorage(TypedStorage):
    """Storages of torch.int32."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class IntTensor:
    """Tensors of torch.int32, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class LongStorage(TypedStorage):
    """Storages of torch.int64."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class LongTensor:
    """Tensors of torch.int64, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class ShortStorage(TypedStorage):
    """Storages of torch.int16."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class ShortTensor:
    """Tensors of torch.int16, as a constructor: sizes, or data.  ``torch.tensor(data, dtype=…)`` is preferred."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    dtype: _dtype
    is_cuda: _bool
    is_sparse: _bool
    layout: _layout
class Storage(TypedStorage):
    """Storages of torch.float32."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    kind: _Any
class StorageBase:
    """The memory of a tensor and its views, as bytes."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def bfloat16(self) -> _Any:
        """A copy in torch.bfloat16."""
    def bool(self) -> _Any:
        """A copy in torch.bool."""
    def byte(self) -> _Any:
        """A copy in torch.uint8."""
    def bytes(self) -> _Any:
        """The bytes as a NumPy array over the same memory."""
    def byteswap(self, dtype: _dtype | None) -> _Any:
        """Reverse the bytes of every element of ``dtype``, for complex numbers of both parts."""
    def char(self) -> _Any:
        """A copy in torch.int8."""
    def clone(self) -> _Any:
        """A copy."""
    def complex_double(self) -> _Any:
        """A copy in torch.complex128."""
    def complex_float(self) -> _Any:
        """A copy in torch.complex64."""
    def copy_(self, source: _Any, non_blocking: _Any = None) -> _Any:
        """Copy the bytes of a storage of the same size."""
    def cpu(self) -> _Any:
        """The storage itself, on the CPU.  Raise NotImplementedError for one without elements."""
    def cuda(self, device: _device | _str | _int | None = None, non_blocking: _Any = False) -> _Any:
        """Not available.  Raise AssertionError."""
    def data_ptr(self) -> _int:
        """The address of the first byte; 0 if there is none."""
    @property
    def device(self) -> _device:
        """Return the device of the memory."""
    def double(self) -> _Any:
        """A copy in torch.float64."""
    def element_size(self) -> _int:
        """1: the elements are bytes."""
    @property
    def filename(self) -> _Any:
        """The file that writes reach; None for memory that is not a file."""
    def fill_(self, value: _Any) -> _Any:
        """Set every byte to ``value``."""
    def float(self) -> _Any:
        """A copy in torch.float32."""
    def from_buffer(self, byte_order: _Any = None, count: _Any = -1, offset: _Any = 0, *, dtype: _dtype | None) -> _Any:
        """A copy of the bytes of ``count`` elements of ``dtype``, of which ``byte_order`` is "native", "big" or "little"."""
    def from_file(self, shared: _Any = False, nbytes: _Any = 0) -> _Any:
        """The first bytes of a file, mapped into memory; writes reach the file if it is ``shared``."""
    def get_device(self) -> _int:
        """None: the CPU has no index."""
    def half(self) -> _Any:
        """A copy in torch.float16."""
    def int(self) -> _Any:
        """A copy in torch.int32."""
    is_cuda: _bool
    is_hpu: _Any
    def is_pinned(self, device: _device | _str | _int | None = 'cuda') -> _bool:
        """False: memory is never pinned for a device."""
    def is_shared(self) -> _Any:
        """Return True if other processes may map the memory."""
    is_sparse: _bool
    is_sparse_csr: _bool
    def long(self) -> _Any:
        """A copy in torch.int64."""
    def nbytes(self) -> _Any:
        """The number of bytes."""
    def new(self) -> _Any:
        """A storage of no bytes on the same device."""
    def pin_memory(self, device: _device | _str | _int | None = None) -> _Any:
        """Not available: there is no device to pin memory for.  Raise RuntimeError."""
    def resizable(self) -> _Any:
        """Return True unless the memory is shared with a NumPy array."""
    def resize_(self, size: _Any) -> _Any:
        """Resize the storage to ``size`` bytes of new memory, which begins with the old bytes."""
    def share_memory_(self) -> _Any:
        """Move the memory, with all tensors over it, to shared memory, and return the storage."""
    def short(self) -> _Any:
        """A copy in torch.int16."""
    def size(self) -> _Any:
        """The number of bytes."""
    def to(self, *, device: _device | _str | _int | None, non_blocking: _Any = False) -> _Any:
        """The storage itself, for its own device; other devices are errors."""
    def tolist(self) -> _Any:
        """The bytes as numbers."""
    def type(self, dtype: _dtype | None = None, non_blocking: _Any = False) -> _Any:
        """The name of the class."""
    def untyped(self) -> _Any:
        """The storage itself."""
class Stream:
    """A queue of work on a device: on the CPU always empty."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def __enter__(self) -> _Any: ...
    def __exit__(self, *error: _Any) -> None: ...
    @property
    def device(self) -> _device:
        """The device of the stream."""
    @property
    def device_index(self) -> _Any:
        """The number of the device; -1 without one."""
    @property
    def device_type(self) -> _Any:
        """The number of the kind of device; 0: CPU."""
    def is_capturing(self) -> _Any:
        """Return False: no graph of a device is being captured."""
    @property
    def native_handle(self) -> _Any:
        """Raise RuntimeError: no library keeps a handle of a stream on the CPU."""
    def query(self) -> _Any:
        """Return True: all work is done."""
    def record_event(self, event: _Any = None) -> _Any:
        """Raise RuntimeError: the CPU has no events."""
    @property
    def stream_id(self) -> _Any:
        """The number of the stream on its device."""
    def synchronize(self) -> _Any:
        """Return at once: all work is done."""
    def wait_event(self, event: _Any) -> _Any:
        """Return at once: an event that was never recorded is not waited for."""
    def wait_stream(self, other: Tensor | _Number) -> _Any:
        """Raise RuntimeError: the CPU has no events to wait by."""
class SymBool:
    """A symbolic bool, such as a comparison of sizes while a program is exported."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
class SymFloat:
    """A symbolic float, such as a number that a program reads while it is exported."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
class SymInt:
    """A symbolic int, such as a size while a program is exported."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
class Tag:
    """A property of an operator, which ``torch.library`` takes as ``tags=``."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    core: _Any
    cudagraph_unsafe: _Any
    data_dependent_output: _Any
    dynamic_output_shape: _Any
    flexible_layout: _Any
    generated: _Any
    inplace: _Any
    inplace_view: _Any
    maybe_aliasing_or_mutating: _Any
    needs_contiguous_strides: _Any
    needs_exact_strides: _Any
    needs_fixed_stride_order: _Any
    nondeterministic_bitwise: _Any
    nondeterministic_seeded: _Any
    out: _Any
    out_variant: _Any
    pointwise: _Any
    pt2_compliant_tag: _Any
    reduction: _Any
    view_copy: _Any
class TypedStorage:
    """The memory of a tensor as one array of elements, in memory order."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    @property
    def array(self) -> _Any:
        """The elements, as the array of a storage or tensor."""
    @array.setter
    def array(self, value: _Any) -> None: ...
    def bfloat16(self) -> _Any:
        """A copy in torch.bfloat16."""
    def bool(self) -> _Any:
        """A copy in torch.bool."""
    def byte(self) -> _Any:
        """A copy in torch.uint8."""
    def char(self) -> _Any:
        """A copy in torch.int8."""
    def clone(self) -> _Any:
        """A copy."""
    def complex_double(self) -> _Any:
        """A copy in torch.complex128."""
    def complex_float(self) -> _Any:
        """A copy in torch.complex64."""
    def copy_(self, source: _Any, non_blocking: _Any = None) -> _Any:
        """Take over the bytes of a storage of the same size."""
    def cpu(self) -> _Any:
        """A storage over the same memory, on the CPU.  Raise NotImplementedError for one without elements."""
    def cuda(self, device: _device | _str | _int | None = None, non_blocking: _Any = False) -> _Any:
        """Not available.  Raise AssertionError."""
    def data_ptr(self) -> _int:
        """The address of the first element."""
    @property
    def device(self) -> _device:
        """The device of the memory."""
    def double(self) -> _Any:
        """A copy in torch.float64."""
    @property
    def dtype(self) -> _dtype:
        """The dtype of the elements."""
    def element_size(self) -> _int:
        """Bytes of one element."""
    @property
    def filename(self) -> _Any:
        """The file that writes reach; None for memory that is not a file."""
    def fill_(self, value: _Any) -> _Any:
        """Set every element to ``value``."""
    def float(self) -> _Any:
        """A copy in torch.float32."""
    def from_buffer(self, byte_order: _Any = None, count: _Any = -1, offset: _Any = 0, *, dtype: _dtype | None = None) -> _Any:
        """A copy of ``count`` elements of a buffer, of which ``byte_order`` is "native", "big" or "little"."""
    def from_file(self, shared: _Any = False, size: _Any = 0) -> _Any:
        """The first ``size`` elements of a file, mapped into memory; writes reach the file if it is ``shared``."""
    def get_device(self) -> _int:
        """None: the CPU has no index."""
    def half(self) -> _Any:
        """A copy in torch.float16."""
    def int(self) -> _Any:
        """A copy in torch.int32."""
    is_cuda: _bool
    is_hpu: _Any
    def is_pinned(self, device: _device | _str | _int | None = 'cuda') -> _bool:
        """False: memory is never pinned for a device."""
    def is_shared(self) -> _Any:
        """Return True if other processes may map the memory."""
    is_sparse: _bool
    kind: _Any
    def long(self) -> _Any:
        """A copy in torch.int64."""
    def nbytes(self) -> _Any:
        """The number of bytes."""
    def pickle_storage_type(self) -> _Any:
        """The name of the class of this dtype, without the module."""
    def pin_memory(self, device: _device | _str | _int | None = None) -> _Any:
        """Not available: there is no device to pin memory for.  Raise RuntimeError."""
    def resizable(self) -> _Any:
        """Return True unless the memory is shared with a NumPy array."""
    def resize_(self, size: _Any) -> _Any:
        """Resize the storage, in new memory that begins with the old elements."""
    row: _Any
    def share_memory_(self) -> _Any:
        """Move the memory, with all tensors over it, to shared memory, and return the storage."""
    def short(self) -> _Any:
        """A copy in torch.int16."""
    def size(self) -> _Any:
        """The number of elements."""
    def to(self, *, device: _device | _str | _int | None, non_blocking: _Any = False) -> _Any:
        """A storage over the same memory, for its own device; other devices are errors."""
    def tolist(self) -> _Any:
        """The elements as numbers."""
    def type(self, dtype: _dtype | None = None, non_blocking: _Any = False) -> _Any:
        """The name of the class of this dtype."""
    def untyped(self) -> _Any:
        """Return the memory as bytes."""
class UntypedStorage:
    """The memory of a tensor and its views, as bytes."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def bfloat16(self) -> _Any:
        """A copy in torch.bfloat16."""
    def bool(self) -> _Any:
        """A copy in torch.bool."""
    def byte(self) -> _Any:
        """A copy in torch.uint8."""
    def bytes(self) -> _Any:
        """The bytes as a NumPy array over the same memory."""
    def byteswap(self, dtype: _dtype | None) -> _Any:
        """Reverse the bytes of every element of ``dtype``, for complex numbers of both parts."""
    def char(self) -> _Any:
        """A copy in torch.int8."""
    def clone(self) -> _Any:
        """A copy."""
    def complex_double(self) -> _Any:
        """A copy in torch.complex128."""
    def complex_float(self) -> _Any:
        """A copy in torch.complex64."""
    def copy_(self, source: _Any, non_blocking: _Any = None) -> _Any:
        """Copy the bytes of a storage of the same size."""
    def cpu(self) -> _Any:
        """The storage itself, on the CPU.  Raise NotImplementedError for one without elements."""
    def cuda(self, device: _device | _str | _int | None = None, non_blocking: _Any = False) -> _Any:
        """Not available.  Raise AssertionError."""
    def data_ptr(self) -> _int:
        """The address of the first byte; 0 if there is none."""
    @property
    def device(self) -> _device:
        """Return the device of the memory."""
    def double(self) -> _Any:
        """A copy in torch.float64."""
    def element_size(self) -> _int:
        """1: the elements are bytes."""
    @property
    def filename(self) -> _Any:
        """The file that writes reach; None for memory that is not a file."""
    def fill_(self, value: _Any) -> _Any:
        """Set every byte to ``value``."""
    def float(self) -> _Any:
        """A copy in torch.float32."""
    def from_buffer(self, byte_order: _Any = None, count: _Any = -1, offset: _Any = 0, *, dtype: _dtype | None) -> _Any:
        """A copy of the bytes of ``count`` elements of ``dtype``, of which ``byte_order`` is "native", "big" or "little"."""
    def from_file(self, shared: _Any = False, nbytes: _Any = 0) -> _Any:
        """The first bytes of a file, mapped into memory; writes reach the file if it is ``shared``."""
    def get_device(self) -> _int:
        """None: the CPU has no index."""
    def half(self) -> _Any:
        """A copy in torch.float16."""
    def int(self) -> _Any:
        """A copy in torch.int32."""
    is_cuda: _bool
    is_hpu: _Any
    def is_pinned(self, device: _device | _str | _int | None = 'cuda') -> _bool:
        """False: memory is never pinned for a device."""
    def is_shared(self) -> _Any:
        """Return True if other processes may map the memory."""
    is_sparse: _bool
    is_sparse_csr: _bool
    def long(self) -> _Any:
        """A copy in torch.int64."""
    def nbytes(self) -> _Any:
        """The number of bytes."""
    def new(self) -> _Any:
        """A storage of no bytes on the same device."""
    def pin_memory(self, device: _device | _str | _int | None = None) -> _Any:
        """Not available: there is no device to pin memory for.  Raise RuntimeError."""
    def resizable(self) -> _Any:
        """Return True unless the memory is shared with a NumPy array."""
    def resize_(self, size: _Any) -> _Any:
        """Resize the storage to ``size`` bytes of new memory, which begins with the old bytes."""
    def share_memory_(self) -> _Any:
        """Move the memory, with all tensors over it, to shared memory, and return the storage."""
    def short(self) -> _Any:
        """A copy in torch.int16."""
    def size(self) -> _Any:
        """The number of bytes."""
    def to(self, *, device: _device | _str | _int | None, non_blocking: _Any = False) -> _Any:
        """The storage itself, for its own device; other devices are errors."""
    def tolist(self) -> _Any:
        """The bytes as numbers."""
    def type(self, dtype: _dtype | None = None, non_blocking: _Any = False) -> _Any:
        """The name of the class."""
    def untyped(self) -> _Any:
        """The storage itself."""
from tensh import accelerator as accelerator
from tensh import amp as amp
class autocast:
    """A context, or a decorator, in which operators choose their precision."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def __enter__(self) -> _Any: ...
    def __exit__(self, *error: _Any) -> None: ...
    def __call__(self, function: _F) -> _F: ...
from tensh import autograd as autograd
from tensh import backends as backends
bfloat16: _dtype
bool: _dtype
cdouble: _dtype
cfloat: _dtype
chalf: _dtype
channels_last: _memory_format
channels_last_3d: _memory_format
from tensh import classes as classes
from tensh import compiler as compiler
complex128: _dtype
complex32: _dtype
complex64: _dtype
contiguous_format: _memory_format
from tensh import cpu as cpu
from tensh import cuda as cuda
default_generator: _Any
class device:
    """The device of a tensor.  tensh computes on the CPU; other devices can be named but not used."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def __enter__(self) -> _Any: ...
    def __exit__(self, *error: _Any) -> None: ...
    KINDS: _Any
    index: _Any
    type: _Any
_device = device
from tensh import distributions as distributions
double: _dtype
class dtype:
    """The type of a tensor's elements, such as ``torch.float32``."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    category: _Any
    @property
    def class_of_tensors(self) -> _Any:
        """The name of tensors of this dtype in error messages."""
    ctype: _Any
    @property
    def is_complex(self) -> _Any:
        ...
    @property
    def is_floating_point(self) -> _Any:
        ...
    is_signed: _Any
    itemsize: _int
    legacy: _Any
    name: _Any
    @property
    def numpy(self) -> _Any:
        """Return the equivalent NumPy dtype."""
    @property
    def spoken(self) -> _Any:
        """The type's C++ name in error messages."""
    title: _Any
    def to_complex(self) -> _Any:
        """Return the complex dtype whose parts are of this dtype.  Raise RuntimeError if there is none."""
    def to_real(self) -> _Any:
        """Return the dtype of the real part for a complex dtype, otherwise the dtype itself."""
_dtype = dtype
e: _float
class enable_grad:
    """Inside, computations on tensors that require grad are recorded, even within ``no_grad``."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def __enter__(self) -> _Any: ...
    def __exit__(self, *error: _Any) -> None: ...
    def __call__(self, function: _F) -> _F: ...
    def clone(self) -> _Any:
        """Return a new context of this kind, so that one object may be entered several times at once."""
from tensh import fft as fft
class finfo:
    """The limits of a floating point dtype (of the default dtype if none is given), or of a complex dtype's parts."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    bits: _Any
    dtype: _dtype
    eps: _Any
    def facts(self) -> _Any:
        ...
    max: _Any
    min: _Any
    resolution: _Any
    shown: _Any
    smallest_normal: _Any
    tiny: _Any
float: _dtype
float16: _dtype
float32: _dtype
float64: _dtype
float8_e4m3fn: _dtype
float8_e4m3fnuz: _dtype
float8_e5m2: _dtype
float8_e5m2fnuz: _dtype
float8_e8m0fnu: _dtype
from tensh import func as func
from tensh import functional as functional
from tensh import fx as fx
half: _dtype
has_lapack: _bool
has_mkl: _bool
has_openmp: _bool
has_spectral: _bool
from tensh import hub as hub
class iinfo:
    """The limits of an integer dtype: ``bits``, ``max``, ``min`` and ``dtype`` (its name, a string)."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    bits: _Any
    dtype: _dtype
    def facts(self) -> _Any:
        ...
    max: _Any
    min: _Any
    shown: _Any
inf: _float
class inference_mode:
    """Nothing computed inside is recorded, and tensors made inside cannot be used where gradients are recorded."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def __enter__(self) -> _Any: ...
    def __exit__(self, *error: _Any) -> None: ...
    def __call__(self, function: _F) -> _F: ...
    def clone(self) -> _Any:
        """Return a new context of this kind, so that one object may be entered several times at once."""
int: _dtype
int16: _dtype
int32: _dtype
int64: _dtype
int8: _dtype
jagged: _layout
class layout:
    """The layout of a tensor in memory; ``torch.strided`` is the usual one."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    name: _Any
_layout = layout
legacy_contiguous_format: _memory_format
from tensh import library as library
from tensh import linalg as linalg
long: _dtype
from tensh import masked as masked
class memory_format:
    """The order of a new tensor's dimensions in memory."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    name: _Any
_memory_format = memory_format
from tensh import multiprocessing as multiprocessing
nan: _float
from tensh import nested as nested
newaxis: _Any
from tensh import nn as nn
class no_grad:
    """Nothing computed inside is recorded."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def __enter__(self) -> _Any: ...
    def __exit__(self, *error: _Any) -> None: ...
    def __call__(self, function: _F) -> _F: ...
    def clone(self) -> _Any:
        """Return a new context of this kind, so that one object may be entered several times at once."""
from tensh import ops as ops
from tensh import optim as optim
from tensh import overrides as overrides
pi: _float
preserve_format: _memory_format
from tensh import profiler as profiler
from tensh import quasirandom as quasirandom
from tensh import random as random
from tensh import return_types as return_types
from tensh import serialization as serialization
class set_grad_enabled:
    """Switch recording at once; as a context manager, until the block ends."""
    def __init__(self, *args: _Any, **options: _Any) -> None: ...
    def __enter__(self) -> _Any: ...
    def __exit__(self, *error: _Any) -> None: ...
    def __call__(self, function: _F) -> _F: ...
    def clone(self) -> _Any:
        """Return a new context of this kind, so that one object may be entered several times at once."""
short: _dtype
from tensh import show as show
from tensh import signal as signal
from tensh import sparse as sparse
sparse_bsc: _layout
sparse_bsr: _layout
sparse_coo: _layout
sparse_csc: _layout
sparse_csr: _layout
from tensh import special as special
from tensh import storage as storage
strided: _layout
from tensh import testing as testing
from tensh import torch_version as torch_version
from tensh import types as types
uint16: _dtype
uint32: _dtype
uint64: _dtype
uint8: _dtype
from tensh import utils as utils
from tensh import version as version
__version__: _str
_F = _TypeVar("_F", bound=_Callable[..., _Any])
_Number = _bool | _int | _float | _complex
_Dims = _int | _Sequence[_int]
_Tensors = tuple[Tensor, ...] | list[Tensor]
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Absolute value of input."""
def abs_(input: Tensor) -> Tensor:
    """In-place version of abs.  Differentiable."""
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Absolute value of input."""
def absolute_(input: Tensor) -> Tensor:
    """In-place version of abs.  Differentiable."""
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine of input."""
def acos_(input: Tensor) -> Tensor:
    """Inverse cosine of input."""
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine of input."""
def acosh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic cosine of input."""
def adaptive_avg_pool1d(input: Tensor, output_size: _Any) -> Tensor:
    """The means of ``output_size`` windows that cover the last dimension evenly.  Differentiable."""
def adaptive_max_pool1d(input: Tensor, output_size: _Any) -> Tensor:
    """The largest elements of ``output_size`` windows that cover the last dimension evenly.  Differentiable."""
def add(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
    """Sum of input and other, or of input and ``alpha`` times other."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha`` times the sum of the products of two stacks of matrices.  Differentiable."""
def addbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
    """``beta * input + alpha`` times the sum of the products of two stacks of matrices.  Differentiable."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Any = 1, out: Tensor | None = None) -> Tensor:
    """input + value * tensor1 / tensor2; shapes are broadcast.  Differentiable."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Any = 1, out: Tensor | None = None) -> Tensor:
    """input + value * tensor1 * tensor2; shapes are broadcast.  Differentiable."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)`` for matrices; ``input`` is broadcast.  Differentiable."""
def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)`` for matrices; ``input`` is broadcast.  Differentiable."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha * (mat @ vec)`` for a matrix and a vector.  Differentiable."""
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
    """``beta * input + alpha * (mat @ vec)`` for a matrix and a vector.  Differentiable."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha`` times the outer product of two vectors.  Differentiable."""
def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
    """``beta * input + alpha`` times the outer product of two vectors.  Differentiable."""
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of matrices.  Differentiable; a view if the tensor is real."""
def affine_grid_generator(theta: _Any, size: _Any, align_corners: _Any) -> _Any:
    """``affine_grid`` without its checks.  Differentiable."""
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``alias``: [*].  Differentiable."""
def all(input: Tensor, dim: _Any = None, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """True where all elements (along ``dim``) are not zero.  Shape: [*] to [], or without ``dim``."""
def allclose(input: Tensor, other: Tensor | _Number, rtol: _float = ..., atol: _float = ..., equal_nan: _Any = False) -> _bool:
    """Return True if every element of input is close to that of other; see ``isclose``."""
def alpha_dropout(input: Tensor, p: _Any, train: _Any) -> Tensor:
    """``torch.nn.functional.alpha_dropout`` without its defaults.  Differentiable."""
def alpha_dropout_(input: Tensor, p: _Any, train: _Any) -> Tensor:
    """``torch.nn.functional.alpha_dropout`` without its defaults.  Differentiable."""
def amax(input: Tensor, dim: _Any = ..., keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The largest element, or the largest ones along ``dim`` (an int or a sequence of them)."""
def amin(input: Tensor, dim: _Any = ..., keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The smallest element, or the smallest ones along ``dim`` (an int or a sequence of them)."""
def aminmax(input: Tensor, *, dim: _Any = None, keepdim: _bool = False, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
    """The smallest and the largest element, of all or along ``dim``.  Differentiable."""
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle between the positive real axis and input, in radians."""
def any(input: Tensor, dim: _Any = None, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """True where any element (along ``dim``) is not zero.  Shape: [*] to [], or without ``dim``."""
def arange(*bounds: _Any, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Return the numbers from ``start`` (0) to ``end``, exclusive, in steps of ``step`` (1)."""
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine of input."""
def arccos_(input: Tensor) -> Tensor:
    """Inverse cosine of input."""
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine of input."""
def arccosh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic cosine of input."""
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine of input."""
def arcsin_(input: Tensor) -> Tensor:
    """Inverse sine of input."""
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine of input."""
def arcsinh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic sine of input."""
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent of input."""
def arctan2(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Angle between the positive first axis and the point (other, input), in radians."""
def arctan_(input: Tensor) -> Tensor:
    """Inverse tangent of input."""
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent of input."""
def arctanh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic tangent of input."""
def are_deterministic_algorithms_enabled() -> _Any:
    """Return True if deterministic algorithms are required."""
def argmax(input: Tensor, dim: _Any = None, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The index of the largest element: in the flattened input, or along ``dim``.  Of equal elements, the first."""
def argmin(input: Tensor, dim: _Any = None, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The index of the smallest element: in the flattened input, or along ``dim``.  Of equal elements, the first."""
def argsort(input: Tensor, dim: _Any = -1, descending: _bool = False, *, stable: _bool = False, axis: _Any = None) -> Tensor:
    """The indices that sort the elements along ``dim``.  Shape: [*], kept. Raise RuntimeError for complex numbers."""
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, as rows.  Shape: [*] with d dimensions to [found, d]."""
def as_strided(input: Tensor, size: _Any, stride: _Any, storage_offset: _Any = None) -> Tensor:
    """The memory of the input in another size, with the given strides and ``storage_offset``, in elements."""
def as_strided_(self: Tensor, size: _Any, stride: _Any, storage_offset: _Any = None) -> Tensor:
    """In-place version of ``as_strided``: the tensor becomes its own view."""
def as_strided_copy(input: Tensor, size: _Any, stride: _Any, storage_offset: _Any = None, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``as_strided``: [*size].  Differentiable."""
def as_strided_scatter(input: Tensor, src: _Any, size: _Any, stride: _Any, storage_offset: _Any = None) -> Tensor:
    """The input with the elements at the given strides replaced by ``src``.  Differentiable.  Shapes: ``src`` [*size]."""
def as_tensor(data: _Any, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None) -> Tensor:
    """Return ``data`` as a tensor: itself, or sharing its memory, if the dtype is right; a copy otherwise."""
def asarray(obj: _Any, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None, copy: _Any = None, requires_grad: _bool | None = None) -> Tensor:
    """Convert ``obj`` to a tensor; ``copy=False`` insists on shared memory, ``copy=True`` on a copy."""
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine of input."""
def asin_(input: Tensor) -> Tensor:
    """Inverse sine of input."""
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine of input."""
def asinh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic sine of input."""
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent of input."""
def atan2(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Angle between the positive first axis and the point (other, input), in radians."""
def atan_(input: Tensor) -> Tensor:
    """Inverse tangent of input."""
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent of input."""
def atanh_(input: Tensor) -> Tensor:
    """Inverse hyperbolic tangent of input."""
def atleast_1d(*tensors: _Any) -> Tensor:
    """Each tensor with at least 1 dimension; several come back as a tuple.  Differentiable."""
def atleast_2d(*tensors: _Any) -> Tensor:
    """Each tensor with at least 2 dimensions; several come back as a tuple.  Differentiable."""
def atleast_3d(*tensors: _Any) -> Tensor:
    """Each tensor with at least 3 dimensions; several come back as a tuple.  Differentiable."""
def autocast_decrement_nesting() -> _Any:
    """Leave a region; return how many are still entered."""
def autocast_increment_nesting() -> _Any:
    """Enter one more region; return how many are entered."""
def avg_pool1d(input: Tensor, kernel_size: _Any, stride: _Any = None, padding: _Any = 0, ceil_mode: _Any = False, count_include_pad: _Any = True) -> Tensor:
    """The mean of every window of ``kernel_size`` in the last dimension.  Differentiable."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices.  Differentiable."""
def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices.  Differentiable."""
def bartlett_window(window_length: _Any, periodic: _Any = True, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Bartlett window: a triangle.  Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype."""
def batch_norm(input: Tensor, weight: Tensor, bias: Tensor | None, running_mean: _Any, running_var: _Any, training: _Any, momentum: _Any, eps: _float, cudnn_enabled: _Any) -> Tensor:
    """``torch.nn.functional.batch_norm`` with its arguments in another order.  Differentiable."""
def bernoulli(input: Tensor, p: _Any = None, *, generator: _Any = None, out: Tensor | None = None) -> Tensor:
    """Ones with the probabilities in ``input`` (or with probability ``p``), zeros otherwise."""
def bilinear(input1: _Any, input2: _Any, weight: Tensor, bias: Tensor | None = None) -> _Any:
    """The bilinear form ``input1 @ weight[o] @ input2`` for every output, plus ``bias``.  Differentiable in all four."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: _Any = None, reduction: _str | _int = 0) -> Tensor:
    """``torch.nn.functional.binary_cross_entropy_with_logits`` with ``reduction`` as a number.  Differentiable."""
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _Any = 0) -> Tensor:
    """Count the occurrences of each of the numbers 0, 1, 2, …, or add up their weights."""
def binomial(count: _Any, prob: _Any, generator: _Any = None) -> Tensor:
    """Numbers of successes in ``count`` trials of probability ``prob`` each.  There is no derivative."""
def bitwise_and(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Bitwise AND: the bits that are set in both input and other."""
def bitwise_left_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Input with its bits shifted to the left by other places."""
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bitwise NOT: every bit inverted; for bools, the negation."""
def bitwise_or(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Bitwise OR: the bits that are set in input or other."""
def bitwise_right_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Input with its bits shifted to the right by other places."""
def bitwise_xor(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Bitwise XOR: the bits that are set in exactly one of input and other."""
def blackman_window(window_length: _Any, periodic: _Any = True, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Blackman window: the sum of two cosines.  Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype."""
def block_diag(*tensors: _Any) -> Tensor:
    """The matrices along the diagonal of zeros; vectors count as rows.  Differentiable."""
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two stacks of matrices, (b, n, k) and (b, k, m).  Differentiable."""
def broadcast_shapes(*shapes: _Any) -> Size:
    """The size that tensors of these sizes are broadcast to.  Shape: [*]. Raise RuntimeError for sizes that do not broadcast."""
def broadcast_tensors(*tensors: _Any) -> tuple[Tensor, ...]:
    """The tensors, each expanded to the broadcast size.  Differentiable, views."""
def broadcast_to(input: Tensor, size: _Any) -> Tensor:
    """The input expanded to ``size``.  Differentiable, a view.  Shape: [*size]."""
def bucketize(input: Tensor, boundaries: _Any, *, out_int32: _Any = False, right: _Any = False, out: Tensor | None = None) -> Tensor:
    """The index of the bucket between sorted boundaries for each value."""
def can_cast(from_: _Any, to: _Any) -> _bool:
    """Return True if a result of dtype ``from_`` may be written into a tensor of dtype ``to``."""
def cartesian_prod(*tensors: _Any) -> Tensor:
    """All tuples with one element of each vector, as rows.  Differentiable."""
def cat(tensors: _Tensors, dim: _Any = 0, *, axis: _Any = None, out: Tensor | None = None) -> Tensor:
    """Join tensors along ``dim``; they agree in all other sizes.  Differentiable."""
def cdist(x1: _Any, x2: _Any, p: _Any = ..., compute_mode: _Any = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The ``p``-norm distances of every row of ``x1`` and every row of ``x2``, over batch dimensions.  Differentiable."""
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Input rounded up to the next integer."""
def ceil_(input: Tensor) -> Tensor:
    """Input rounded up to the next integer."""
def celu(input: Tensor, alpha: _Any = ...) -> Tensor:
    """The input where it is positive, ``alpha * (exp(input / alpha) - 1)`` elsewhere."""
def celu_(input: Tensor, alpha: _Any = ...) -> Tensor:
    """In-place version of celu.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
def chain_matmul(*matrices: _Any, out: Tensor | None = None) -> Tensor:
    """The product of matrices in the cheapest order: ``torch.linalg.multi_dot``, also for one matrix.  Differentiable."""
def channel_shuffle(input: Tensor, groups: _Any) -> Tensor:
    """The channels of [N, C, ...] reordered: the first of each of ``groups`` groups, then the second of each, and so on."""
def cholesky(input: Tensor, upper: _Any = False, *, out: Tensor | None = None) -> Tensor:
    """The Cholesky factor: ``torch.linalg.cholesky``.  Differentiable."""
def cholesky_inverse(L: Tensor, upper: _Any = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of A = L L^H (A = L^H L if ``upper``).  Differentiable."""
def cholesky_solve(B: Tensor, L: Tensor, upper: _Any = False, *, out: Tensor | None = None) -> Tensor:
    """The solutions of A X = B for A = L L^H (A = L^H L if ``upper``).  Differentiable."""
def chunk(input: Tensor, chunks: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
    """The input in at most ``chunks`` parts of one size along ``dim``; the last may be smaller.  Differentiable, views."""
def clamp(input: Tensor, min: _Any = None, max: _Any = None, *, out: Tensor | None = None) -> Tensor:
    """Input with its elements limited to ``min`` and ``max``; either may be omitted."""
def clamp_(input: Tensor, min: _Any = None, max: _Any = None) -> Tensor:
    """In-place version of clamp.  Raise RuntimeError if no bound is given."""
def clamp_max(input: Tensor | _Number, max: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Input, but at most ``max``."""
def clamp_max_(input: Tensor | _Number, max: Tensor | _Number) -> Tensor:
    """Input, but at most ``max``."""
def clamp_min(input: Tensor | _Number, min: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Input, but at least ``min``."""
def clamp_min_(input: Tensor | _Number, min: Tensor | _Number) -> Tensor:
    """Input, but at least ``min``."""
def clear_autocast_cache() -> _Any:
    """Forget the leaves that have been cast."""
def clip(input: Tensor, min: _Any = None, max: _Any = None, *, out: Tensor | None = None) -> Tensor:
    """Input with its elements limited to ``min`` and ``max``; either may be omitted."""
def clip_(input: Tensor, min: _Any = None, max: _Any = None) -> Tensor:
    """In-place version of clamp.  Raise RuntimeError if no bound is given."""
def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """Copy the input into new dense memory, with its dimensions in the same order."""
def column_stack(tensors: _Tensors, *, out: Tensor | None = None) -> Tensor:
    """The tensors side by side, vectors as columns.  Differentiable.  Shapes: [n, *] to [n, *]. Raise RuntimeError for an empty list."""
def combinations(input: Tensor, r: _Any = 2, with_replacement: _Any = False) -> Tensor:
    """All selections of ``r`` elements of a vector, in order, as rows.  Differentiable."""
def compile(model: _Any = None, *, fullgraph: _Any = False, dynamic: _Any = None, backend: _Any = None, mode: _Any = None, options: _Any = None, name: _Any = None, disable: _Any = False, recompile_limit: _Any = None, isolate_recompiles: _Any = False, shapes_spec: _Any = None) -> _Any:
    """Run a function or a module as graphs: captured at the first call, optimized, and written as Python."""
def complex(real: _Any, imag: _Any, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers of the given real and imaginary parts, floating point tensors of one dtype.  Differentiable."""
def concat(tensors: _Tensors, dim: _Any = 0, *, axis: _Any = None, out: Tensor | None = None) -> Tensor:
    """Join tensors along ``dim``; they agree in all other sizes.  Differentiable."""
def concatenate(tensors: _Tensors, dim: _Any = 0, *, axis: _Any = None, out: Tensor | None = None) -> Tensor:
    """Join tensors along ``dim``; they agree in all other sizes.  Differentiable."""
def cond(pred: _Any, true_fn: _Any, false_fn: _Any, operands: _Any = ...) -> _Any:
    """Return ``true_fn(*operands)`` where ``pred`` holds, else ``false_fn(*operands)``."""
def conj(input: Tensor) -> Tensor:
    """The complex conjugate; real tensors are returned as they are.  Differentiable."""
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate in new memory; a real tensor itself.  Differentiable."""
def conj_physical_(input: Tensor) -> Tensor:
    """In-place version of conj_physical; real tensors may be expanded."""
def constant_pad_nd(input: Tensor, pad: _Any, value: _Any = 0) -> Tensor:
    """The input with ``value`` around it; ``pad`` has counts (before, after) from the last dimension on."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _Any = 1, padding: _Any = 0, dilation: _Any = 1, groups: _Any = 1) -> Tensor:
    """Convolution of ``input`` [N, C, L] (or without N) with ``weight``, plus ``bias``: [N, O, L_out]."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _Any = 1, padding: _Any = 0, dilation: _Any = 1, groups: _Any = 1) -> Tensor:
    """Convolution of ``input`` [N, C, H, W] (or without N) with ``weight``, plus ``bias``: [N, O, H_out, W_out]."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _Any = 1, padding: _Any = 0, dilation: _Any = 1, groups: _Any = 1) -> Tensor:
    """Convolution of ``input`` [N, C, D, H, W] (or without N) with ``weight``, plus ``bias``: [N, O, D_out, H_out, W_out]."""
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor | None, pad: _Any = 0) -> Tensor:
    """A convolution along the first dimension: ``input`` [T, N, C], ``weight`` [K, C, O], ``bias`` [O].  Differentiable."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _Any = 1, padding: _Any = 0, output_padding: _Any = 0, groups: _Any = 1, dilation: _Any = 1) -> Tensor:
    """Transposed convolution of ``input`` [N, C, L] (or without N) with ``weight``: [N, O, L_out]."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _Any = 1, padding: _Any = 0, output_padding: _Any = 0, groups: _Any = 1, dilation: _Any = 1) -> Tensor:
    """Transposed convolution of ``input`` [N, C, H, W] (or without N) with ``weight``: [N, O, H_out, W_out]."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _Any = 1, padding: _Any = 0, output_padding: _Any = 0, groups: _Any = 1, dilation: _Any = 1) -> Tensor:
    """Transposed convolution of ``input`` [N, C, D, H, W] (or without N) with ``weight``: [N, O, D_out, H_out, W_out]."""
def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: _Any, padding: _Any, dilation: _Any, transposed: _Any, output_padding: _Any, groups: _Any) -> Tensor:
    """A convolution, or with ``transposed`` its transpose; the weight has two dimensions more than the convolution."""
def copysign(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The absolute value of input with the sign of other."""
def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of the rows.  Differentiable."""
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Cosine of input."""
def cos_(input: Tensor) -> Tensor:
    """Cosine of input."""
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic cosine of input."""
def cosh_(input: Tensor) -> Tensor:
    """Hyperbolic cosine of input."""
def cosine_embedding_loss(input1: _Any, input2: _Any, target: Tensor, margin: _Any = 0, reduction: _str | _int = 0) -> _Any:
    """``1 - cos`` of two vectors where ``target`` is 1, and ``max(0, cos - margin)`` where it is -1."""
def cosine_similarity(x1: _Any, x2: _Any, dim: _Any = 1, eps: _float = ...) -> _Any:
    """The cosine of the angle between vectors along ``dim``; lengths below ``eps`` are replaced by it.  Differentiable."""
def count_nonzero(input: Tensor, dim: _Any = None, *, axis: _Any = None) -> Tensor:
    """The number of elements (along ``dim``) that are not zero.  Shape: [*] to [], or without ``dim``."""
def cov(input: Tensor, *, correction: _Any = 1, fweights: _Any = None, aweights: _Any = None) -> Tensor:
    """The covariance matrix of the rows; a vector has its variance."""
def cross(input: Tensor, other: Tensor | _Number, dim: _Any = None, *, out: Tensor | None = None) -> Tensor:
    """The cross products along ``dim``, or along the first dimension of size 3.  Differentiable."""
def ctc_loss(log_probs: _Any, targets: _Any, input_lengths: _Any, target_lengths: _Any, blank: _Any = 0, reduction: _str | _int = 0, zero_infinity: _Any = False) -> _Any:
    """Compute the negative log-likelihood of the label sequences ``targets`` under all alignments: ``log_probs`` [T, N, C]."""
def cummax(input: Tensor, dim: _Any, *, axis: _Any = None, out: Tensor | None = None) -> _Any:
    """The largest element so far along ``dim``, and its index.  Differentiable."""
def cummin(input: Tensor, dim: _Any, *, axis: _Any = None, out: Tensor | None = None) -> _Any:
    """The smallest element so far along ``dim``, and its index.  Differentiable."""
def cumprod(input: Tensor, dim: _Any, *, dtype: _dtype | None = None, axis: _Any = None, out: Tensor | None = None) -> Tensor:
    """The running product along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given."""
def cumprod_(input: Tensor, dim: _Any, *, dtype: _dtype | None = None, axis: _Any = None) -> Tensor:
    """The running product along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given."""
def cumsum(input: Tensor, dim: _Any, *, dtype: _dtype | None = None, axis: _Any = None, out: Tensor | None = None) -> Tensor:
    """The running sum along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given."""
def cumsum_(input: Tensor, dim: _Any, *, dtype: _dtype | None = None, axis: _Any = None) -> Tensor:
    """The running sum along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given."""
def cumulative_trapezoid(y: _Any, x: _Any = None, *, dx: _Any = 1, dim: _Any = -1) -> Tensor:
    """The running integral along ``dim`` by the trapezoidal rule.  Differentiable."""
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Input converted from degrees to radians."""
def deg2rad_(input: Tensor) -> Tensor:
    """Input converted from degrees to radians."""
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinants of square matrices.  Differentiable.  Shape: [..., n, n] to [...]."""
def detach(self: Tensor) -> Tensor:
    """Return a view without history: the two share their memory and the count of writes."""
def detach_(self: Tensor) -> Tensor:
    """Detach this tensor from its history, in place; do nothing in inference mode.  Raise RuntimeError for a view."""
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy.  As in PyTorch it is recorded without a derivative.  Shape: [*]."""
def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """A matrix with a vector as its diagonal, or the diagonal of a matrix, as a copy.  Differentiable."""
def diag_embed(input: Tensor, offset: _Any = 0, dim1: _int = -2, dim2: _Any = -1) -> Tensor:
    """Matrices of zeros with the last dimension of the input as their diagonals.  Differentiable."""
def diagflat(input: Tensor, offset: _Any = 0) -> Tensor:
    """A matrix of zeros with all elements of the input on its diagonal.  Differentiable.  Shape: [*] to [n, n]."""
def diagonal(input: Tensor, offset: _Any = 0, dim1: _int = 0, dim2: _Any = 1) -> Tensor:
    """The diagonals over two dimensions, as the last dimension.  Differentiable, a view."""
def diagonal_copy(input: Tensor, offset: _Any = 0, dim1: _int = 0, dim2: _Any = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``diagonal``: [*].  Differentiable."""
def diagonal_scatter(input: Tensor, src: _Any, offset: _Any = 0, dim1: _int = 0, dim2: _Any = 1) -> Tensor:
    """The input with a diagonal replaced by ``src``.  Differentiable."""
def diff(input: Tensor, n: _Any = 1, dim: _Any = -1, prepend: _Any = None, append: _Any = None, *, out: Tensor | None = None) -> Tensor:
    """The ``n``-th differences of neighbours along ``dim``; ``prepend`` and ``append`` are joined to the input before."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Derivative of lgamma at input."""
def dist(input: Tensor, other: Tensor, p: _Any = 2) -> Tensor:
    """The ``p``-norm of ``input - other``.  Differentiable.  Shapes: [*] to []. Raise RuntimeError for integers."""
def div(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _Any = None, out: Tensor | None = None) -> Tensor:
    """Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down."""
def divide(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _Any = None, out: Tensor | None = None) -> Tensor:
    """Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down."""
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements.  Differentiable."""
def dropout(input: Tensor, p: _Any, train: _Any) -> Tensor:
    """``torch.nn.functional.dropout`` without its defaults.  Differentiable."""
def dropout_(input: Tensor, p: _Any, train: _Any) -> Tensor:
    """``torch.nn.functional.dropout`` without its defaults.  Differentiable."""
def dsmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, k) and (k, m).  Differentiable."""
def dsplit(input: Tensor, indices_or_sections: _Any) -> tuple[Tensor, ...]:
    """The input cut along its third dimension: in equal parts, or before each of the given indices."""
def dstack(tensors: _Tensors, *, out: Tensor | None = None) -> Tensor:
    """The tensors along their third dimension.  Differentiable.  Shapes: [n, m] to [n, m, k]. Raise RuntimeError for an empty list."""
def einsum(equation: _str, *operands: _Any) -> Tensor:
    """The sum of products of the operands' elements by the equation: ``"ij,jk->ik"`` is a matrix product."""
def embedding(weight: Tensor, indices: _Any, padding_idx: _Any = -1, scale_grad_by_freq: _Any = False, sparse: _Any = False) -> _Any:
    """The rows of ``weight`` at ``indices``, as ``torch.nn.functional.embedding``.  Differentiable in weight."""
def embedding_bag(weight: Tensor, indices: _Any, offsets: _Any, scale_grad_by_freq: _Any = False, mode: _Any = 0, sparse: _Any = False, per_sample_weights: _Any = None, include_last_offset: _Any = False, padding_idx: _Any = None) -> _Any:
    """Return (output, bag of each index, size of each bag, chosen rows) of ``nn.functional.embedding_bag``.  Differentiable."""
def embedding_renorm_(weight: Tensor, indices: _Any, max_norm: _Any, norm_type: _Any) -> _Any:
    """Scale the rows of ``weight`` at ``indices`` down to a ``norm_type``-norm of ``max_norm``, in place."""
def empty(*size: _Any, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of the given size, with uninitialized elements."""
def empty_like(input: Tensor, *, memory_format: _memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of the shape, dtype and order of memory of ``input``, with uninitialized elements."""
def empty_permuted(size: _Any, physical_layout: _Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Make an uninitialized tensor without gaps whose dimensions have the order ``physical_layout`` in memory."""
def empty_strided(size: _Any, stride: _Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Make a tensor with the given strides and uninitialized elements."""
def eq(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is equal to other."""
def equal(input: Tensor, other: Tensor | _Number) -> _bool:
    """Return True if both have the same shape and the same elements."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function of input."""
def erf_(input: Tensor) -> Tensor:
    """The error function of input."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 - erf(input), accurate where erf is nearly 1."""
def erfc_(input: Tensor) -> Tensor:
    """1 - erf(input), accurate where erf is nearly 1."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse error function of input."""
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power of input."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of input."""
def exp2_(input: Tensor) -> Tensor:
    """2 to the power of input."""
def exp_(input: Tensor) -> Tensor:
    """e to the power of input."""
def expand_copy(input: Tensor, size: _Any, *, implicit: _Any = False, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``expand``: [*size].  Differentiable."""
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power of input, minus 1, accurate near 0."""
def expm1_(input: Tensor) -> Tensor:
    """e to the power of input, minus 1, accurate near 0."""
def eye(n: _Any, m: _Any = None, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Make a matrix of ``n`` rows and ``m`` (``n``) columns with ones on the diagonal and zeros elsewhere."""
def fake_quantize_per_channel_affine(input: Tensor, scale: _Any, zero_point: _Any, axis: _Any, quant_min: _Any, quant_max: _Any) -> Tensor:
    """The elements rounded as by ``fake_quantize_per_tensor_affine``, with separate steps for each index along ``axis``."""
def fake_quantize_per_tensor_affine(input: Tensor, scale: _Any, zero_point: _Any, quant_min: _Any, quant_max: _Any) -> Tensor:
    """The elements rounded to the steps ``(k - zero_point) * scale`` for k from ``quant_min`` to ``quant_max``."""
def feature_alpha_dropout(input: Tensor, p: _Any, train: _Any) -> Tensor:
    """``torch.nn.functional.feature_alpha_dropout`` without its defaults.  Differentiable."""
def feature_alpha_dropout_(input: Tensor, p: _Any, train: _Any) -> Tensor:
    """``torch.nn.functional.feature_alpha_dropout`` without its defaults.  Differentiable."""
def feature_dropout(input: Tensor, p: _Any, train: _Any) -> Tensor:
    """``torch.nn.functional.feature_dropout`` without its defaults.  Differentiable."""
def feature_dropout_(input: Tensor, p: _Any, train: _Any) -> Tensor:
    """``torch.nn.functional.feature_dropout`` without its defaults.  Differentiable."""
def fill(input: Tensor, value: _Any) -> Tensor:
    """A tensor of the size and dtype of ``input``, filled with ``value``.  Differentiable."""
def fill_(self: Tensor, value: _Any) -> Tensor:
    """Set all elements to ``value``, a number or a tensor without dimensions.  Shape: [*]. Raise RuntimeError for any other."""
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Input rounded towards zero."""
def fix_(input: Tensor) -> Tensor:
    """Input rounded towards zero."""
def flatten(input: Tensor, start_dim: _Any = 0, end_dim: _Any = -1) -> Tensor:
    """The dimensions from ``start_dim`` to ``end_dim`` merged; the input itself if nothing changes.  Differentiable."""
def flip(input: Tensor, dims: _Any) -> Tensor:
    """The input with the order reversed along ``dims``, as a copy.  Differentiable.  Shape: [*], kept."""
def fliplr(input: Tensor) -> Tensor:
    """The input with its columns in reverse order, as a copy.  Differentiable."""
def flipud(input: Tensor) -> Tensor:
    """The input with its rows in reverse order, as a copy.  Differentiable."""
def float_power(input: Tensor, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Input to the power of exponent, in float64 (or complex128).  Either may be a number.  Differentiable."""
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Input rounded down to the next integer."""
def floor_(input: Tensor) -> Tensor:
    """Input rounded down to the next integer."""
def floor_divide(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Quotient, rounded down."""
def fmax(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The larger of input and other; a number is preferred to nan."""
def fmin(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The smaller of input and other; a number is preferred to nan."""
def fmod(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The remainder of the division that rounds towards zero; it has the dividend's sign.  Raise RuntimeError for an integer divided by 0."""
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The fractional part of input, with its sign."""
def frac_(input: Tensor) -> Tensor:
    """The fractional part of input, with its sign."""
def frexp(input: Tensor, *, out: Tensor | None = None) -> _Any:
    """Mantissa and exponent: input = mantissa * 2 ** exponent, with 0.5 <= |mantissa| < 1.  Differentiable."""
def from_dlpack(ext_tensor: _Any, *, device: _device | _str | _int | None = None, copy: _Any = None) -> Tensor:
    """Make a tensor on the memory of another library's array (an object with ``__dlpack__``)."""
def from_file(filename: _Any, shared: _Any = None, size: _Any = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False) -> _Any:
    """Make a tensor on the first ``size`` elements of a file, which are read on first use."""
def from_numpy(ndarray: _Any) -> Tensor:
    """Make a tensor on the memory of a NumPy array: each sees writes to the other."""
def frombuffer(buffer: _Any, *, dtype: _dtype | None, count: _Any = -1, offset: _Any = 0, requires_grad: _bool = False) -> Tensor:
    """Make a 1-d tensor on the memory of an object with Python's buffer protocol.  Raise ValueError for a short buffer."""
def full(size: _Any, fill_value: _Any, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Make a tensor of ``fill_value``, whose type gives the dtype: bool, int64, or the default (complex) dtype."""
def full_like(input: Tensor, fill_value: _Any, *, memory_format: _memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Make a tensor of ``fill_value`` with the shape, dtype and memory order of ``input``."""
def gather(input: Tensor, dim: _Any, index: Tensor, *, sparse_grad: _Any = False, out: Tensor | None = None) -> Tensor:
    """Return for every element of ``index`` the input's element with that index along ``dim``.  Differentiable."""
def gcd(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Greatest common divisor of integers."""
def gcd_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """Greatest common divisor of integers."""
def ge(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is greater than or equal to other."""
def geqrf(input: Tensor, *, out: Tensor | None = None) -> _Any:
    """A QR decomposition in LAPACK's form: R and, below the diagonal, the reflections of Q; see ``torch.ormqr``."""
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The outer product of two vectors: a matrix of all products of their elements.  Differentiable."""
def get_autocast_cpu_dtype() -> _Any:
    """Return the dtype of lower precision on the CPU."""
def get_autocast_dtype(device_type: _Any) -> _Any:
    """Return the dtype of lower precision on a kind of device."""
def get_autocast_gpu_dtype() -> _Any:
    """Return the dtype of lower precision on "cuda"."""
def get_default_device() -> _Any:
    """Return the device of new tensors: the CPU, or that of ``set_default_device`` or ``with torch.device("meta")``."""
def get_default_dtype() -> _dtype:
    """Return the floating point dtype of new tensors made from Python floats."""
def get_deterministic_debug_mode() -> _Any:
    """Return the mode that ``set_deterministic_debug_mode`` has set, as a number: 0, 1 or 2."""
def get_device(input: Tensor) -> _int:
    """Return the number of the device: -1 for the CPU."""
def get_device_module(device: _device | _str | _int | None = None) -> _Any:
    """Return the module of a device, such as ``torch.cpu``; without a device, that of the CPU."""
def get_float32_matmul_precision() -> _Any:
    """Return the precision of matrix products that was set."""
def get_num_interop_threads() -> _Any:
    """Return the number of threads for concurrent operators that was set, by default that of processors; it has no effect."""
def get_num_threads() -> _int:
    """Return the number of threads: the one set, ``OMP_NUM_THREADS``, ``MKL_NUM_THREADS``, or that of processors."""
def get_printoptions() -> _Any:
    """Return the current options, as keyword arguments of ``set_printoptions``."""
def get_rng_state() -> Tensor:
    """The state of the default generator, a tensor of bytes."""
def gradient(input: Tensor, *, spacing: _Any = None, dim: _Any = None, edge_order: _Any = 1) -> Tensor:
    """The numerical gradient along every dimension (or those of ``dim``), by central differences: a tuple of tensors."""
def greater(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is greater than other."""
def greater_equal(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is greater than or equal to other."""
def grid_sampler(input: Tensor, grid: _Any, interpolation_mode: _Any, padding_mode: _Any, align_corners: _Any) -> Tensor:
    """``grid_sample`` with its modes as numbers.  Differentiable."""
def grid_sampler_2d(input: Tensor, grid: _Any, interpolation_mode: _Any, padding_mode: _Any, align_corners: _Any) -> Tensor:
    """``grid_sample`` with its modes as numbers.  Differentiable."""
def grid_sampler_3d(input: Tensor, grid: _Any, interpolation_mode: _Any, padding_mode: _Any, align_corners: _Any) -> Tensor:
    """``grid_sample`` with its modes as numbers.  Differentiable."""
def group_norm(input: Tensor, num_groups: _Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ..., cudnn_enabled: _Any = True) -> Tensor:
    """Group normalisation: ``torch.nn.functional.group_norm``.  Differentiable."""
def gru(input: Tensor, hx: _Any, params: _Any, has_biases: _Any, num_layers: _Any, dropout: _Any, train: _Any, bidirectional: _Any, batch_first: _Any) -> Tensor:
    """Gated recurrent units over a sequence, as a function: (output, last state)."""
def gru_cell(input: Tensor, hx: _Any, w_ih: _Any, w_hh: _Any, b_ih: _Any = None, b_hh: _Any = None) -> Tensor:
    """One step of gated recurrent units for a batch: the new state.  Differentiable in all tensors."""
def gt(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is greater than other."""
def hamming_window(window_length: _Any, periodic: _Any = True, alpha: _Any = ..., beta: _Any = ..., *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Hamming window: ``alpha - beta * cos(x)`` over one turn.  Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype."""
def hann_window(window_length: _Any, periodic: _Any = True, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Hann window: a cosine raised to [0, 1].  Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype."""
def hardshrink(input: Tensor, lambd: _Any = ..., *, out: Tensor | None = None) -> Tensor:
    """The input, but 0 where it is between ``-lambd`` and ``lambd``."""
def hash_tensor(input: Tensor, dim: _Any = ..., *, keepdim: _bool = False, mode: _Any = 0, out: Tensor | None = None) -> Tensor:
    """The exclusive or of the elements' bits as uint64, of all or along ``dim``; floats count as float64."""
def heaviside(input: Tensor | _Number, values: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """0 below zero, ``values`` at zero, 1 above."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _Any = ..., reduction: _str | _int = 0) -> Tensor:
    """The distances ``input`` where ``target`` is 1, and ``max(0, margin - input)`` where it is -1."""
def histc(input: Tensor, bins: _Any = 100, min: _Any = 0, max: _Any = 0, *, out: Tensor | None = None) -> Tensor:
    """The number of elements in each of ``bins`` equal bins from ``min`` to ``max`` (where equal: of the elements' range)."""
def histogram(input: Tensor, bins: _Any = 100, *, range: _Any = None, weight: Tensor | None = None, density: _Any = False, out: Tensor | None = None) -> _Any:
    """A histogram and its edges: a named tuple ``(hist, bin_edges)``."""
def histogramdd(input: Tensor, bins: _Any, range: _Any = None, weight: Tensor | None = None, density: _Any = False) -> _Any:
    """The histogram of points, the rows of the last dimension, and its edges along every dimension."""
def hsmm(mat1: Tensor, mat2: Tensor) -> _Any:
    """The product of a sparse matrix with a dense one as a sparse tensor of rows.  Shapes: [n, k] and [k, m] to [n, m]."""
def hsplit(input: Tensor, indices_or_sections: _Any) -> tuple[Tensor, ...]:
    """The input cut into parts side by side: in equal parts, or before each of the given indices."""
def hspmm(mat1: Tensor, mat2: Tensor) -> _Any:
    """The product of a sparse matrix with a dense one as a sparse tensor of rows.  Shapes: [n, k] and [k, m] to [n, m]."""
def hstack(tensors: _Tensors, *, out: Tensor | None = None) -> Tensor:
    """The tensors side by side: vectors end to end, others along their second dimension.  Differentiable.  Shapes: [n, m], [n, k] to [n, m + k]. Raise RuntimeError for an empty list."""
def hypot(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Length of the hypotenuse over the legs input and other."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the first kind, order 0."""
def i0_(input: Tensor) -> Tensor:
    """Modified Bessel function of the first kind, order 0."""
def igamma(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Regularized lower incomplete gamma function: the part below other of the gamma distribution of shape input."""
def igammac(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Regularized upper incomplete gamma function: the part above other of the gamma distribution of shape input."""
def imag(input: Tensor) -> Tensor:
    """The imaginary parts of complex numbers, as a view.  Differentiable."""
def index_add(input: Tensor, dim: _Any, index: Tensor, source: Tensor, *, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
    """The input with the slices of ``source``, times ``alpha``, added at ``index`` along ``dim``.  Differentiable."""
def index_copy(input: Tensor, dim: _Any, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The input with its slices at ``index`` along ``dim`` replaced by those of ``source``.  Differentiable."""
def index_fill(input: Tensor, dim: _Any, index: _Any, value: _Any) -> Tensor:
    """The input with its slices at ``index`` along ``dim`` set to ``value``."""
def index_put(input: Tensor, indices: _Any, values: _Any, accumulate: _Any = False) -> Tensor:
    """The input with ``values`` at the positions given by a tuple of index tensors."""
def index_put_(input: Tensor, indices: _Any, values: _Any, accumulate: _Any = False) -> Tensor:
    """In-place version of index_put.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
def index_reduce(input: Tensor, dim: _Any, index: _Any, source: _Any, reduce: _Any, *, include_self: _Any = True, out: Tensor | None = None) -> Tensor:
    """The slices of ``source`` combined at ``index`` along ``dim``."""
def index_select(input: Tensor, dim: _Any, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices at ``index`` (a vector) along ``dim``, in that order.  Differentiable."""
def initial_seed() -> _int:
    """The last seed of the default generator."""
def inner(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The sums of products over the last dimension of both.  Differentiable."""
def install(children: _Any = True, safetensors: _Any = True) -> _Any:
    """Make `import torch` import tensh from now on, even if PyTorch is installed."""
def instance_norm(input: Tensor, weight: Tensor, bias: Tensor | None, running_mean: _Any, running_var: _Any, use_input_stats: _Any, momentum: _Any, eps: _float, cudnn_enabled: _Any) -> Tensor:
    """``torch.nn.functional.instance_norm`` with its arguments in another order.  Differentiable."""
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverses of square matrices: ``torch.linalg.inv``.  Differentiable."""
def is_anomaly_check_nan_enabled() -> _bool:
    """Return True if anomaly detection looks for nan."""
def is_anomaly_enabled() -> _bool:
    """Return True if anomaly detection is on."""
def is_autocast_cache_enabled() -> _Any:
    """Return whether a leaf that requires grad is cast once in a region, and not at each use."""
def is_autocast_cpu_enabled() -> _Any:
    """Return whether operators choose their precision on the CPU."""
def is_autocast_enabled(device_type: _Any = None) -> _Any:
    """Return whether operators choose their precision on a kind of device, by default on "cuda"."""
def is_complex(input: Tensor) -> _bool:
    """Return True if the dtype is complex."""
def is_conj(input: Tensor) -> Tensor:
    """Return False, because conjugation is computed at once, not when the tensor is read."""
def is_deterministic_algorithms_warn_only_enabled() -> _Any:
    """Return True if deterministic algorithms are required with only a warning."""
def is_distributed(input: Tensor) -> Tensor:
    """Return False, because no tensor is distributed over processes."""
def is_floating_point(self: Tensor) -> _bool:
    """Return True if the dtype is one of the floating point dtypes."""
def is_grad_enabled() -> _bool:
    """Return True if recording is on."""
def is_inference(input: Tensor) -> _bool:
    """Return True if the tensor was made in inference mode."""
def is_inference_mode_enabled() -> _bool:
    """Return True if ``inference_mode`` is on."""
def is_neg(input: Tensor) -> Tensor:
    """Return False, because negation is computed at once, not when the tensor is read."""
def is_nonzero(input: Tensor) -> _bool:
    """Return True if the only element is not zero.  Raise RuntimeError unless there is exactly one."""
def is_same_size(input: Tensor, other: Tensor | _Number) -> _bool:
    """Return True if two tensors have the same shape."""
def is_signed(input: Tensor) -> _bool:
    """Return True if the dtype can represent negative numbers."""
def is_storage(obj: _Any) -> _bool:
    """Return True if ``obj`` is a storage."""
def is_tensor(obj: _Any) -> _bool:
    """Return True if ``obj`` is a tensor."""
def is_warn_always_enabled() -> _bool:
    """Return True if warnings are repeated every time."""
def isclose(input: Tensor | _Number, other: Tensor | _Number, rtol: _float = ..., atol: _float = ..., equal_nan: _Any = False) -> Tensor:
    """True where |input - other| is at most atol + rtol * |other|.  Raise RuntimeError if a tolerance is negative."""
def isfinite(input: Tensor) -> Tensor:
    """True where input is neither nan nor infinite."""
def isin(elements: _Any, test_elements: _Any, *, assume_unique: _Any = False, invert: _Any = False, out: Tensor | None = None) -> Tensor:
    """Mark the ``elements`` that are among ``test_elements``.  Either may be a number; ``invert`` marks the others."""
def isinf(input: Tensor) -> Tensor:
    """True where input is infinite."""
def isnan(input: Tensor) -> Tensor:
    """True where input is nan."""
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where input is negative infinity."""
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where input is positive infinity."""
def isreal(input: Tensor) -> Tensor:
    """True where the imaginary part is zero."""
def istft(input: Tensor, n_fft: _Any, hop_length: _Any = None, win_length: _Any = None, window: _Any = None, center: _Any = True, normalized: _Any = False, onesided: _Any = None, length: _Any = None, return_complex: _Any = False) -> Tensor:
    """The signal whose ``stft`` is the input: frames transformed back, added up, and divided by the squared windows."""
def kaiser_window(window_length: _Any, periodic: _Any = True, beta: _Any = ..., *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Kaiser window: the larger ``beta``, the lower are its side lobes.  Shape: [window_length]. Raise RuntimeError for a negative length or an integer dtype."""
def kl_div(input: Tensor, target: Tensor, reduction: _str | _int = 0, *, log_target: _Any = False) -> Tensor:
    """``torch.nn.functional.kl_div`` with ``reduction`` as a number.  Differentiable.  Shapes: [*], reduced to []."""
def kron(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: each element of one tensor times the whole other tensor.  Differentiable."""
def kthvalue(input: Tensor, k: _Any, dim: _Any = -1, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
    """The ``k``-th smallest element along ``dim`` (from 1), and its index.  Differentiable."""
def layer_norm(input: Tensor, normalized_shape: _Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ..., cudnn_enable: _Any = True) -> Tensor:
    """Layer normalisation, as ``torch.nn.functional.layer_norm``.  Differentiable."""
def lcm(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Least common multiple of integers."""
def lcm_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """Least common multiple of integers."""
def ldexp(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Input times 2 to the power of other."""
def ldexp_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """Input times 2 to the power of other."""
def le(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is less than or equal to other."""
def lerp(input: Tensor, end: _Any, weight: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input + weight * (end - input)``; the weight is a number or a tensor.  Differentiable."""
def lerp_(input: Tensor, end: _Any, weight: Tensor) -> Tensor:
    """In-place version of lerp.  Raise RuntimeError if their dtypes differ."""
def less(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is less than other."""
def less_equal(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is less than or equal to other."""
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the absolute value of the gamma function of input."""
def linspace(start: _Any, end: _Any, steps: _Any, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Return ``steps`` evenly spaced numbers from ``start`` to ``end``, inclusive."""
def load(f: _Any, map_location: _Any = None, pickle_module: _Any = None, *, weights_only: _Any = None, mmap: _Any = None, **pickle_load_args: _Any) -> _Any:
    """Load an object from a file written by ``torch.save`` of tensh or PyTorch, including the format before 1.6."""
def lobpcg(A: _Any, k: _Any = None, B: _Any = None, X: _Any = None, n: _Any = None, iK: _Any = None, niter: _Any = None, tol: _Any = None, largest: _bool | None = None, method: _Any = None, tracker: _Any = None, ortho_iparams: _Any = None, ortho_fparams: _Any = None, ortho_bparams: _Any = None) -> _Any:
    """The ``k`` largest (``largest=False``: smallest) values E and vectors X of A X = B X E, for symmetric A and B."""
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm of input."""
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of input to base 10."""
def log10_(input: Tensor) -> Tensor:
    """Logarithm of input to base 10."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm of 1 + input, accurate near 0."""
def log1p_(input: Tensor) -> Tensor:
    """Natural logarithm of 1 + input, accurate near 0."""
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of input to base 2."""
def log2_(input: Tensor) -> Tensor:
    """Logarithm of input to base 2."""
def log_(input: Tensor) -> Tensor:
    """Natural logarithm of input."""
def log_softmax(input: Tensor, dim: _Any, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of softmax along ``dim``, without overflow; ``dtype`` casts before.  Differentiable."""
def logaddexp(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the sum of the exponentials of input and other."""
def logaddexp2(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """log2(2 ** input + 2 ** other), without overflow."""
def logcumsumexp(input: Tensor, dim: _Any, *, axis: _Any = None, out: Tensor | None = None) -> Tensor:
    """The logarithm of the running sum of exponentials along ``dim``.  Differentiable.  Shape: [*], kept."""
def logdet(input: Tensor) -> Tensor:
    """The logarithms of the determinants, nan for negative ones.  Differentiable.  Shape: [..., n, n] to [...]."""
def logical_and(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where both input and other are nonzero."""
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where input is zero."""
def logical_or(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input or other is nonzero."""
def logical_xor(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where exactly one of input and other is nonzero."""
def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(input / (1 - input)); ``eps`` keeps input away from 0 and 1."""
def logit_(input: Tensor, eps: _float | None = None) -> Tensor:
    """log(input / (1 - input)); ``eps`` keeps input away from 0 and 1."""
def logspace(start: _Any, end: _Any, steps: _Any, base: _Any = ..., *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Return powers of ``base`` with ``steps`` evenly spaced exponents from ``start`` to ``end``, inclusive."""
def logsumexp(input: Tensor, dim: _Any, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of exponentials along ``dim`` (an int or a sequence of them), without overflow."""
def lstm(input: Tensor, hx: _Any, params: _Any, has_biases: _Any, num_layers: _Any, dropout: _Any, train: _Any, bidirectional: _Any, batch_first: _Any) -> Tensor:
    """Long short-term memory over a sequence, as a function: (output, last state, last cell)."""
def lstm_cell(input: Tensor, hx: _Any, w_ih: _Any, w_hh: _Any, b_ih: _Any = None, b_hh: _Any = None) -> Tensor:
    """One step of long short-term memory for a batch: the new state and the new cell.  Differentiable in all tensors."""
def lt(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is less than other."""
def lu(A: _Any, pivot: _Any = True, get_infos: _Any = False, out: Tensor | None = None) -> _Any:
    """L and U of A = P L U in one array, and the rows that were swapped: ``torch.linalg.lu_factor``."""
def lu_solve(input: Tensor, LU_data: _Any, LU_pivots: _Any, *, out: Tensor | None = None) -> Tensor:
    """The solutions X of A X = b from the result of ``lu_factor`` for A.  Differentiable."""
def lu_unpack(LU_data: _Any, LU_pivots: _Any, unpack_data: _Any = True, unpack_pivots: _Any = True, *, out: Tensor | None = None) -> _Any:
    """P, L and U from the result of ``lu_factor``.  Differentiable."""
def manual_seed(seed: _Any) -> _Any:
    """Seed the default generator, so that the numbers that follow are reproducible, and return it."""
def margin_ranking_loss(input1: _Any, input2: _Any, target: Tensor, margin: _Any = 0, reduction: _str | _int = 0) -> _Any:
    """``max(0, -target * (input1 - input2) + margin)``: ``input1`` should be larger if ``target`` is 1, smaller if -1."""
def masked_fill(input: Tensor, mask: Tensor, value: _Any) -> Tensor:
    """Input with ``value``, a number or a 0-d tensor, where ``mask`` is true; the mask is broadcast.  Differentiable."""
def masked_fill_(input: Tensor, mask: Tensor, value: _Any) -> Tensor:
    """In-place version of masked_fill; the tensor may be expanded.  Raise RuntimeError for other masks and values."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The input with elements of ``source``, in their order, where ``mask`` is True; both are broadcast.  Differentiable."""
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where ``mask`` is True, as a vector; input and mask are broadcast.  Differentiable."""
def matmul(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The matrix product ``input @ other``: of vectors, matrices, and stacks of matrices, whose batch dimensions broadcast."""
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices.  Differentiable.  Shape: [..., n, n]."""
def matrix_power(input: Tensor, n: _Any, *, out: Tensor | None = None) -> Tensor:
    """The ``n``-th power of square matrices; for negative ``n`` a power of the inverse.  Differentiable."""
def max(input: Tensor, dim: _Any = ..., keepdim: _bool = False, *, other: Tensor | _Number | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
    """The largest element, the largest along ``dim`` and their indices, or the larger of each pair in two tensors."""
def max_pool1d(input: Tensor, kernel_size: _Any, stride: _Any = None, padding: _Any = 0, dilation: _Any = 1, ceil_mode: _Any = False) -> Tensor:
    """The largest element of every window of ``kernel_size`` in the last dimension."""
def max_pool1d_with_indices(input: Tensor, kernel_size: _Any, stride: _Any = None, padding: _Any = 0, dilation: _Any = 1, ceil_mode: _Any = False, return_indices: _Any = True) -> Tensor:
    """The largest element of every window of ``kernel_size`` in the last dimension."""
def max_pool2d(input: Tensor, kernel_size: _Any, stride: _Any = None, padding: _Any = 0, dilation: _Any = 1, ceil_mode: _Any = False) -> Tensor:
    """The largest element of every window of ``kernel_size`` in the last 2 dimensions."""
def max_pool3d(input: Tensor, kernel_size: _Any, stride: _Any = None, padding: _Any = 0, dilation: _Any = 1, ceil_mode: _Any = False) -> Tensor:
    """The largest element of every window of ``kernel_size`` in the last 3 dimensions."""
def maximum(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The larger of input and other; nan if either is nan."""
def mean(input: Tensor, dim: _Any = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of all elements, or of the elements along ``dim`` (an int or a sequence of them)."""
def median(input: Tensor, dim: _Any = ..., keepdim: _bool = False, *, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
    """The median (the lower of two middle elements); with ``dim`` a named tuple of the medians along it and their indices."""
def meshgrid(*tensors: _Any, indexing: _Any = None) -> tuple[Tensor, ...]:
    """The coordinates of all points of a grid, from the coordinates along each of its axes.  Differentiable, views."""
def min(input: Tensor, dim: _Any = ..., keepdim: _bool = False, *, other: Tensor | _Number | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
    """The smallest element, the smallest along ``dim`` and their indices, or the smaller of each pair in two tensors."""
def minimum(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The smaller of input and other; nan if either is nan."""
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, k) and (k, m).  Differentiable."""
def mode(input: Tensor, dim: _Any = -1, keepdim: _bool = False, *, out: Tensor | None = None) -> _Any:
    """The most frequent element along ``dim`` (the smallest of equally frequent ones), and its last index."""
def moveaxis(input: Tensor, source: _Any, destination: _Any) -> Tensor:
    """The dimensions ``source`` moved to the positions ``destination``, as ``movedim``.  Differentiable."""
def movedim(input: Tensor, source: _Any, destination: _Any) -> Tensor:
    """The dimensions ``source`` (an int or several) moved to the positions ``destination``.  Differentiable, a view."""
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements in order along the first dimension.  Differentiable.  Shape: [*], kept."""
def mul(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Product of input and other."""
def multinomial(input: Tensor, num_samples: _Any, replacement: _Any = False, *, generator: _Any = None, out: Tensor | None = None) -> Tensor:
    """Indices drawn with the weights in ``input``, which has one row of weights or is one."""
def multiply(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Product of input and other."""
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix (n, m) and a vector (m).  Differentiable."""
def mvlgamma(input: Tensor, p: _Any, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the multivariate gamma function of dimension p.  Raise RuntimeError for p below 1."""
def nan_to_num(input: Tensor, nan: _Any = ..., posinf: _Any = None, neginf: _Any = None, *, out: Tensor | None = None) -> Tensor:
    """Input with numbers for nan (0) and the infinities (the largest of the dtype).  Raise RuntimeError for complex numbers."""
def nan_to_num_(input: Tensor, nan: _Any = ..., posinf: _Any = None, neginf: _Any = None) -> Tensor:
    """In-place version of nan_to_num; integers and bools do not change, so they may be expanded tensors."""
def nanmean(input: Tensor, dim: _Any = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of the elements that are not nan, of all or along ``dim``.  Differentiable."""
def nanmedian(input: Tensor, dim: _Any = ..., keepdim: _bool = False, *, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
    """The median of the elements that are not nan; with ``dim`` a named tuple of the medians along it and their indices."""
def nanquantile(input: Tensor, q: _Any, dim: _Any = None, keepdim: _bool = False, *, interpolation: _Any = 'linear', out: Tensor | None = None) -> Tensor:
    """The quantiles ``q`` (a number from 0 to 1, or a vector of them) of the elements that are not nan, or along ``dim``."""
def nansum(input: Tensor, dim: _Any = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of the elements that are not nan, of all or along ``dim``.  Differentiable."""
def narrow(input: Tensor, dim: _Any, start: _Any, length: _Any) -> Tensor:
    """The ``length`` elements from ``start`` on along ``dim``.  Differentiable, a view."""
def narrow_copy(input: Tensor, dim: _Any, start: _Any, length: _Any, *, out: Tensor | None = None) -> Tensor:
    """Copy the ``length`` elements from ``start`` on along ``dim`` into new memory.  Differentiable."""
def native_batch_norm(input: Tensor, weight: Tensor, bias: Tensor | None, running_mean: _Any, running_var: _Any, training: _Any, momentum: _Any, eps: _float) -> Tensor:
    """Return (output, mean, inverse deviation) of batch normalisation.  Differentiable."""
def native_channel_shuffle(input: Tensor, groups: _Any) -> Tensor:
    """``channel_shuffle`` under its other name.  Differentiable.  Shape: [N, C, *]."""
def native_dropout(input: Tensor, p: _Any, train: _Any) -> Tensor:
    """``(output, mask)`` of a dropout; ``train=None`` means True.  Differentiable."""
def native_group_norm(input: Tensor, weight: Tensor, bias: Tensor | None, N: _Any, C: _Any, HxW: _Any, group: _Any, eps: _float) -> Tensor:
    """Return (output, mean, inverse deviation) of group normalisation.  Differentiable."""
def native_layer_norm(input: Tensor, normalized_shape: _Any, weight: Tensor, bias: Tensor | None, eps: _float) -> Tensor:
    """Return (output, mean, inverse deviation) of layer normalisation.  Differentiable."""
def ne(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is different from other."""
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The negative of input."""
def neg_(input: Tensor) -> Tensor:
    """The negative of input."""
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The negative of input."""
def negative_(input: Tensor) -> Tensor:
    """The negative of input."""
def nextafter(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The next number after input in the direction of other."""
def nonzero(input: Tensor, *, as_tuple: _Any = False, out: Tensor | None = None) -> _Any:
    """The indices of the elements that are not zero, as rows; ``as_tuple`` gives a vector for every dimension."""
def nonzero_static(input: Tensor, *, size: _Any, fill_value: _Any = -1, out: Tensor | None = None) -> Tensor:
    """The first ``size`` rows of ``nonzero``, padded with ``fill_value``."""
def norm(input: Tensor, p: _Any = 'fro', dim: _Any = None, keepdim: _bool = False, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """The ``p``-norm of all elements, or of those along ``dim``."""
def norm_except_dim(v: _Any, pow: _Any = 2, dim: _Any = 0) -> _Any:
    """The norm of ``v`` over all dimensions but ``dim``, which is kept; over all where it is -1.  Differentiable."""
def normal(mean: _Any, std: _Any = ..., size: _Any = None, *, generator: _Any = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Normal numbers around ``mean`` with the standard deviation ``std``."""
def not_equal(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is different from other."""
def numel(input: Tensor) -> _int:
    """The number of elements."""
def ones(*size: _Any, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of the given size, filled with ones."""
def ones_like(input: Tensor, *, memory_format: _memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of the shape, dtype and order of memory of ``input``, filled with ones."""
def orgqr(input: Tensor, tau: _Any, *, out: Tensor | None = None) -> Tensor:
    """The first columns of Q, from the reflections of ``torch.geqrf``.  Differentiable."""
def ormqr(A: Tensor, tau: Tensor, other: Tensor, left: _Any = True, transpose: _Any = False, *, out: Tensor | None = None) -> Tensor:
    """The product Q ``other`` (``other`` Q if not ``left``; Q^H with ``transpose``) for Q given by reflections."""
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The outer product of two vectors: a matrix of all products of their elements.  Differentiable."""
def pairwise_distance(x1: _Any, x2: _Any, p: _Any = ..., eps: _float = ..., keepdim: _bool = False) -> _Any:
    """The ``p``-norm of ``x1 - x2 + eps`` along the last dimension.  Differentiable.  Shape: [..., D] to [...]."""
def pca_lowrank(A: _Any, q: _Any = None, center: _Any = True, niter: _Any = 2) -> _Any:
    """U, S and V of the ``q`` main directions of the rows of A (minus their mean if ``center``).  Differentiable."""
def pdist(input: Tensor, p: _Any = ...) -> Tensor:
    """The ``p``-norms of the differences of all pairs of rows of a matrix.  Differentiable."""
def permute(input: Tensor, dims: _Any) -> Tensor:
    """The dimensions in the order ``dims``.  Differentiable, a view.  Shape: [a, b, c] to [b, c, a] for (1, 2, 0)."""
def permute_copy(input: Tensor, dims: _Any, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``permute``: [*].  Differentiable."""
def pinverse(input: Tensor, rcond: _Any = ...) -> Tensor:
    """The pseudo-inverses of matrices: ``torch.linalg.pinv`` with ``rtol=rcond``.  Differentiable."""
def pixel_shuffle(input: Tensor, upscale_factor: _Any) -> Tensor:
    """[..., C r², H, W] as [..., C, H r, W r], for an ``upscale_factor`` r.  Differentiable."""
def pixel_unshuffle(input: Tensor, downscale_factor: _Any) -> Tensor:
    """[..., C, H r, W r] as [..., C r², H, W], for a ``downscale_factor`` r.  Differentiable."""
def poisson(input: Tensor, generator: _Any = None) -> Tensor:
    """Poisson numbers with the rates in ``input``; the gradient is zero."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _Any = True, full: _Any = False, eps: _float = ..., reduction: _str | _int = 0) -> Tensor:
    """The negative logarithm of a Poisson probability of ``target``; ``input`` is its rate, or the rate's logarithm."""
def polar(abs: Tensor | _Number, angle: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers of the given absolute values and angles.  Raise RuntimeError if their dtypes differ."""
def polygamma(n: _Any, input: Tensor, *, out: Tensor | None = None) -> _Any:
    """The ``n``-th derivative (an int, at least 0) of digamma.  Differentiable."""
def positive(input: Tensor) -> Tensor:
    """The input itself.  Differentiable.  Raise RuntimeError for bools."""
def pow(input: Tensor | _Number, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Input to the power of exponent."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """The input where it is positive, ``weight`` times it elsewhere: one number, or one per channel.  Differentiable."""
def printoptions(**changes: _Any) -> _Any:
    """Print with other options inside a ``with`` block, given as arguments of ``set_printoptions``."""
def prod(input: Tensor, dim: _Any = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements, or of the elements along ``dim``."""
def promote_types(type1: _Any, type2: _Any) -> _dtype:
    """Return the smallest dtype that holds both: bool < integers < floats < complex numbers, then by size."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _Any = False) -> Tensor:
    """The input with the elements of ``source`` at positions ``index`` of the flattened input."""
def qr(input: Tensor, some: _Any = True, *, out: Tensor | None = None) -> _Any:
    """Q and R of A = Q R: ``torch.linalg.qr``, complete unless ``some``.  Differentiable.  Shape: [..., m, n]."""
def quantile(input: Tensor, q: _Any, dim: _Any = None, keepdim: _bool = False, *, interpolation: _Any = 'linear', out: Tensor | None = None) -> Tensor:
    """The quantiles ``q`` (a number from 0 to 1, or a vector of them) of all elements, or along ``dim``."""
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Input converted from radians to degrees."""
def rad2deg_(input: Tensor) -> Tensor:
    """Input converted from radians to degrees."""
def rand(*size: _Any, generator: _Any = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Uniform numbers in [0, 1).  Raise RuntimeError for a negative size, NotImplementedError for integers."""
def rand_like(input: Tensor, *, generator: _Any = None, memory_format: _memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Uniform numbers in [0, 1) in a tensor like ``input``.  Raise NotImplementedError for integers."""
def randint(low: _Any = 0, high: _Any = None, size: _Any = None, *, generator: _Any = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Integers of [low, high).  Raise RuntimeError if there are none."""
def randint_like(input: Tensor, low: _Any = 0, high: _Any = None, *, generator: _Any = None, memory_format: _memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Integers of [low, high) in a tensor like ``input``.  Raise RuntimeError if there are none."""
def randn(*size: _Any, generator: _Any = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Normal numbers of mean 0 and variance 1; complex ones have a variance of 1/2 in each part."""
def randn_like(input: Tensor, *, generator: _Any = None, memory_format: _memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Normal numbers of mean 0 and variance 1 in a tensor like ``input``.  Raise NotImplementedError for integers."""
def randperm(n: _Any, *, generator: _Any = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The numbers from 0 to n - 1 in random order.  Shape: [n]. Raise RuntimeError for a negative ``n``."""
def range(*bounds: _Any, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Return the numbers from ``start`` (0) to ``end``, inclusive; ``arange``, which excludes it, is preferred."""
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension: a view if the tensor is contiguous, a copy otherwise.  Differentiable."""
def real(input: Tensor) -> Tensor:
    """The real parts of complex numbers, as a view; a real tensor itself.  Differentiable.  Shape: [*], kept."""
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The reciprocal of input."""
def reciprocal_(input: Tensor) -> Tensor:
    """The reciprocal of input."""
def relu(input: Tensor) -> Tensor:
    """Input where it is positive, 0 elsewhere."""
def relu_(input: Tensor) -> Tensor:
    """Input where it is positive, 0 elsewhere."""
def remainder(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The remainder of the division that rounds down; it has the divisor's sign.  Raise RuntimeError for an integer divided by 0."""
def renorm(input: Tensor, p: _Any, dim: _Any, maxnorm: _Any, *, out: Tensor | None = None) -> Tensor:
    """The input with every slice along ``dim`` whose ``p``-norm exceeds ``maxnorm`` scaled down to it.  Differentiable."""
def renorm_(input: Tensor, p: _Any, dim: _Any, maxnorm: _Any) -> Tensor:
    """The input with every slice along ``dim`` whose ``p``-norm exceeds ``maxnorm`` scaled down to it.  Differentiable."""
def repeat_interleave(input: Tensor | None = None, repeats: _Any = None, dim: _Any = None, *, output_size: _Any = None) -> Tensor:
    """Every element repeated ``repeats`` times, a number or a tensor with a number for each, along ``dim``."""
def reshape(input: Tensor, shape: _Any) -> Tensor:
    """The input in another shape, one size of which may be -1: a view where possible, a copy otherwise."""
def resize_as_(self: Tensor, the_template: _Any, *, memory_format: _memory_format | None = None) -> Tensor:
    """Resize the tensor in place to the size of another one; new elements are uninitialized."""
def resize_as_sparse_(self: Tensor, the_template: _Any) -> Tensor:
    """Resize a sparse tensor in place to the size of another; its values keep their indices."""
def resolve_conj(input: Tensor) -> Tensor:
    """Return the tensor itself, because conjugation was computed at once."""
def resolve_neg(input: Tensor) -> Tensor:
    """Return the tensor itself, because negation was computed at once."""
def result_type(tensor: _Any, other: Tensor | _Number) -> _dtype:
    """Return the dtype in which an operator computes with two operands, each a tensor or a number."""
def rms_norm(input: Tensor, normalized_shape: _Any, weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """The input divided by the root of its mean square over the last dimensions, times weight.  Differentiable."""
def rnn_relu(input: Tensor, hx: _Any, params: _Any, has_biases: _Any, num_layers: _Any, dropout: _Any, train: _Any, bidirectional: _Any, batch_first: _Any) -> Tensor:
    """A recurrent layer with relu over a sequence, as a function: (output, last state)."""
def rnn_relu_cell(input: Tensor, hx: _Any, w_ih: _Any, w_hh: _Any, b_ih: _Any = None, b_hh: _Any = None) -> Tensor:
    """One step of a recurrent layer with relu for a batch: the new state.  Differentiable in all tensors."""
def rnn_tanh(input: Tensor, hx: _Any, params: _Any, has_biases: _Any, num_layers: _Any, dropout: _Any, train: _Any, bidirectional: _Any, batch_first: _Any) -> Tensor:
    """A recurrent layer with tanh over a sequence, as a function: (output, last state)."""
def rnn_tanh_cell(input: Tensor, hx: _Any, w_ih: _Any, w_hh: _Any, b_ih: _Any = None, b_hh: _Any = None) -> Tensor:
    """One step of a recurrent layer with tanh for a batch: the new state.  Differentiable in all tensors."""
def roll(input: Tensor, shifts: _Any, dims: _Any = ...) -> Tensor:
    """The elements shifted cyclically by ``shifts`` along ``dims`` (by default of the flattened input)."""
def rot90(input: Tensor, k: _Any = 1, dims: _Any = ...) -> Tensor:
    """The input turned by ``k`` times 90 degrees in the plane of two dimensions, from the first towards the second."""
def round(input: Tensor, *, decimals: _Any = 0, out: Tensor | None = None) -> Tensor:
    """Input rounded to the nearest integer, halves to even; ``decimals`` is the number of decimal places to keep."""
def round_(input: Tensor, *, decimals: _Any = 0) -> Tensor:
    """Input rounded to the nearest integer, halves to even; ``decimals`` is the number of decimal places to keep."""
def row_stack(tensors: _Tensors, *, out: Tensor | None = None) -> Tensor:
    """The tensors one below the other, as ``vstack``.  Differentiable.  Shapes: [n, *], [m, *] to [n + m, *]. Raise RuntimeError for an empty list."""
def rrelu(input: Tensor, lower: _Any = ..., upper: _Any = ..., training: _Any = False, generator: _Any = None) -> Tensor:
    """``input`` where it is positive, elsewhere times a slope, drawn from [lower, upper) in training."""
def rrelu_(input: Tensor, lower: _Any = ..., upper: _Any = ..., training: _Any = False, generator: _Any = None) -> Tensor:
    """In-place version of rrelu.  Raise RuntimeError if lower exceeds upper."""
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The reciprocal of the square root of input."""
def rsqrt_(input: Tensor) -> Tensor:
    """The reciprocal of the square root of input."""
def rsub(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Any = 1) -> Tensor:
    """Difference of other and input, or of other and ``alpha`` times input."""
def saddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)`` of sparse ``input`` and ``mat1``, as a sparse matrix."""
def save(obj: _Any, f: _Any, pickle_module: _Any = ..., pickle_protocol: _Any = 2, _use_new_zipfile_serialization: _Any = True, _disable_byteorder_record: _Any = False) -> None:
    """Save an object to a file in PyTorch's format: tensors, and containers of them such as a ``state_dict``."""
def scalar_tensor(s: _Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Make a 0-d tensor of the number ``s``, in the default dtype unless ``dtype`` is given."""
def scatter(input: Tensor, dim: _Any, index: _Any, src: _Any = None, *, value: _Any = None, reduce: _Any = None, out: Tensor | None = None) -> Tensor:
    """The input with elements of ``src``, or a number, written at ``index`` along ``dim``."""
def scatter_add(input: Tensor, dim: _Any, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The input with the elements of ``src`` added at ``index`` along ``dim``.  Differentiable."""
def scatter_reduce(input: Tensor, dim: _Any, index: _Any, src: _Any, reduce: _Any, *, include_self: _Any = True, out: Tensor | None = None) -> Tensor:
    """The elements of ``src`` combined at ``index`` along ``dim``."""
def searchsorted(sorted_sequence: _Any, input: Tensor, *, out_int32: _Any = False, right: _Any = False, side: _Any = None, sorter: _Any = None, out: Tensor | None = None) -> _Any:
    """The indices at which the values would be inserted into sorted sequences (the last dimension) to keep them sorted."""
def seed() -> _int:
    """Seed the default generator with a random number, and return it."""
def segment_reduce(data: _Any, reduce: _Any, *, lengths: _Any = None, indices: _Any = None, offsets: _Any = None, axis: _Any = 0, unsafe: _Any = False, initial: _Any = None) -> Tensor:
    """The elements of each segment along ``axis`` combined: "sum", "mean", "prod", "max" or "min"."""
def select(input: Tensor, dim: _Any, index: _Any) -> Tensor:
    """The slice at ``index`` of dimension ``dim``, which is removed.  Differentiable, a view."""
def select_copy(input: Tensor, dim: _Any, index: _Any, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``select``: [*].  Differentiable."""
def select_scatter(input: Tensor, src: _Any, dim: _Any, index: _Any) -> Tensor:
    """The input with the slice at ``index`` of ``dim`` replaced by ``src``.  Differentiable."""
def selu(input: Tensor) -> Tensor:
    """``elu`` with the constants that keep mean and variance from layer to layer.  Differentiable."""
def selu_(input: Tensor) -> Tensor:
    """In-place version of selu.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
def set_anomaly_enabled(mode: _Any, check_nan: _Any = True) -> _Any:
    """Switch anomaly detection on or off permanently; ``torch.autograd.set_detect_anomaly`` is also a context manager."""
def set_autocast_cache_enabled(enabled: _Any) -> _Any:
    """Say whether a leaf that requires grad is cast once in a region, and not at each use."""
def set_autocast_cpu_dtype(dtype: _dtype | None) -> _Any:
    """Set the dtype of lower precision on the CPU."""
def set_autocast_cpu_enabled(enabled: _Any) -> _Any:
    """Say whether operators choose their precision on the CPU."""
def set_autocast_dtype(device_type: _Any, dtype: _dtype | None) -> _Any:
    """Set the dtype of lower precision on a kind of device; autocast is the usual way."""
def set_autocast_enabled(device_type: _Any, enabled: _Any = None) -> _Any:
    """Say whether operators choose their precision on a kind of device, by default on "cuda"; autocast is the usual way."""
def set_autocast_gpu_dtype(dtype: _dtype | None) -> _Any:
    """Set the dtype of lower precision on "cuda"."""
def set_default_device(device: _device | _str | _int | None) -> None:
    """Make new tensors on the CPU or on "meta"; on "cuda" creation fails.  Raise NotImplementedError otherwise."""
def set_default_dtype(d: _Any) -> None:
    """Make ``d`` the dtype of new tensors made from Python floats (and, as a pair of them, from complex numbers)."""
def set_default_tensor_type(t: _Any) -> None:
    """Make a floating point type (``torch.DoubleTensor`` or its name) the default; ``set_default_dtype`` is preferred."""
def set_deterministic_debug_mode(debug_mode: _Any) -> _Any:
    """Set the requirement of deterministic algorithms: 0 or "default", 1 or "warn", 2 or "error"."""
def set_float32_matmul_precision(precision: _Any) -> _Any:
    """Set the precision of matrix products: "highest", "high" or "medium".  Warn of any other word, which has no effect."""
def set_flush_denormal(mode: _Any) -> None:
    """Flush denormal numbers, such as 1e-310, to zero (True) or not (False).  Return True if that is supported."""
def set_num_interop_threads(n: _Any) -> _Any:
    """Set the value that ``get_num_interop_threads`` returns.  Raise RuntimeError unless it is positive."""
def set_num_threads(n: _Any) -> None:
    """Set how many threads compute one large array or matrix product.  Results do not depend on it."""
def set_printoptions(precision: _Any = None, threshold: _Any = None, edgeitems: _Any = None, linewidth: _Any = None, profile: _Any = None, sci_mode: _Any = None) -> None:
    """Set how tensors are printed; options that are not given keep their values, except ``sci_mode``."""
def set_rng_state(new_state: _Any) -> None:
    """Restore a state of the default generator, from ``get_rng_state``."""
def set_warn_always(b: _Any) -> _Any:
    """Set whether warnings are repeated every time.  Raise RuntimeError unless ``b`` is a bool."""
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sign of input; a complex number divided by its absolute value."""
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + exp(-input))."""
def sigmoid_(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sign of input: -1, 0 or 1."""
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where the sign bit of input is set."""
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine of input."""
def sin_(input: Tensor) -> Tensor:
    """Sine of input."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(pi input) / (pi input); 1 at 0."""
def sinc_(input: Tensor) -> Tensor:
    """sin(pi input) / (pi input); 1 at 0."""
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic sine of input."""
def sinh_(input: Tensor) -> Tensor:
    """Hyperbolic sine of input."""
def slice_copy(input: Tensor, dim: _Any = 0, start: _Any = None, end: _Any = None, step: _Any = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of ``input[start:end:step]`` along ``dim``.  Differentiable.  Shape: [*]."""
def slice_scatter(input: Tensor, src: _Any, dim: _Any = 0, start: _Any = None, end: _Any = None, step: _Any = 1, *, out: Tensor | None = None) -> Tensor:
    """The input with the elements from ``start`` to ``end`` along ``dim`` replaced by ``src``.  Differentiable."""
def slogdet(input: Tensor, *, out: Tensor | None = None) -> _Any:
    """The signs of the determinants [..., n, n] and the logarithms of their magnitudes.  Differentiable."""
def smm(input: Tensor, mat: Tensor) -> Tensor:
    """The product of a sparse matrix with a dense one as a sparse matrix.  Shapes: [n, k] and [k, m] to [n, m]."""
def softmax(input: Tensor, dim: _Any, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """The exponentials of the elements, divided by their sum along ``dim``; ``dtype`` casts before.  Differentiable."""
def sort(input: Tensor, dim: _Any = -1, descending: _bool = False, *, stable: _bool | None = None, out: Tensor | None = None) -> _Any:
    """The elements in order along ``dim``, and their indices in the input: a named tuple ``(values, indices)``."""
def sparse_bsc_tensor(ccol_indices: _Any, row_indices: _Any, values: _Any, size: _Any = None, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _Any = None) -> _Any:
    """Make a sparse tensor in the layout sparse_bsc: line i has the values from ``ccol_indices[i]`` to ``ccol_indices[i + 1]``."""
def sparse_bsr_tensor(crow_indices: _Any, col_indices: _Any, values: _Any, size: _Any = None, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _Any = None) -> _Any:
    """Make a sparse tensor in the layout sparse_bsr: line i has the values from ``crow_indices[i]`` to ``crow_indices[i + 1]``."""
def sparse_compressed_tensor(compressed_indices: _Any, plain_indices: _Any, values: _Any, size: _Any = None, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _Any = None) -> _Any:
    """A sparse tensor of the layout sparse_csr, sparse_csc, sparse_bsr or sparse_bsc."""
def sparse_coo_tensor(indices: _Any = None, values: _Any = None, size: _Any = None, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _Any = None, is_coalesced: _Any = None) -> _Any:
    """A sparse tensor with ``values`` [nnz, *] at ``indices`` [sparse dims, nnz]; values with equal indices are added."""
def sparse_csc_tensor(ccol_indices: _Any, row_indices: _Any, values: _Any, size: _Any = None, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _Any = None) -> _Any:
    """Make a sparse tensor in the layout sparse_csc: line i has the values from ``ccol_indices[i]`` to ``ccol_indices[i + 1]``."""
def sparse_csr_tensor(crow_indices: _Any, col_indices: _Any, values: _Any, size: _Any = None, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _Any = None) -> _Any:
    """Make a sparse tensor in the layout sparse_csr: line i has the values from ``crow_indices[i]`` to ``crow_indices[i + 1]``."""
def split(tensor: _Any, split_size_or_sections: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
    """The tensor in parts of one size along ``dim`` (the last may be smaller), or of the sizes in a list."""
def split_copy(input: Tensor, split_size: _Any, dim: _Any = 0, *, out: Tensor | None = None) -> Tensor:
    """Copies of the parts of ``split``: each [*].  Differentiable."""
def split_with_sizes(input: Tensor, split_sizes: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
    """The input in parts of the given sizes along ``dim``.  Differentiable, views."""
def split_with_sizes_copy(input: Tensor, split_sizes: _Any, dim: _Any = 0, *, out: Tensor | None = None) -> Tensor:
    """Copies of the parts of ``split_with_sizes``: each [*].  Differentiable."""
def spmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, k) and (k, m).  Differentiable."""
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Square root of input."""
def sqrt_(input: Tensor) -> Tensor:
    """Square root of input."""
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Input squared; bools give integers."""
def square_(input: Tensor) -> Tensor:
    """Input squared; bools give integers."""
def squeeze(input: Tensor, dim: _Any = ...) -> Tensor:
    """The input without its dimensions of size 1, or without those among ``dim`` (an int or several)."""
def squeeze_copy(input: Tensor, dim: _Any = None, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``squeeze``: [*].  Differentiable."""
def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)`` of sparse ``input`` and ``mat1``, as a sparse matrix."""
def stack(tensors: _Tensors, dim: _Any = 0, *, axis: _Any = None, out: Tensor | None = None) -> Tensor:
    """The tensors, all of one size, stacked along a new dimension ``dim``.  Differentiable."""
def std(input: Tensor, dim: _Any = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Any = None, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The standard deviation of all elements, or along ``dim`` (an int or a sequence of them)."""
def std_mean(input: Tensor, dim: _Any = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Any = None, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
    """The standard deviation and the mean of all elements, or along ``dim`` (an int or a sequence of them)."""
def stft(input: Tensor, n_fft: _Any, hop_length: _Any = None, win_length: _Any = None, window: _Any = None, center: _Any = True, pad_mode: _Any = 'reflect', normalized: _Any = False, onesided: _Any = None, return_complex: _Any = None, align_to_window: _Any = None) -> Tensor:
    """The Fourier transforms of overlapping frames of a signal (or a batch of them), times a window."""
def sub(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
    """Difference of input and other, or of input and ``alpha`` times other."""
def subtract(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
    """Difference of input and other, or of input and ``alpha`` times other."""
def sum(input: Tensor, dim: _Any = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements, or of the elements along ``dim`` (an int or a sequence of them)."""
def svd(input: Tensor, some: _Any = True, compute_uv: _Any = True, *, out: Tensor | None = None) -> _Any:
    """U, S and V of A = U diag(S) V^H: ``torch.linalg.svd`` with V in place of its adjoint.  Differentiable."""
def svd_lowrank(A: _Any, q: _Any = 6, niter: _Any = 2, M: _Any = None) -> _Any:
    """U, S and V of approximately ``A - M = U diag(S) V^H`` with ``q`` columns, from random directions.  Differentiable."""
def swapaxes(input: Tensor, axis0: _Any, axis1: _Any) -> Tensor:
    """The input with two dimensions swapped, as ``transpose``.  Differentiable.  Shape: [a, b] to [b, a]."""
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """The input with two dimensions swapped, as ``transpose``.  Differentiable.  Shape: [a, b] to [b, a]."""
def sym_float(a: _Any) -> _Any:
    """Return the number as a float."""
def sym_int(a: _Any) -> _Any:
    """Return the number as an int, rounded towards zero."""
def sym_ite(b: _Any, t: _Any, f: _Any) -> _Any:
    """``t`` if ``b``, else ``f``.  Raise AssertionError unless ``b`` is a bool, and ``t`` and ``f`` are of one type."""
def sym_max(a: _Any, b: _Any) -> _Any:
    """Return the larger of two numbers, a float if one of them is.  Raise AssertionError for anything but a number."""
def sym_min(a: _Any, b: _Any) -> _Any:
    """Return the smaller of two numbers, a float if one of them is.  Raise AssertionError for anything but a number."""
def sym_not(a: _Any) -> _Any:
    """Return the opposite of a truth value."""
def sym_sqrt(a: _Any) -> _Any:
    """Return the square root.  Raise ValueError for a negative number."""
def sym_sum(args: _Any) -> _Any:
    """Return the sum of some numbers."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and numbers are unchanged.  Differentiable, a view."""
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``t``: [*].  Differentiable."""
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements at positions ``index`` of the flattened input, in the shape of ``index``.  Differentiable."""
def take_along_dim(input: Tensor, indices: _Any, dim: _Any = None, *, out: Tensor | None = None) -> Tensor:
    """The elements at ``indices`` along ``dim`` (of the flat input without it); the other dimensions are broadcast."""
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Tangent of input."""
def tan_(input: Tensor) -> Tensor:
    """Tangent of input."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent of input."""
def tanh_(input: Tensor) -> Tensor:
    """Hyperbolic tangent of input."""
def tensor(data: _Any, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """Make a tensor with a copy of ``data``: a number, nested sequences of numbers, an array or a tensor."""
def tensor_split(input: Tensor, indices_or_sections: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
    """The input cut before each of the given indices along ``dim``, or in a number of parts of about the same size."""
def tensordot(a: _Any, b: _Any, dims: _Any = 2, *, out: Tensor | None = None) -> Tensor:
    """The sums of products over the last ``dims`` dimensions of one and the first of the other, or over two lists."""
def thread_safe_generator() -> _Any:
    """Return the generator of this worker thread; None, for the default generator, in other threads."""
def threshold(input: Tensor, threshold: _Any, value: _Any, *, out: Tensor | None = None) -> Tensor:
    """The input where it is more than ``threshold``, ``value`` elsewhere."""
def threshold_(input: Tensor, threshold: _Any, value: _Any) -> Tensor:
    """In-place version of threshold.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
def tile(input: Tensor, dims: _Any) -> Tensor:
    """The input repeated ``dims`` times along each dimension; a short ``dims`` is padded with ones in front."""
def to_dlpack(data: _Any, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> _Any:
    """Return the memory of a tensor as a DLPack capsule, which ``from_dlpack`` consumes."""
def topk(input: Tensor, k: _Any, dim: _Any = -1, largest: _bool = True, sorted: _bool = True, *, axis: _Any = None, out: Tensor | None = None) -> _Any:
    """The ``k`` largest (or smallest) elements along ``dim``, in order, and their indices.  Differentiable."""
def trace(input: Tensor) -> Tensor:
    """The sum of the elements on the diagonal of a matrix.  Differentiable."""
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """The input with two dimensions swapped.  Differentiable, a view.  Shape: [a, b] to [b, a]."""
def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``transpose``: [*].  Differentiable."""
def trapezoid(y: _Any, x: _Any = None, *, dx: _Any = 1, dim: _Any = -1) -> Tensor:
    """The integral along ``dim`` by the trapezoidal rule, at points ``x`` or at distances ``dx``.  Differentiable."""
def trapz(y: _Any, x: _Any = None, *, dx: _Any = 1, dim: _Any = -1) -> Tensor:
    """The integral along ``dim`` by the trapezoidal rule, at points ``x`` or at distances ``dx``.  Differentiable."""
def triangular_solve(b: Tensor, A: Tensor, upper: _Any = True, transpose: _Any = False, unitriangular: _Any = False, *, out: Tensor | None = None) -> _Any:
    """The solutions of A X = b for triangular A (of the transposed equations with ``transpose``), and A."""
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The elements on and below a diagonal of the matrices in the last two dimensions, zeros elsewhere.  Differentiable."""
def tril_indices(row: _Any, col: _Any, offset: _Any = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The rows and columns, as a 2-row tensor, of the lower triangle of a matrix of ``row`` rows and ``col`` columns; ``offset`` moves the diagonal up.  Raise RuntimeError for a negative size."""
def triplet_margin_loss(anchor: _Any, positive: _Any, negative: _Any, margin: _Any = ..., p: _Any = ..., eps: _float = ..., swap: _Any = False, reduction: _str | _int = 0) -> _Any:
    """``torch.nn.functional.triplet_margin_loss`` with ``reduction`` as a number.  Differentiable."""
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The elements on and above a diagonal of the matrices in the last two dimensions, zeros elsewhere.  Differentiable."""
def triu_indices(row: _Any, col: _Any, offset: _Any = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The rows and columns, as a 2-row tensor, of the upper triangle of a matrix of ``row`` rows and ``col`` columns; ``offset`` moves the diagonal right.  Raise RuntimeError for a negative size."""
def true_divide(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _Any = None, out: Tensor | None = None) -> Tensor:
    """Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down."""
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Input rounded towards zero."""
def trunc_(input: Tensor) -> Tensor:
    """Input rounded towards zero."""
def typename(obj: _Any) -> _Any:
    """Return the name of a type: ``torch.FloatTensor`` for a tensor of float32, the qualified name of anything else."""
def unbind(input: Tensor, dim: _Any = 0, *, axis: _Any = None) -> tuple[Tensor, ...]:
    """All slices along ``dim``, as a tuple.  Differentiable, views."""
def unbind_copy(input: Tensor, dim: _Any = 0, *, out: Tensor | None = None) -> Tensor:
    """Copies of the slices of ``unbind``: each [*].  Differentiable."""
def unflatten(input: Tensor, dim: _Any, sizes: _Any) -> Tensor:
    """Dimension ``dim`` split into the given ``sizes``, one of which may be -1.  Differentiable, a view."""
def unfold_copy(input: Tensor, dimension: _Any, size: _Any, step: _Any, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``unfold``: [*].  Differentiable."""
def unique(input: Tensor, sorted: _bool = True, return_inverse: _Any = False, return_counts: _Any = False, dim: _Any = None) -> _Any:
    """The distinct elements in ascending order, or the distinct slices along ``dim``."""
def unique_consecutive(input: Tensor, return_inverse: _Any = False, return_counts: _Any = False, dim: _Any = None) -> _Any:
    """The elements (or the slices along ``dim``) without repetitions of the previous one.  Shape: [*] to [k]."""
def unravel_index(indices: _Any, shape: _Any) -> _Any:
    """The coordinates of positions in a flattened tensor of ``shape``: a tensor for every dimension."""
def unsafe_chunk(input: Tensor, chunks: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
    """The parts of ``chunk`` without view tracking: writes are not recorded, so the input must not be used again."""
def unsafe_split(input: Tensor, split_size: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
    """The parts of ``split`` without view tracking: writes are not recorded, so the input must not be used again."""
def unsafe_split_with_sizes(input: Tensor, split_sizes: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
    """Parts of the given sizes without view tracking: writes are not recorded, so the input must not be used again."""
def unsqueeze(input: Tensor, dim: _Any, *, axis: _Any = None) -> Tensor:
    """The input with a new dimension of size 1 before dimension ``dim``.  Differentiable, a view."""
def unsqueeze_copy(input: Tensor, dim: _Any, *, axis: _Any = None, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``unsqueeze``: [*].  Differentiable."""
def use_deterministic_algorithms(mode: _Any, *, warn_only: _Any = False) -> _Any:
    """Require algorithms that always return the same result, as all of them do.  Raise TypeError unless both are bools."""
def vander(x: _Any, N: _Any = None, increasing: _Any = False) -> Tensor:
    """The powers N - 1 to 0 (0 to N - 1 if ``increasing``) of every element of a vector.  Differentiable."""
def var(input: Tensor, dim: _Any = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Any = None, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """The variance of all elements, or along ``dim`` (an int or a sequence of them)."""
def var_mean(input: Tensor, dim: _Any = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Any = None, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
    """The variance and the mean of all elements, or along ``dim`` (an int or a sequence of them)."""
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot product with the conjugate of the first vector.  Differentiable."""
def view_as_complex(input: Tensor) -> Tensor:
    """Pairs of real numbers in the last dimension as complex numbers.  Differentiable, a view."""
def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``view_as_complex``: [*, 2] to [*].  As in PyTorch, not differentiable."""
def view_as_real(input: Tensor) -> Tensor:
    """Complex numbers as pairs of real ones in a last dimension of size 2.  Differentiable, a view."""
def view_as_real_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``view_as_real``: [*].  Differentiable."""
def view_copy(input: Tensor, size: _Any, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view of ``view``, [*size] or as a dtype; RuntimeError as there.  Differentiable (not with a dtype)."""
def vmap(func: _Any, in_dims: _Any = 0, out_dims: _Any = 0, randomness: _Any = 'error', *, chunk_size: _Any = None) -> _Any:
    """Return a function that maps ``func``, a function of single samples, over a dimension of its tensors."""
def vsplit(input: Tensor, indices_or_sections: _Any) -> tuple[Tensor, ...]:
    """The input cut into parts one below the other: in equal parts, or before each of the given indices."""
def vstack(tensors: _Tensors, *, out: Tensor | None = None) -> Tensor:
    """The tensors one below the other, vectors as rows.  Differentiable.  Shapes: [n, *], [m, *] to [n + m, *]. Raise RuntimeError for an empty list."""
def where(condition: Tensor, input: Tensor | None = None, other: Tensor | _Number | None = None, *, out: Tensor | None = None) -> _Any:
    """The elements of ``input`` where the condition is true, those of ``other`` elsewhere; all three are broadcast."""
def while_loop(cond_fn: _Any, body_fn: _Any, carried_inputs: _Any) -> _Any:
    """Replace ``carried_inputs`` by ``body_fn(*carried_inputs)`` while ``cond_fn(*carried_inputs)`` holds; return the last."""
def xlogy(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Input times the logarithm of other; 0 where input is 0."""
def xlogy_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """Input times the logarithm of other; 0 where input is 0."""
def zero_(self: Tensor) -> Tensor:
    """Set all elements to zero.  Shape: [*]."""
def zeros(*size: _Any, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of the given size, filled with zeros."""
def zeros_like(input: Tensor, *, memory_format: _memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of the shape, dtype and order of memory of ``input``, filled with zeros."""
