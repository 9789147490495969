"""Tensor.

Written by tools/stubs.py; do not edit."""
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable as _Callable, Iterator as _Iterator, Sequence as _Sequence
from typing import Any as _Any
from typing import TypeVar as _TypeVar
import numpy as _np
from tensh import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format
from tensh.engine.dtypes.size import Size
class Tensor:
    """A multi-dimensional array of one dtype that can record what is computed from it."""
    def __new__(cls, *args: _Any, **options: _Any) -> Tensor: ...
    @property
    def H(self) -> Tensor:
        """The conjugate transpose of a matrix.  Differentiable."""
    @H.setter
    def H(self, value: Tensor) -> None: ...
    @property
    def T(self) -> Tensor:
        """The dimensions in reverse order: the transpose of a matrix.  Differentiable, a view."""
    @T.setter
    def T(self, value: Tensor) -> None: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Tensor | _Number) -> Tensor: ...
    def __and__(self, other: Tensor | _Number) -> Tensor: ...
    def __array__(self, dtype: _dtype | None = None, copy: _Any = None) -> _Any:
        """Return the tensor as a NumPy array, on the same memory if the dtype allows it."""
    def __array_wrap__(self, array: _Any, context: _Any = None, return_scalar: _Any = False) -> Tensor:
        """Return NumPy's result for a tensor as a tensor; bools become bytes, as in PyTorch."""
    def __bool__(self) -> _bool:
        """Return the truth value of a tensor of one element; raise RuntimeError for any other."""
    def __complex__(self) -> _complex:
        ...
    def __contains__(self, element: _Any) -> _bool:
        ...
    def __deepcopy__(self, memo: _Any) -> _Any:
        ...
    def __delitem__(self, index: _Any) -> _Any:
        """Refuse ``del t[index]``."""
    def __dir__(self) -> _Any:
        """Return the names of a tensor's attributes, without unsupported ones and tensh's own."""
    def __div__(self, other: Tensor | _Number) -> Tensor: ...
    def __dlpack__(self, *, stream: _Any = -1, max_version: _Any = None, dl_device: _Any = None, copy: _Any = None) -> _Any:
        """Export the tensor's memory to another library."""
    def __dlpack_device__(self) -> _Any:
        """Return the kind of memory, the CPU's, and its number.  Raise ValueError for a tensor without elements."""
    def __eq__(self, other: Tensor | _Number) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> _float:
        ...
    def __floordiv__(self, other: Tensor | _Number) -> Tensor: ...
    def __format__(self, specification: _Any) -> _str:
        """Format a tensor: a 0-d tensor as the Python number that it contains."""
    def __ge__(self, other: Tensor | _Number) -> Tensor: ...
    def __getitem__(self, index: _Any) -> Tensor:
        """The elements at ``index``: a view for numbers, slices, None and ..., a copy for tensors, masks and lists."""
    def __gt__(self, other: Tensor | _Number) -> Tensor: ...
    def __hash__(self) -> _int:
        ...
    def __iadd__(self, other: Tensor | _Number) -> Tensor: ...
    def __iand__(self, other: Tensor | _Number) -> Tensor: ...
    def __idiv__(self, other: Tensor | _Number) -> Tensor: ...
    def __ifloordiv__(self, other: Tensor | _Number) -> Tensor: ...
    def __ilshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __imod__(self, other: Tensor | _Number) -> Tensor: ...
    def __imul__(self, other: Tensor | _Number) -> Tensor: ...
    def __index__(self) -> _int:
        ...
    def __int__(self) -> _int:
        ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Tensor | _Number) -> Tensor: ...
    def __ipow__(self, other: Tensor | _Number) -> Tensor: ...
    def __irshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __isub__(self, other: Tensor | _Number) -> Tensor: ...
    def __iter__(self) -> _Iterator[Tensor]:
        ...
    def __itruediv__(self, other: Tensor | _Number) -> Tensor: ...
    def __ixor__(self, other: Tensor | _Number) -> Tensor: ...
    def __le__(self, other: Tensor | _Number) -> Tensor: ...
    def __len__(self) -> _int:
        """Return the size of the first dimension; raise TypeError for a tensor without dimensions."""
    def __long__(self) -> Tensor:
        ...
    def __lshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __lt__(self, other: Tensor | _Number) -> Tensor: ...
    def __matmul__(self, other: Tensor | _Number) -> Tensor: ...
    def __mod__(self, other: Tensor | _Number) -> Tensor: ...
    def __mul__(self, other: Tensor | _Number) -> Tensor: ...
    def __ne__(self, other: Tensor | _Number) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __nonzero__(self) -> Tensor:
        ...
    def __or__(self, other: Tensor | _Number) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Tensor | _Number) -> Tensor: ...
    def __radd__(self, other: Tensor | _Number) -> Tensor: ...
    def __rand__(self, other: Tensor | _Number) -> Tensor: ...
    def __rdiv__(self, other: Tensor | _Number) -> Tensor: ...
    def __reduce_ex__(self, protocol: _Any) -> _Any:
        """Pickle the whole memory and the tensor's place in it, so that shared memory remains shared."""
    def __repr__(self, *, tensor_contents: _Any = None) -> _str:
        """Return the printed form of ``tensor``, without the heading of a parameter."""
    def __reversed__(self) -> Tensor:
        ...
    def __rfloordiv__(self, other: Tensor | _Number) -> Tensor: ...
    def __rlshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __rmatmul__(self, other: Tensor | _Number) -> Tensor: ...
    def __rmod__(self, other: Tensor | _Number) -> Tensor: ...
    def __rmul__(self, other: Tensor | _Number) -> Tensor: ...
    def __ror__(self, other: Tensor | _Number) -> Tensor: ...
    def __rpow__(self, other: Tensor | _Number) -> Tensor: ...
    def __rrshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __rshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __rsub__(self, other: Tensor | _Number) -> Tensor: ...
    def __rtruediv__(self, other: Tensor | _Number) -> Tensor: ...
    def __rxor__(self, other: Tensor | _Number) -> Tensor: ...
    def __setitem__(self, index: _Any, value: _Any) -> Tensor:
        """Write ``value`` (a number or a tensor, which is broadcast) to the elements at ``index``."""
    def __sub__(self, other: Tensor | _Number) -> Tensor: ...
    def __torch_function__(self, types: _Any, args: _Any = ..., kwargs: _Any = None) -> _Any:
        """Call a function for tensors of a subclass, whose results are tensors of that class: see dispatch/override/."""
    def __truediv__(self, other: Tensor | _Number) -> Tensor: ...
    def __xor__(self, other: Tensor | _Number) -> Tensor: ...
    @property
    def _backward_hooks(self) -> _Any:
        """The hooks on the gradient of this tensor; None if there have been none."""
    @_backward_hooks.setter
    def _backward_hooks(self, value: _Any) -> None: ...
    @property
    def _cdata(self) -> _Any:
        """A number that is unique among living tensors."""
    @_cdata.setter
    def _cdata(self, value: _Any) -> None: ...
    def _coalesced_(self, coalesced: _Any) -> Tensor:
        """Declare whether the tensor is coalesced, without a check."""
    @property
    def _grad(self) -> _Any:
        """The gradient that ``backward`` accumulated, or None."""
    @_grad.setter
    def _grad(self, value: _Any) -> None: ...
    def _indices(self) -> Tensor:
        """The indices of the values, whether or not the tensor is coalesced."""
    def _is_view(self) -> _Any:
        ...
    def _make_subclass(self, data: _Any, require_grad: _Any = False) -> _Any:
        """Make an object of a subclass over the memory of a tensor, detached from its history."""
    def _make_wrapper_subclass(self, size: _Any, strides: _Any = None, storage_offset: _Any = None, **options: _Any) -> _Any:
        """Make an object of a subclass with a shape and a dtype and no elements: its ``__torch_dispatch__`` knows them."""
    def _nnz(self) -> Tensor:
        """The number of values."""
    @property
    def _post_accumulate_grad_hooks(self) -> _Any:
        """The hooks that are called with a leaf after its gradient was accumulated; None if there have been none."""
    @_post_accumulate_grad_hooks.setter
    def _post_accumulate_grad_hooks(self, value: _Any) -> None: ...
    def _repr_html_(self) -> _Any:
        """Return the printed form of the tensor for a notebook, with a summary line."""
    def _values(self) -> Tensor:
        """The values, whether or not the tensor is coalesced, without history."""
    @property
    def _version(self) -> _int:
        """The number of in-place writes to the memory.  Raise RuntimeError for tensors made in inference mode."""
    @_version.setter
    def _version(self, value: _int) -> None: ...
    def abs(self, *, out: Tensor | None = None) -> Tensor:
        """Absolute value of input."""
    def abs_(self) -> Tensor:
        """In-place version of abs.  Differentiable."""
    def absolute(self, *, out: Tensor | None = None) -> Tensor:
        """Absolute value of input."""
    def absolute_(self) -> Tensor:
        """In-place version of abs.  Differentiable."""
    def acos(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse cosine of input."""
    def acos_(self) -> Tensor:
        """Inverse cosine of input."""
    def acosh(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse hyperbolic cosine of input."""
    def acosh_(self) -> Tensor:
        """Inverse hyperbolic cosine of input."""
    def add(self, other: Tensor | _Number, *, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
        """Sum of input and other, or of input and ``alpha`` times other."""
    def add_(self, other: Tensor | _Number, *, alpha: _Any = 1) -> Tensor:
        """Sum of input and other, or of input and ``alpha`` times other."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
        """``beta * input + alpha`` times the sum of the products of two stacks of matrices.  Differentiable."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
        """``beta * input + alpha`` times the sum of the products of two stacks of matrices.  Differentiable."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: _Any = 1, out: Tensor | None = None) -> Tensor:
        """input + value * tensor1 / tensor2; shapes are broadcast.  Differentiable."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Any = 1) -> Tensor:
        """input + value * tensor1 / tensor2; shapes are broadcast.  Differentiable."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: _Any = 1, out: Tensor | None = None) -> Tensor:
        """input + value * tensor1 * tensor2; shapes are broadcast.  Differentiable."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Any = 1) -> Tensor:
        """input + value * tensor1 * tensor2; shapes are broadcast.  Differentiable."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)`` for matrices; ``input`` is broadcast.  Differentiable."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)`` for matrices; ``input`` is broadcast.  Differentiable."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
        """``beta * input + alpha * (mat @ vec)`` for a matrix and a vector.  Differentiable."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
        """``beta * input + alpha * (mat @ vec)`` for a matrix and a vector.  Differentiable."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
        """``beta * input + alpha`` times the outer product of two vectors.  Differentiable."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
        """``beta * input + alpha`` times the outer product of two vectors.  Differentiable."""
    def adjoint(self) -> Tensor:
        """The conjugate transpose of matrices.  Differentiable; a view if the tensor is real."""
    def all(self, dim: _Any = None, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """True where all elements (along ``dim``) are not zero.  Shape: [*] to [], or without ``dim``."""
    def allclose(self, other: Tensor | _Number, rtol: _float = ..., atol: _float = ..., equal_nan: _Any = False) -> _bool:
        """Return True if every element of input is close to that of other; see ``isclose``."""
    def amax(self, dim: _Any = ..., keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The largest element, or the largest ones along ``dim`` (an int or a sequence of them)."""
    def amin(self, dim: _Any = ..., keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The smallest element, or the smallest ones along ``dim`` (an int or a sequence of them)."""
    def aminmax(self, *, dim: _Any = None, keepdim: _bool = False, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
        """The smallest and the largest element, of all or along ``dim``.  Differentiable."""
    def angle(self, *, out: Tensor | None = None) -> Tensor:
        """Angle between the positive real axis and input, in radians."""
    def any(self, dim: _Any = None, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """True where any element (along ``dim``) is not zero.  Shape: [*] to [], or without ``dim``."""
    def apply_(self, callable: _Any) -> _Any:
        """Replace every element by ``callable(element)``.  Raise RuntimeError for a tensor that requires grad."""
    def arccos(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse cosine of input."""
    def arccos_(self) -> Tensor:
        """Inverse cosine of input."""
    def arccosh(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse hyperbolic cosine of input."""
    def arccosh_(self) -> Tensor:
        """Inverse hyperbolic cosine of input."""
    def arcsin(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse sine of input."""
    def arcsin_(self) -> Tensor:
        """Inverse sine of input."""
    def arcsinh(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse hyperbolic sine of input."""
    def arcsinh_(self) -> Tensor:
        """Inverse hyperbolic sine of input."""
    def arctan(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse tangent of input."""
    def arctan2(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Angle between the positive first axis and the point (other, input), in radians."""
    def arctan2_(self, other: Tensor | _Number) -> Tensor:
        """Angle between the positive first axis and the point (other, input), in radians."""
    def arctan_(self) -> Tensor:
        """Inverse tangent of input."""
    def arctanh(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse hyperbolic tangent of input."""
    def arctanh_(self) -> Tensor:
        """Inverse hyperbolic tangent of input."""
    def argmax(self, dim: _Any = None, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The index of the largest element: in the flattened input, or along ``dim``.  Of equal elements, the first."""
    def argmin(self, dim: _Any = None, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The index of the smallest element: in the flattened input, or along ``dim``.  Of equal elements, the first."""
    def argsort(self, dim: _Any = -1, descending: _bool = False, *, stable: _bool = False, axis: _Any = None) -> Tensor:
        """The indices that sort the elements along ``dim``.  Shape: [*], kept. Raise RuntimeError for complex numbers."""
    def argwhere(self) -> Tensor:
        """The indices of the elements that are not zero, as rows.  Shape: [*] with d dimensions to [found, d]."""
    def as_strided(self, size: _Any, stride: _Any, storage_offset: _Any = None) -> Tensor:
        """The memory of the input in another size, with the given strides and ``storage_offset``, in elements."""
    def as_strided_(self, size: _Any, stride: _Any, storage_offset: _Any = None) -> Tensor:
        """In-place version of ``as_strided``: the tensor becomes its own view."""
    def as_strided_scatter(self, src: _Any, size: _Any, stride: _Any, storage_offset: _Any = None) -> Tensor:
        """The input with the elements at the given strides replaced by ``src``.  Differentiable.  Shapes: ``src`` [*size]."""
    def as_subclass(self, cls: _Any) -> Tensor:
        """Return an object of ``cls``, a subclass of Tensor, with this memory and history."""
    def asin(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse sine of input."""
    def asin_(self) -> Tensor:
        """Inverse sine of input."""
    def asinh(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse hyperbolic sine of input."""
    def asinh_(self) -> Tensor:
        """Inverse hyperbolic sine of input."""
    def atan(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse tangent of input."""
    def atan2(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Angle between the positive first axis and the point (other, input), in radians."""
    def atan2_(self, other: Tensor | _Number) -> Tensor:
        """Angle between the positive first axis and the point (other, input), in radians."""
    def atan_(self) -> Tensor:
        """Inverse tangent of input."""
    def atanh(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse hyperbolic tangent of input."""
    def atanh_(self) -> Tensor:
        """Inverse hyperbolic tangent of input."""
    def backward(self, gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False, inputs: _Any = None) -> None:
        """Add the gradients of this tensor to the ``.grad`` of the leaves from which it was computed."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Any = 1, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
        """``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices.  Differentiable."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
        """``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices.  Differentiable."""
    def bernoulli(self, p: _Any = None, *, generator: _Any = None) -> Tensor:
        """Ones with the probabilities in ``input`` (or with probability ``p``), zeros otherwise."""
    def bernoulli_(self, p: _Any = ..., *, generator: _Any = None) -> Tensor:
        """Fill the tensor with ones of probability ``p``, a number or a tensor that is broadcast, and zeros."""
    def bfloat16(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.bfloat16: itself if it is of that dtype, a copy otherwise.  Differentiable."""
    def bincount(self, weights: Tensor | None = None, minlength: _Any = 0) -> Tensor:
        """Count the occurrences of each of the numbers 0, 1, 2, …, or add up their weights."""
    def bitwise_and(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Bitwise AND: the bits that are set in both input and other."""
    def bitwise_and_(self, other: Tensor | _Number) -> Tensor:
        """Bitwise AND: the bits that are set in both input and other."""
    def bitwise_left_shift(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Input with its bits shifted to the left by other places."""
    def bitwise_left_shift_(self, other: Tensor | _Number) -> Tensor:
        """Input with its bits shifted to the left by other places."""
    def bitwise_not(self, *, out: Tensor | None = None) -> Tensor:
        """Bitwise NOT: every bit inverted; for bools, the negation."""
    def bitwise_not_(self) -> Tensor:
        """Bitwise NOT: every bit inverted; for bools, the negation."""
    def bitwise_or(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Bitwise OR: the bits that are set in input or other."""
    def bitwise_or_(self, other: Tensor | _Number) -> Tensor:
        """Bitwise OR: the bits that are set in input or other."""
    def bitwise_right_shift(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Input with its bits shifted to the right by other places."""
    def bitwise_right_shift_(self, other: Tensor | _Number) -> Tensor:
        """Input with its bits shifted to the right by other places."""
    def bitwise_xor(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Bitwise XOR: the bits that are set in exactly one of input and other."""
    def bitwise_xor_(self, other: Tensor | _Number) -> Tensor:
        """Bitwise XOR: the bits that are set in exactly one of input and other."""
    def bmm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The products of two stacks of matrices, (b, n, k) and (b, k, m).  Differentiable."""
    def bool(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.bool: itself if it is of that dtype, a copy otherwise.  The result has no gradient."""
    def broadcast_to(self, *size: _Any, **named: _Any) -> Tensor:
        """The tensor expanded to ``size``.  Differentiable, a view.  Shape: [*size]."""
    def byte(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.uint8: itself if it is of that dtype, a copy otherwise.  The result has no gradient."""
    def cauchy_(self, median: _Any = ..., sigma: _Any = ..., *, generator: _Any = None) -> Tensor:
        """Fill the tensor with samples of the Cauchy distribution."""
    def ccol_indices(self) -> Tensor:
        """The index of each column's first value, followed by the number of values, for a sparse column compressed tensor.  Raise RuntimeError for any other tensor."""
    def cdouble(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.complex128: itself if it is of that dtype, a copy otherwise.  Differentiable."""
    def ceil(self, *, out: Tensor | None = None) -> Tensor:
        """Input rounded up to the next integer."""
    def ceil_(self) -> Tensor:
        """Input rounded up to the next integer."""
    def cfloat(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.complex64: itself if it is of that dtype, a copy otherwise.  Differentiable."""
    def chalf(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.complex32: itself if it is of that dtype, a copy otherwise.  Differentiable."""
    def char(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.int8: itself if it is of that dtype, a copy otherwise.  The result has no gradient."""
    def cholesky(self, upper: _Any = False, *, out: Tensor | None = None) -> Tensor:
        """The Cholesky factor: ``torch.linalg.cholesky``.  Differentiable."""
    def cholesky_inverse(self, upper: _Any = False, *, out: Tensor | None = None) -> Tensor:
        """The inverse of A = L L^H (A = L^H L if ``upper``).  Differentiable."""
    def cholesky_solve(self, L: Tensor, upper: _Any = False, *, out: Tensor | None = None) -> Tensor:
        """The solutions of A X = B for A = L L^H (A = L^H L if ``upper``).  Differentiable."""
    def chunk(self, chunks: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
        """The input in at most ``chunks`` parts of one size along ``dim``; the last may be smaller.  Differentiable, views."""
    def clamp(self, min: _Any = None, max: _Any = None, *, out: Tensor | None = None) -> Tensor:
        """Input with its elements limited to ``min`` and ``max``; either may be omitted."""
    def clamp_(self, min: _Any = None, max: _Any = None) -> Tensor:
        """In-place version of clamp.  Raise RuntimeError if no bound is given."""
    def clamp_max(self, max: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Input, but at most ``max``."""
    def clamp_max_(self, max: Tensor | _Number) -> Tensor:
        """Input, but at most ``max``."""
    def clamp_min(self, min: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Input, but at least ``min``."""
    def clamp_min_(self, min: Tensor | _Number) -> Tensor:
        """Input, but at least ``min``."""
    def clip(self, min: _Any = None, max: _Any = None, *, out: Tensor | None = None) -> Tensor:
        """Input with its elements limited to ``min`` and ``max``; either may be omitted."""
    def clip_(self, min: _Any = None, max: _Any = None) -> Tensor:
        """In-place version of clamp.  Raise RuntimeError if no bound is given."""
    def clone(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """Copy the input into new dense memory, with its dimensions in the same order."""
    def coalesce(self) -> Tensor:
        """The tensor with sorted, unique indices; values with equal indices are added.  Differentiable."""
    def col_indices(self) -> Tensor:
        """The position of every value within its row, for a sparse row compressed tensor.  Raise RuntimeError for any other tensor."""
    def conj(self) -> Tensor:
        """The complex conjugate; real tensors are returned as they are.  Differentiable."""
    def conj_physical(self, *, out: Tensor | None = None) -> Tensor:
        """The complex conjugate in new memory; a real tensor itself.  Differentiable."""
    def conj_physical_(self) -> Tensor:
        """In-place version of conj_physical; real tensors may be expanded."""
    def const_data_ptr(self) -> Tensor:
        """The address of the first element; 0 if there is none, or if only a wrapper subclass knows it."""
    def contiguous(self, *, memory_format: _memory_format | None = ...) -> Tensor:
        """The tensor itself if it is contiguous, otherwise a contiguous copy.  Differentiable."""
    def copy_(self, other: Tensor | _Number, non_blocking: _Any = False) -> Tensor:
        """Write the elements of ``other`` (a tensor, broadcast and cast, or a number) over those of the tensor."""
    def copysign(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The absolute value of input with the sign of other."""
    def copysign_(self, other: Tensor | _Number) -> Tensor:
        """The absolute value of input with the sign of other."""
    def corrcoef(self) -> Tensor:
        """The correlation coefficients of the rows.  Differentiable."""
    def cos(self, *, out: Tensor | None = None) -> Tensor:
        """Cosine of input."""
    def cos_(self) -> Tensor:
        """Cosine of input."""
    def cosh(self, *, out: Tensor | None = None) -> Tensor:
        """Hyperbolic cosine of input."""
    def cosh_(self) -> Tensor:
        """Hyperbolic cosine of input."""
    def count_nonzero(self, dim: _Any = None, *, axis: _Any = None) -> Tensor:
        """The number of elements (along ``dim``) that are not zero.  Shape: [*] to [], or without ``dim``."""
    def cov(self, *, correction: _Any = 1, fweights: _Any = None, aweights: _Any = None) -> Tensor:
        """The covariance matrix of the rows; a vector has its variance."""
    def cpu(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """Return the tensor itself: it is on the CPU."""
    def cross(self, other: Tensor | _Number, dim: _Any = None, *, out: Tensor | None = None) -> Tensor:
        """The cross products along ``dim``, or along the first dimension of size 3.  Differentiable."""
    def crow_indices(self) -> Tensor:
        """The index of each row's first value, followed by the number of values, for a sparse row compressed tensor.  Raise RuntimeError for any other tensor."""
    def cuda(self, device: _device | _str | _int | None = None, non_blocking: _Any = False, memory_format: _memory_format | None = None) -> Tensor:
        """Raise AssertionError, as PyTorch without CUDA does: tensh computes on the CPU."""
    def cummax(self, dim: _Any, *, axis: _Any = None, out: Tensor | None = None) -> _Any:
        """The largest element so far along ``dim``, and its index.  Differentiable."""
    def cummin(self, dim: _Any, *, axis: _Any = None, out: Tensor | None = None) -> _Any:
        """The smallest element so far along ``dim``, and its index.  Differentiable."""
    def cumprod(self, dim: _Any, *, dtype: _dtype | None = None, axis: _Any = None, out: Tensor | None = None) -> Tensor:
        """The running product along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given."""
    def cumprod_(self, dim: _Any, *, dtype: _dtype | None = None, axis: _Any = None) -> Tensor:
        """The running product along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given."""
    def cumsum(self, dim: _Any, *, dtype: _dtype | None = None, axis: _Any = None, out: Tensor | None = None) -> Tensor:
        """The running sum along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given."""
    def cumsum_(self, dim: _Any, *, dtype: _dtype | None = None, axis: _Any = None) -> Tensor:
        """The running sum along ``dim``, of the same shape; int64 for bools and integers unless ``dtype`` is given."""
    @property
    def data(self) -> Tensor:
        """A view without history, whose writes are not counted as writes to this tensor."""
    @data.setter
    def data(self, value: Tensor) -> None: ...
    def data_ptr(self) -> _int:
        """The address of the first element; 0 if there is none, or if only a wrapper subclass knows it."""
    def deg2rad(self, *, out: Tensor | None = None) -> Tensor:
        """Input converted from degrees to radians."""
    def deg2rad_(self) -> Tensor:
        """Input converted from degrees to radians."""
    def dense_dim(self) -> Tensor:
        """The number of dense dimensions."""
    def det(self, *, out: Tensor | None = None) -> Tensor:
        """The determinants of square matrices.  Differentiable.  Shape: [..., n, n] to [...]."""
    def detach(self) -> Tensor:
        """Return a view without history: the two share their memory and the count of writes."""
    def detach_(self) -> Tensor:
        """Detach this tensor from its history, in place; do nothing in inference mode.  Raise RuntimeError for a view."""
    @property
    def device(self) -> _device:
        """The device of the elements."""
    @device.setter
    def device(self, value: _device) -> None: ...
    def diag(self, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
        """A matrix with a vector as its diagonal, or the diagonal of a matrix, as a copy.  Differentiable."""
    def diag_embed(self, offset: _Any = 0, dim1: _int = -2, dim2: _Any = -1) -> Tensor:
        """Matrices of zeros with the last dimension of the input as their diagonals.  Differentiable."""
    def diagflat(self, offset: _Any = 0) -> Tensor:
        """A matrix of zeros with all elements of the input on its diagonal.  Differentiable.  Shape: [*] to [n, n]."""
    def diagonal(self, offset: _Any = 0, dim1: _int = 0, dim2: _Any = 1) -> Tensor:
        """The diagonals over two dimensions, as the last dimension.  Differentiable, a view."""
    def diagonal_scatter(self, src: _Any, offset: _Any = 0, dim1: _int = 0, dim2: _Any = 1) -> Tensor:
        """The input with a diagonal replaced by ``src``.  Differentiable."""
    def diff(self, n: _Any = 1, dim: _Any = -1, prepend: _Any = None, append: _Any = None, *, out: Tensor | None = None) -> Tensor:
        """The ``n``-th differences of neighbours along ``dim``; ``prepend`` and ``append`` are joined to the input before."""
    def digamma(self, *, out: Tensor | None = None) -> Tensor:
        """Derivative of lgamma at input."""
    def digamma_(self) -> Tensor:
        """Derivative of lgamma at input."""
    def dim(self) -> _int:
        """The number of dimensions."""
    def dim_order(self, *, ambiguity_check: _Any = False) -> Tensor:
        """Return the dimensions in the order of their strides, from the largest to the smallest."""
    def dist(self, other: Tensor, p: _Any = 2) -> Tensor:
        """The ``p``-norm of ``input - other``.  Differentiable.  Shapes: [*] to []. Raise RuntimeError for integers."""
    def div(self, other: Tensor | _Number, *, rounding_mode: _Any = None, out: Tensor | None = None) -> Tensor:
        """Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down."""
    def div_(self, other: Tensor | _Number, *, rounding_mode: _Any = None) -> Tensor:
        """Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down."""
    def divide(self, other: Tensor | _Number, *, rounding_mode: _Any = None, out: Tensor | None = None) -> Tensor:
        """Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down."""
    def divide_(self, other: Tensor | _Number, *, rounding_mode: _Any = None) -> Tensor:
        """Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down."""
    def dot(self, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The sum of the products of two vectors' elements.  Differentiable."""
    def double(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.float64: itself if it is of that dtype, a copy otherwise.  Differentiable."""
    def dsplit(self, indices_or_sections: _Any) -> tuple[Tensor, ...]:
        """The input cut along its third dimension: in equal parts, or before each of the given indices."""
    @property
    def dtype(self) -> _dtype:
        """The type of the elements."""
    @dtype.setter
    def dtype(self, value: _dtype) -> None: ...
    def element_size(self) -> _int:
        """Bytes of one element."""
    def eq(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is equal to other."""
    def eq_(self, other: Tensor | _Number) -> Tensor:
        """True where input is equal to other."""
    def equal(self, other: Tensor | _Number) -> _bool:
        """Return True if both have the same shape and the same elements."""
    def erf(self, *, out: Tensor | None = None) -> Tensor:
        """The error function of input."""
    def erf_(self) -> Tensor:
        """The error function of input."""
    def erfc(self, *, out: Tensor | None = None) -> Tensor:
        """1 - erf(input), accurate where erf is nearly 1."""
    def erfc_(self) -> Tensor:
        """1 - erf(input), accurate where erf is nearly 1."""
    def erfinv(self, *, out: Tensor | None = None) -> Tensor:
        """The inverse error function of input."""
    def erfinv_(self) -> Tensor:
        """The inverse error function of input."""
    def exp(self, *, out: Tensor | None = None) -> Tensor:
        """e to the power of input."""
    def exp2(self, *, out: Tensor | None = None) -> Tensor:
        """2 to the power of input."""
    def exp2_(self) -> Tensor:
        """2 to the power of input."""
    def exp_(self) -> Tensor:
        """e to the power of input."""
    def expand(self, size: _Any) -> Tensor:
        """The tensor with dimensions of size 1 repeated up to ``size``, without copying; -1 keeps a size."""
    def expand_as(self, other: Tensor | _Number) -> Tensor:
        """The tensor expanded to the size of ``other``.  Differentiable, a view.  Shape: [*], that of ``other``."""
    def expm1(self, *, out: Tensor | None = None) -> Tensor:
        """e to the power of input, minus 1, accurate near 0."""
    def expm1_(self) -> Tensor:
        """e to the power of input, minus 1, accurate near 0."""
    def exponential_(self, lambd: _Any = ..., *, generator: _Any = None) -> Tensor:
        """Fill the tensor with exponential numbers of rate ``lambd``."""
    def fill_(self, value: _Any) -> Tensor:
        """Set all elements to ``value``, a number or a tensor without dimensions.  Shape: [*]. Raise RuntimeError for any other."""
    def fill_diagonal_(self, fill_value: _Any, wrap: _Any = False) -> Tensor:
        """Set the main diagonal to ``fill_value``; with ``wrap`` it starts again in tall matrices, after a row without it."""
    def fix(self, *, out: Tensor | None = None) -> Tensor:
        """Input rounded towards zero."""
    def fix_(self) -> Tensor:
        """Input rounded towards zero."""
    def flatten(self, start_dim: _Any = 0, end_dim: _Any = -1) -> Tensor:
        """The dimensions from ``start_dim`` to ``end_dim`` merged; the input itself if nothing changes.  Differentiable."""
    def flip(self, *dims: _Any, **named: _Any) -> Tensor:
        """The tensor with the order reversed along ``dims``, as a copy.  Differentiable.  Shape: [*], kept."""
    def fliplr(self) -> Tensor:
        """The input with its columns in reverse order, as a copy.  Differentiable."""
    def flipud(self) -> Tensor:
        """The input with its rows in reverse order, as a copy.  Differentiable."""
    def float(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.float32: itself if it is of that dtype, a copy otherwise.  Differentiable."""
    def float_power(self, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Input to the power of exponent, in float64 (or complex128).  Either may be a number.  Differentiable."""
    def float_power_(self, exponent: Tensor | _Number) -> Tensor:
        """In-place version of float_power: the input must be of its dtype already.  RuntimeError otherwise."""
    def floor(self, *, out: Tensor | None = None) -> Tensor:
        """Input rounded down to the next integer."""
    def floor_(self) -> Tensor:
        """Input rounded down to the next integer."""
    def floor_divide(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Quotient, rounded down."""
    def floor_divide_(self, other: Tensor | _Number) -> Tensor:
        """Quotient, rounded down."""
    def fmax(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The larger of input and other; a number is preferred to nan."""
    def fmin(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The smaller of input and other; a number is preferred to nan."""
    def fmod(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The remainder of the division that rounds towards zero; it has the dividend's sign.  Raise RuntimeError for an integer divided by 0."""
    def fmod_(self, other: Tensor | _Number) -> Tensor:
        """The remainder of the division that rounds towards zero; it has the dividend's sign.  Raise RuntimeError for an integer divided by 0."""
    def frac(self, *, out: Tensor | None = None) -> Tensor:
        """The fractional part of input, with its sign."""
    def frac_(self) -> Tensor:
        """The fractional part of input, with its sign."""
    def frexp(self, *, out: Tensor | None = None) -> _Any:
        """Mantissa and exponent: input = mantissa * 2 ** exponent, with 0.5 <= |mantissa| < 1.  Differentiable."""
    def gather(self, dim: _Any, index: Tensor, *, sparse_grad: _Any = False, out: Tensor | None = None) -> Tensor:
        """Return for every element of ``index`` the input's element with that index along ``dim``.  Differentiable."""
    def gcd(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Greatest common divisor of integers."""
    def gcd_(self, other: Tensor | _Number) -> Tensor:
        """Greatest common divisor of integers."""
    def ge(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is greater than or equal to other."""
    def ge_(self, other: Tensor | _Number) -> Tensor:
        """True where input is greater than or equal to other."""
    def geometric_(self, p: _Any, *, generator: _Any = None) -> Tensor:
        """Fill the tensor with geometric numbers: trials up to the first success, of probability ``p``."""
    def geqrf(self, *, out: Tensor | None = None) -> _Any:
        """A QR decomposition in LAPACK's form: R and, below the diagonal, the reflections of Q; see ``torch.ormqr``."""
    def ger(self, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The outer product of two vectors: a matrix of all products of their elements.  Differentiable."""
    def get_device(self) -> _int:
        """Return the number of the device: -1 for the CPU."""
    @property
    def grad(self) -> Tensor | None:
        """The gradient that ``backward`` accumulated, or None."""
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @property
    def grad_dtype(self) -> _Any:
        """The dtype of a leaf's gradient, by default that of the tensor; None allows any."""
    @grad_dtype.setter
    def grad_dtype(self, value: _Any) -> None: ...
    @property
    def grad_fn(self) -> _Any:
        """The node of the operation that computed this tensor; None for leaves."""
    @grad_fn.setter
    def grad_fn(self, value: _Any) -> None: ...
    def greater(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is greater than other."""
    def greater_(self, other: Tensor | _Number) -> Tensor:
        """True where input is greater than other."""
    def greater_equal(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is greater than or equal to other."""
    def greater_equal_(self, other: Tensor | _Number) -> Tensor:
        """True where input is greater than or equal to other."""
    def gt(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is greater than other."""
    def gt_(self, other: Tensor | _Number) -> Tensor:
        """True where input is greater than other."""
    def half(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.float16: itself if it is of that dtype, a copy otherwise.  Differentiable."""
    def hardshrink(self, lambd: _Any = ..., *, out: Tensor | None = None) -> Tensor:
        """The input, but 0 where it is between ``-lambd`` and ``lambd``."""
    def hash_tensor(self, dim: _Any = ..., *, keepdim: _bool = False, mode: _Any = 0, out: Tensor | None = None) -> Tensor:
        """The exclusive or of the elements' bits as uint64, of all or along ``dim``; floats count as float64."""
    def heaviside(self, values: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """0 below zero, ``values`` at zero, 1 above."""
    def heaviside_(self, values: Tensor | _Number) -> Tensor:
        """0 below zero, ``values`` at zero, 1 above."""
    def histc(self, bins: _Any = 100, min: _Any = 0, max: _Any = 0, *, out: Tensor | None = None) -> Tensor:
        """The number of elements in each of ``bins`` equal bins from ``min`` to ``max`` (where equal: of the elements' range)."""
    def histogram(self, bins: _Any = 100, *, range: _Any = None, weight: Tensor | None = None, density: _Any = False, out: Tensor | None = None) -> _Any:
        """A histogram and its edges: a named tuple ``(hist, bin_edges)``."""
    def hsplit(self, indices_or_sections: _Any) -> tuple[Tensor, ...]:
        """The input cut into parts side by side: in equal parts, or before each of the given indices."""
    def hypot(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Length of the hypotenuse over the legs input and other."""
    def hypot_(self, other: Tensor | _Number) -> Tensor:
        """Length of the hypotenuse over the legs input and other."""
    def i0(self, *, out: Tensor | None = None) -> Tensor:
        """Modified Bessel function of the first kind, order 0."""
    def i0_(self) -> Tensor:
        """Modified Bessel function of the first kind, order 0."""
    def igamma(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Regularized lower incomplete gamma function: the part below other of the gamma distribution of shape input."""
    def igamma_(self, other: Tensor | _Number) -> Tensor:
        """Regularized lower incomplete gamma function: the part below other of the gamma distribution of shape input."""
    def igammac(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Regularized upper incomplete gamma function: the part above other of the gamma distribution of shape input."""
    def igammac_(self, other: Tensor | _Number) -> Tensor:
        """Regularized upper incomplete gamma function: the part above other of the gamma distribution of shape input."""
    @property
    def imag(self) -> Tensor:
        """The imaginary parts of complex numbers, as a view.  Differentiable."""
    @imag.setter
    def imag(self, value: Tensor) -> None: ...
    def index_add(self, dim: _Any, index: Tensor, source: Tensor, *, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
        """The input with the slices of ``source``, times ``alpha``, added at ``index`` along ``dim``.  Differentiable."""
    def index_add_(self, dim: _Any, index: _Any, source: _Any, *, alpha: _Any = 1) -> Tensor:
        """In-place version of index_add.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def index_copy(self, dim: _Any, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The input with its slices at ``index`` along ``dim`` replaced by those of ``source``.  Differentiable."""
    def index_copy_(self, dim: _Any, index: _Any, source: _Any) -> Tensor:
        """In-place version of index_copy.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def index_fill(self, dim: _Any, index: _Any, value: _Any) -> Tensor:
        """The input with its slices at ``index`` along ``dim`` set to ``value``."""
    def index_fill_(self, dim: _Any, index: _Any, value: _Any) -> Tensor:
        """In-place version of index_fill.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def index_put(self, indices: _Any, values: _Any, accumulate: _Any = False) -> Tensor:
        """The input with ``values`` at the positions given by a tuple of index tensors."""
    def index_put_(self, indices: _Any, values: _Any, accumulate: _Any = False) -> Tensor:
        """In-place version of index_put.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def index_reduce(self, dim: _Any, index: _Any, source: _Any, reduce: _Any, *, include_self: _Any = True, out: Tensor | None = None) -> Tensor:
        """The slices of ``source`` combined at ``index`` along ``dim``."""
    def index_reduce_(self, dim: _Any, index: _Any, source: _Any, reduce: _Any, *, include_self: _Any = True) -> Tensor:
        """In-place version of index_reduce.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def index_select(self, dim: _Any, index: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The slices at ``index`` (a vector) along ``dim``, in that order.  Differentiable."""
    def indices(self) -> Tensor:
        """The indices of the values [sparse dims, nnz].  Raise RuntimeError for a tensor that is not coalesced."""
    def inner(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The sums of products over the last dimension of both.  Differentiable."""
    def int(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.int32: itself if it is of that dtype, a copy otherwise.  The result has no gradient."""
    def inverse(self, *, out: Tensor | None = None) -> Tensor:
        """The inverses of square matrices: ``torch.linalg.inv``.  Differentiable."""
    def is_coalesced(self) -> Tensor:
        """Return True if the indices are known to be sorted and unique.  Raise RuntimeError for another layout than sparse_coo."""
    def is_complex(self) -> _bool:
        """Return True if the dtype is complex."""
    def is_conj(self) -> Tensor:
        """Return False, because conjugation is computed at once, not when the tensor is read."""
    def is_contiguous(self, *, memory_format: _memory_format | None = ...) -> _bool:
        """Return True if the tensor is dense, with the last dimension innermost (or in the order of ``memory_format``)."""
    @property
    def is_cpu(self) -> _bool:
        """Return True unless the tensor is on "meta"."""
    @is_cpu.setter
    def is_cpu(self, value: _bool) -> None: ...
    @property
    def is_cuda(self) -> _bool:
        """False: tensh computes on the CPU only."""
    @is_cuda.setter
    def is_cuda(self, value: _bool) -> None: ...
    def is_distributed(self) -> Tensor:
        """Return False, because no tensor is distributed over processes."""
    def is_floating_point(self) -> _bool:
        """Return True if the dtype is one of the floating point dtypes."""
    def is_inference(self) -> _bool:
        """Return True if the tensor was made in inference mode."""
    @property
    def is_ipu(self) -> _Any:
        """False: tensh computes on the CPU only."""
    @is_ipu.setter
    def is_ipu(self, value: _Any) -> None: ...
    @property
    def is_leaf(self) -> _bool:
        """Return True if the user made this tensor, rather than an operation on one that requires grad."""
    @is_leaf.setter
    def is_leaf(self, value: _bool) -> None: ...
    @property
    def is_maia(self) -> _Any:
        """False: tensh computes on the CPU only."""
    @is_maia.setter
    def is_maia(self, value: _Any) -> None: ...
    @property
    def is_meta(self) -> _bool:
        """True on the device "meta", where tensors have no elements."""
    @is_meta.setter
    def is_meta(self, value: _bool) -> None: ...
    @property
    def is_mkldnn(self) -> _bool:
        """False: tensh computes on the CPU only."""
    @is_mkldnn.setter
    def is_mkldnn(self, value: _bool) -> None: ...
    @property
    def is_mps(self) -> _bool:
        """False: tensh computes on the CPU only."""
    @is_mps.setter
    def is_mps(self, value: _bool) -> None: ...
    @property
    def is_mtia(self) -> _Any:
        """False: tensh computes on the CPU only."""
    @is_mtia.setter
    def is_mtia(self, value: _Any) -> None: ...
    def is_neg(self) -> Tensor:
        """Return False, because negation is computed at once, not when the tensor is read."""
    @property
    def is_nested(self) -> _bool:
        """True for a nested tensor, which is of another class."""
    @is_nested.setter
    def is_nested(self, value: _bool) -> None: ...
    def is_nonzero(self) -> _bool:
        """Return True if the only element is not zero.  Raise RuntimeError unless there is exactly one."""
    def is_pinned(self, device: _device | _str | _int | None = None) -> _bool:
        """Return False: there is no device to pin memory for."""
    @property
    def is_quantized(self) -> _bool:
        """False: tensh has no quantized numbers."""
    @is_quantized.setter
    def is_quantized(self, value: _bool) -> None: ...
    def is_same_size(self, other: Tensor | _Number) -> _bool:
        """Return True if two tensors have the same shape."""
    def is_set_to(self, tensor: _Any) -> _bool:
        """Return True if both tensors have the same memory, sizes and strides."""
    def is_shared(self) -> Tensor:
        """Return True if the tensor's memory can be mapped by other processes."""
    def is_signed(self) -> _bool:
        """Return True if the dtype can represent negative numbers."""
    @property
    def is_sparse(self) -> _bool:
        """Return True for a sparse tensor of the layout torch.sparse_coo."""
    @is_sparse.setter
    def is_sparse(self, value: _bool) -> None: ...
    @property
    def is_sparse_csr(self) -> _bool:
        """Return True for a sparse tensor of the layout torch.sparse_csr."""
    @is_sparse_csr.setter
    def is_sparse_csr(self, value: _bool) -> None: ...
    @property
    def is_vulkan(self) -> _Any:
        """False: tensh computes on the CPU only."""
    @is_vulkan.setter
    def is_vulkan(self, value: _Any) -> None: ...
    @property
    def is_xla(self) -> _bool:
        """False: tensh computes on the CPU only."""
    @is_xla.setter
    def is_xla(self, value: _bool) -> None: ...
    @property
    def is_xpu(self) -> _bool:
        """False: tensh computes on the CPU only."""
    @is_xpu.setter
    def is_xpu(self, value: _bool) -> None: ...
    def isclose(self, other: Tensor | _Number, rtol: _float = ..., atol: _float = ..., equal_nan: _Any = False) -> Tensor:
        """True where |input - other| is at most atol + rtol * |other|.  Raise RuntimeError if a tolerance is negative."""
    def isfinite(self) -> Tensor:
        """True where input is neither nan nor infinite."""
    def isinf(self) -> Tensor:
        """True where input is infinite."""
    def isnan(self) -> Tensor:
        """True where input is nan."""
    def isneginf(self, *, out: Tensor | None = None) -> Tensor:
        """True where input is negative infinity."""
    def isposinf(self, *, out: Tensor | None = None) -> Tensor:
        """True where input is positive infinity."""
    def isreal(self) -> Tensor:
        """True where the imaginary part is zero."""
    def istft(self, n_fft: _Any, hop_length: _Any = None, win_length: _Any = None, window: _Any = None, center: _Any = True, normalized: _Any = False, onesided: _Any = None, length: _Any = None, return_complex: _Any = False) -> Tensor:
        """The signal whose ``stft`` is the input: frames transformed back, added up, and divided by the squared windows."""
    def item(self) -> _Number:
        """Return the only element as a Python number.  Raise RuntimeError unless there is exactly one."""
    @property
    def itemsize(self) -> _int:
        """Bytes of one element."""
    @itemsize.setter
    def itemsize(self, value: _int) -> None: ...
    def kron(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The Kronecker product: each element of one tensor times the whole other tensor.  Differentiable."""
    def kthvalue(self, k: _Any, dim: _Any = -1, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
        """The ``k``-th smallest element along ``dim`` (from 1), and its index.  Differentiable."""
    @property
    def layout(self) -> _layout:
        """The layout of the elements in memory: torch.strided, or a sparse one."""
    @layout.setter
    def layout(self, value: _layout) -> None: ...
    def lcm(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Least common multiple of integers."""
    def lcm_(self, other: Tensor | _Number) -> Tensor:
        """Least common multiple of integers."""
    def ldexp(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Input times 2 to the power of other."""
    def ldexp_(self, other: Tensor | _Number) -> Tensor:
        """Input times 2 to the power of other."""
    def le(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is less than or equal to other."""
    def le_(self, other: Tensor | _Number) -> Tensor:
        """True where input is less than or equal to other."""
    def lerp(self, end: _Any, weight: Tensor, *, out: Tensor | None = None) -> Tensor:
        """``input + weight * (end - input)``; the weight is a number or a tensor.  Differentiable."""
    def lerp_(self, end: _Any, weight: Tensor) -> Tensor:
        """In-place version of lerp.  Raise RuntimeError if their dtypes differ."""
    def less(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is less than other."""
    def less_(self, other: Tensor | _Number) -> Tensor:
        """True where input is less than other."""
    def less_equal(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is less than or equal to other."""
    def less_equal_(self, other: Tensor | _Number) -> Tensor:
        """True where input is less than or equal to other."""
    def lgamma(self, *, out: Tensor | None = None) -> Tensor:
        """Logarithm of the absolute value of the gamma function of input."""
    def lgamma_(self) -> Tensor:
        """Logarithm of the absolute value of the gamma function of input."""
    def log(self, *, out: Tensor | None = None) -> Tensor:
        """Natural logarithm of input."""
    def log10(self, *, out: Tensor | None = None) -> Tensor:
        """Logarithm of input to base 10."""
    def log10_(self) -> Tensor:
        """Logarithm of input to base 10."""
    def log1p(self, *, out: Tensor | None = None) -> Tensor:
        """Natural logarithm of 1 + input, accurate near 0."""
    def log1p_(self) -> Tensor:
        """Natural logarithm of 1 + input, accurate near 0."""
    def log2(self, *, out: Tensor | None = None) -> Tensor:
        """Logarithm of input to base 2."""
    def log2_(self) -> Tensor:
        """Logarithm of input to base 2."""
    def log_(self) -> Tensor:
        """Natural logarithm of input."""
    def log_normal_(self, mean: _Any = ..., std: _Any = ..., *, generator: _Any = None) -> Tensor:
        """Fill the tensor with log-normal numbers, exponentials of normal ones."""
    def log_softmax(self, dim: _Any, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
        """The logarithm of softmax along ``dim``, without overflow; ``dtype`` casts before.  Differentiable."""
    def logaddexp(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Logarithm of the sum of the exponentials of input and other."""
    def logaddexp2(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """log2(2 ** input + 2 ** other), without overflow."""
    def logcumsumexp(self, dim: _Any, *, axis: _Any = None, out: Tensor | None = None) -> Tensor:
        """The logarithm of the running sum of exponentials along ``dim``.  Differentiable.  Shape: [*], kept."""
    def logdet(self) -> Tensor:
        """The logarithms of the determinants, nan for negative ones.  Differentiable.  Shape: [..., n, n] to [...]."""
    def logical_and(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where both input and other are nonzero."""
    def logical_and_(self, other: Tensor | _Number) -> Tensor:
        """True where both input and other are nonzero."""
    def logical_not(self, *, out: Tensor | None = None) -> Tensor:
        """True where input is zero."""
    def logical_not_(self) -> Tensor:
        """True where input is zero."""
    def logical_or(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input or other is nonzero."""
    def logical_or_(self, other: Tensor | _Number) -> Tensor:
        """True where input or other is nonzero."""
    def logical_xor(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where exactly one of input and other is nonzero."""
    def logical_xor_(self, other: Tensor | _Number) -> Tensor:
        """True where exactly one of input and other is nonzero."""
    def logit(self, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
        """log(input / (1 - input)); ``eps`` keeps input away from 0 and 1."""
    def logit_(self, eps: _float | None = None) -> Tensor:
        """log(input / (1 - input)); ``eps`` keeps input away from 0 and 1."""
    def logsumexp(self, dim: _Any, keepdim: _bool = False, *, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The logarithm of the sum of exponentials along ``dim`` (an int or a sequence of them), without overflow."""
    def long(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.int64: itself if it is of that dtype, a copy otherwise.  The result has no gradient."""
    def lt(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is less than other."""
    def lt_(self, other: Tensor | _Number) -> Tensor:
        """True where input is less than other."""
    def lu(self, pivot: _Any = True, get_infos: _Any = False) -> Tensor:
        """L and U of A = P L U in one array, and the rows that were swapped.  Differentiable."""
    def lu_solve(self, LU_data: _Any, LU_pivots: _Any, *, out: Tensor | None = None) -> Tensor:
        """The solutions X of A X = b from the result of ``lu_factor`` for A.  Differentiable."""
    @property
    def mH(self) -> Tensor:
        """The conjugate transposes of matrices.  Differentiable."""
    @mH.setter
    def mH(self, value: Tensor) -> None: ...
    @property
    def mT(self) -> Tensor:
        """The last two dimensions swapped: the transposes of matrices.  Differentiable, a view."""
    @mT.setter
    def mT(self, value: Tensor) -> None: ...
    def map2_(self, x: _Any, y: _Any, callable: _Any) -> Tensor:
        """Replace every element by ``callable(element, element of x, element of y)``."""
    def map_(self, tensor: _Any, callable: _Any) -> _Any:
        """Replace every element by ``callable(element, element of tensor)``."""
    def masked_fill(self, mask: Tensor, value: _Any) -> Tensor:
        """Input with ``value``, a number or a 0-d tensor, where ``mask`` is true; the mask is broadcast.  Differentiable."""
    def masked_fill_(self, mask: Tensor, value: _Any) -> Tensor:
        """In-place version of masked_fill; the tensor may be expanded.  Raise RuntimeError for other masks and values."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """The input with elements of ``source``, in their order, where ``mask`` is True; both are broadcast.  Differentiable."""
    def masked_scatter_(self, mask: Tensor, source: _Any) -> Tensor:
        """In-place version of masked_scatter.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def masked_select(self, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The elements where ``mask`` is True, as a vector; input and mask are broadcast.  Differentiable."""
    def matmul(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The matrix product ``input @ other``: of vectors, matrices, and stacks of matrices, whose batch dimensions broadcast."""
    def matrix_exp(self) -> Tensor:
        """The exponential of square matrices.  Differentiable.  Shape: [..., n, n]."""
    def matrix_power(self, n: _Any, *, out: Tensor | None = None) -> Tensor:
        """The ``n``-th power of square matrices; for negative ``n`` a power of the inverse.  Differentiable."""
    def max(self, dim: _Any = ..., keepdim: _bool = False, *, other: Tensor | _Number | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
        """The largest element, the largest along ``dim`` and their indices, or the larger of each pair in two tensors."""
    def maximum(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The larger of input and other; nan if either is nan."""
    def mean(self, dim: _Any = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The mean of all elements, or of the elements along ``dim`` (an int or a sequence of them)."""
    def median(self, dim: _Any = ..., keepdim: _bool = False, *, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
        """The median (the lower of two middle elements); with ``dim`` a named tuple of the medians along it and their indices."""
    def min(self, dim: _Any = ..., keepdim: _bool = False, *, other: Tensor | _Number | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
        """The smallest element, the smallest along ``dim`` and their indices, or the smaller of each pair in two tensors."""
    def minimum(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The smaller of input and other; nan if either is nan."""
    def mm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The product of two matrices, (n, k) and (k, m).  Differentiable."""
    def mode(self, dim: _Any = -1, keepdim: _bool = False, *, out: Tensor | None = None) -> _Any:
        """The most frequent element along ``dim`` (the smallest of equally frequent ones), and its last index."""
    def module_load(self, other: Tensor | _Number, assign: _Any = False) -> Tensor:
        """Return what a module keeps of ``other`` when it loads a state: by default this tensor, which gets a copy."""
    def moveaxis(self, source: _Any, destination: _Any) -> Tensor:
        """The dimensions ``source`` moved to the positions ``destination``, as ``movedim``.  Differentiable."""
    def movedim(self, source: _Any, destination: _Any) -> Tensor:
        """The dimensions ``source`` (an int or several) moved to the positions ``destination``.  Differentiable, a view."""
    def msort(self, *, out: Tensor | None = None) -> Tensor:
        """The elements in order along the first dimension.  Differentiable.  Shape: [*], kept."""
    def mul(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Product of input and other."""
    def mul_(self, other: Tensor | _Number) -> Tensor:
        """Product of input and other."""
    def multinomial(self, num_samples: _Any, replacement: _Any = False, *, generator: _Any = None, out: Tensor | None = None) -> Tensor:
        """Indices drawn with the weights in ``input``, which has one row of weights or is one."""
    def multiply(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Product of input and other."""
    def multiply_(self, other: Tensor | _Number) -> Tensor:
        """Product of input and other."""
    def mv(self, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The product of a matrix (n, m) and a vector (m).  Differentiable."""
    def mvlgamma(self, p: _Any, *, out: Tensor | None = None) -> Tensor:
        """Logarithm of the multivariate gamma function of dimension p.  Raise RuntimeError for p below 1."""
    def mvlgamma_(self, p: _Any) -> Tensor:
        """Logarithm of the multivariate gamma function of dimension p.  Raise RuntimeError for p below 1."""
    @property
    def name(self) -> _Any:
        """None: tensors have no names."""
    @name.setter
    def name(self, value: _Any) -> None: ...
    def nan_to_num(self, nan: _Any = ..., posinf: _Any = None, neginf: _Any = None, *, out: Tensor | None = None) -> Tensor:
        """Input with numbers for nan (0) and the infinities (the largest of the dtype).  Raise RuntimeError for complex numbers."""
    def nan_to_num_(self, nan: _Any = ..., posinf: _Any = None, neginf: _Any = None) -> Tensor:
        """In-place version of nan_to_num; integers and bools do not change, so they may be expanded tensors."""
    def nanmean(self, dim: _Any = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
        """The mean of the elements that are not nan, of all or along ``dim``.  Differentiable."""
    def nanmedian(self, dim: _Any = ..., keepdim: _bool = False, *, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> _Any:
        """The median of the elements that are not nan; with ``dim`` a named tuple of the medians along it and their indices."""
    def nanquantile(self, q: _Any, dim: _Any = None, keepdim: _bool = False, *, interpolation: _Any = 'linear', out: Tensor | None = None) -> Tensor:
        """The quantiles ``q`` (a number from 0 to 1, or a vector of them) of the elements that are not nan, or along ``dim``."""
    def nansum(self, dim: _Any = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
        """The sum of the elements that are not nan, of all or along ``dim``.  Differentiable."""
    def narrow(self, dim: _Any, start: _Any, length: _Any) -> Tensor:
        """The ``length`` elements from ``start`` on along ``dim``.  Differentiable, a view."""
    def narrow_copy(self, dim: _Any, start: _Any, length: _Any, *, out: Tensor | None = None) -> Tensor:
        """Copy the ``length`` elements from ``start`` on along ``dim`` into new memory.  Differentiable."""
    @property
    def nbytes(self) -> _int:
        """Bytes of all elements."""
    @nbytes.setter
    def nbytes(self, value: _int) -> None: ...
    @property
    def ndim(self) -> _int:
        """The number of dimensions."""
    @ndim.setter
    def ndim(self, value: _int) -> None: ...
    def ndimension(self) -> _int:
        """The number of dimensions."""
    def ne(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is different from other."""
    def ne_(self, other: Tensor | _Number) -> Tensor:
        """True where input is different from other."""
    def neg(self, *, out: Tensor | None = None) -> Tensor:
        """The negative of input."""
    def neg_(self) -> Tensor:
        """The negative of input."""
    def negative(self, *, out: Tensor | None = None) -> Tensor:
        """The negative of input."""
    def negative_(self) -> Tensor:
        """The negative of input."""
    def nelement(self) -> _int:
        """The number of elements."""
    def new(self, *size_or_data: _Any, device: _device | _str | _int | None = None) -> Tensor:
        """Call a legacy constructor in this tensor's dtype: ``x.new(2, 3)`` is not initialised, ``x.new([1, 2])`` has data."""
    def new_empty(self, *size: _Any, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of the given size and this tensor's dtype, with uninitialized elements."""
    def new_empty_strided(self, size: _Any, stride: _Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """Make a tensor with the given strides and uninitialized elements, in this tensor's dtype."""
    def new_full(self, size: _Any, fill_value: _Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """Make a tensor of ``fill_value`` with a given size, in this tensor's dtype unless ``dtype`` is given."""
    def new_ones(self, *size: _Any, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of the given size and this tensor's dtype, filled with ones."""
    def new_tensor(self, data: _Any, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False, layout: _layout | None = None, pin_memory: _bool = False) -> Tensor:
        """Make a tensor with a copy of ``data``, in this tensor's dtype unless ``dtype`` is given."""
    def new_zeros(self, *size: _Any, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of the given size and this tensor's dtype, filled with zeros."""
    def nextafter(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The next number after input in the direction of other."""
    def nextafter_(self, other: Tensor | _Number) -> Tensor:
        """The next number after input in the direction of other."""
    def nonzero(self, *, as_tuple: _Any = False, out: Tensor | None = None) -> _Any:
        """The indices of the elements that are not zero, as rows; ``as_tuple`` gives a vector for every dimension."""
    def nonzero_static(self, *, size: _Any, fill_value: _Any = -1, out: Tensor | None = None) -> Tensor:
        """The first ``size`` rows of ``nonzero``, padded with ``fill_value``."""
    def norm(self, *args: _Any, out: Tensor | None = None, **options: _Any) -> _Any:
        """The ``p``-norm of all elements, or of those along ``dim``."""
    def normal_(self, mean: _Any = ..., std: _Any = ..., *, generator: _Any = None) -> Tensor:
        """Fill the tensor with normal numbers."""
    def not_equal(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """True where input is different from other."""
    def not_equal_(self, other: Tensor | _Number) -> Tensor:
        """True where input is different from other."""
    def numel(self) -> _int:
        """The number of elements."""
    def numpy(self, *, force: _Any = False) -> _np.ndarray[_Any, _Any]:
        """Return a NumPy array that shares memory with the tensor: each sees writes to the other."""
    def orgqr(self, tau: _Any, *, out: Tensor | None = None) -> Tensor:
        """The first columns of Q, from the reflections of ``torch.geqrf``.  Differentiable."""
    def ormqr(self, tau: Tensor, other: Tensor, left: _Any = True, transpose: _Any = False, *, out: Tensor | None = None) -> Tensor:
        """The product Q ``other`` (``other`` Q if not ``left``; Q^H with ``transpose``) for Q given by reflections."""
    def outer(self, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The outer product of two vectors: a matrix of all products of their elements.  Differentiable."""
    @property
    def output_nr(self) -> _int:
        """The number of the tensor among the outputs of its operation."""
    @output_nr.setter
    def output_nr(self, value: _int) -> None: ...
    def permute(self, dims: _Any) -> Tensor:
        """The dimensions in the order ``dims``, given as numbers or as one sequence.  Differentiable, a view."""
    def pin_memory(self, device: _device | _str | _int | None = None) -> Tensor:
        """Raise RuntimeError: there is no device to pin memory for."""
    def pinverse(self, rcond: _Any = ...) -> Tensor:
        """The pseudo-inverses of matrices: ``torch.linalg.pinv`` with ``rtol=rcond``.  Differentiable."""
    def polygamma(self, n: _Any) -> Tensor:
        """The ``n``-th derivative of digamma.  Differentiable."""
    def polygamma_(self, n: _Any) -> Tensor:
        """In-place version of polygamma."""
    def positive(self) -> Tensor:
        """The input itself.  Differentiable.  Raise RuntimeError for bools."""
    def pow(self, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Input to the power of exponent."""
    def pow_(self, exponent: Tensor | _Number) -> Tensor:
        """Input to the power of exponent."""
    def prelu(self, weight: Tensor) -> Tensor:
        """The input where it is positive, ``weight`` times it elsewhere: one number, or one per channel.  Differentiable."""
    def prod(self, dim: _Any = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The product of all elements, or of the elements along ``dim``."""
    def put(self, index: Tensor, source: Tensor, accumulate: _Any = False) -> Tensor:
        """The input with the elements of ``source`` at positions ``index`` of the flattened input."""
    def put_(self, index: _Any, source: _Any, accumulate: _Any = False) -> Tensor:
        """In-place version of put.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def qr(self, some: _Any = True, *, out: Tensor | None = None) -> _Any:
        """Q and R of A = Q R: ``torch.linalg.qr``, complete unless ``some``.  Differentiable.  Shape: [..., m, n]."""
    def quantile(self, q: _Any, dim: _Any = None, keepdim: _bool = False, *, interpolation: _Any = 'linear', out: Tensor | None = None) -> Tensor:
        """The quantiles ``q`` (a number from 0 to 1, or a vector of them) of all elements, or along ``dim``."""
    def rad2deg(self, *, out: Tensor | None = None) -> Tensor:
        """Input converted from radians to degrees."""
    def rad2deg_(self) -> Tensor:
        """Input converted from radians to degrees."""
    def random_(self, from_: _Any = 0, to: _Any = None, /, *, generator: _Any = None) -> Tensor:
        """Fill the tensor with integers of [from, to), of [0, to), or of the dtype's full range."""
    def ravel(self) -> Tensor:
        """All elements in one dimension: a view if the tensor is contiguous, a copy otherwise.  Differentiable."""
    @property
    def real(self) -> Tensor:
        """The real parts of complex numbers, as a view; a real tensor itself.  Differentiable.  Shape: [*], kept."""
    @real.setter
    def real(self, value: Tensor) -> None: ...
    def reciprocal(self, *, out: Tensor | None = None) -> Tensor:
        """The reciprocal of input."""
    def reciprocal_(self) -> Tensor:
        """The reciprocal of input."""
    def register_hook(self, hook: _Any) -> Tensor:
        """Call ``hook(grad)`` whenever the gradient of this tensor is computed; a returned tensor replaces it."""
    def register_post_accumulate_grad_hook(self, hook: _Any) -> Tensor:
        """Call ``hook(tensor)`` after a gradient was added to this leaf's ``.grad``.  Raise RuntimeError for non-leaves."""
    def relu(self) -> Tensor:
        """Input where it is positive, 0 elsewhere."""
    def relu_(self) -> Tensor:
        """Input where it is positive, 0 elsewhere."""
    def remainder(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """The remainder of the division that rounds down; it has the divisor's sign.  Raise RuntimeError for an integer divided by 0."""
    def remainder_(self, other: Tensor | _Number) -> Tensor:
        """The remainder of the division that rounds down; it has the divisor's sign.  Raise RuntimeError for an integer divided by 0."""
    def renorm(self, p: _Any, dim: _Any, maxnorm: _Any, *, out: Tensor | None = None) -> Tensor:
        """The input with every slice along ``dim`` whose ``p``-norm exceeds ``maxnorm`` scaled down to it.  Differentiable."""
    def renorm_(self, p: _Any, dim: _Any, maxnorm: _Any) -> Tensor:
        """The input with every slice along ``dim`` whose ``p``-norm exceeds ``maxnorm`` scaled down to it.  Differentiable."""
    def repeat(self, *repeats: _Any, **named: _Any) -> Tensor:
        """The tensor repeated ``repeats`` times along each dimension; new dimensions come first.  Differentiable."""
    def repeat_interleave(self, repeats: _Any = None, dim: _Any = None, *, output_size: _Any = None) -> Tensor:
        """Every element repeated ``repeats`` times, a number or a tensor with a number for each, along ``dim``."""
    @property
    def requires_grad(self) -> _bool:
        """Return True if operations on this tensor are recorded; for a view, also if those on its base are."""
    @requires_grad.setter
    def requires_grad(self, value: _bool) -> None: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Tensor:
        """Set ``requires_grad`` in place and return the tensor."""
    def reshape(self, *shape: _Any, **named: _Any) -> Tensor:
        """The tensor in another shape, one size of which may be -1: a view where possible, a copy otherwise."""
    def reshape_as(self, other: Tensor | _Number) -> Tensor:
        """The tensor in the shape of ``other``, by ``reshape``.  Shape: [*], that of ``other``."""
    def resize(self, *sizes: _Any) -> Tensor:
        """Return the same elements in another size; ``reshape`` is preferred.  Differentiable, a view where possible."""
    def resize_(self, *sizes: _Any, memory_format: _memory_format | None = None, **named: _Any) -> Tensor:
        """Resize the tensor in place; new elements are uninitialized."""
    def resize_as(self, tensor: _Any) -> Tensor:
        """Return the same elements in the size of another tensor, as a view where possible.  Differentiable."""
    def resize_as_(self, the_template: _Any, *, memory_format: _memory_format | None = None) -> Tensor:
        """Resize the tensor in place to the size of another one; new elements are uninitialized."""
    def resize_as_sparse_(self, the_template: _Any) -> Tensor:
        """Resize a sparse tensor in place to the size of another; its values keep their indices."""
    def resolve_conj(self) -> Tensor:
        """Return the tensor itself, because conjugation was computed at once."""
    def resolve_neg(self) -> Tensor:
        """Return the tensor itself, because negation was computed at once."""
    def retain_grad(self) -> None:
        """Keep the gradient of a computed tensor in ``.grad``, too.  Raise RuntimeError if it requires no grad."""
    @property
    def retains_grad(self) -> _bool:
        """Return True if the tensor is computed and keeps its gradient."""
    @retains_grad.setter
    def retains_grad(self, value: _bool) -> None: ...
    def roll(self, shifts: _Any, dims: _Any = ...) -> Tensor:
        """The elements shifted cyclically by ``shifts`` along ``dims`` (by default of the flattened input)."""
    def rot90(self, k: _Any = 1, dims: _Any = ...) -> Tensor:
        """The input turned by ``k`` times 90 degrees in the plane of two dimensions, from the first towards the second."""
    def round(self, *, decimals: _Any = 0, out: Tensor | None = None) -> Tensor:
        """Input rounded to the nearest integer, halves to even; ``decimals`` is the number of decimal places to keep."""
    def round_(self, *, decimals: _Any = 0) -> Tensor:
        """Input rounded to the nearest integer, halves to even; ``decimals`` is the number of decimal places to keep."""
    def row_indices(self) -> Tensor:
        """The position of every value within its column, for a sparse column compressed tensor.  Raise RuntimeError for any other tensor."""
    def rsqrt(self, *, out: Tensor | None = None) -> Tensor:
        """The reciprocal of the square root of input."""
    def rsqrt_(self) -> Tensor:
        """The reciprocal of the square root of input."""
    def scatter(self, dim: _Any, index: _Any, src: _Any = None, *, value: _Any = None, reduce: _Any = None, out: Tensor | None = None) -> Tensor:
        """The input with elements of ``src``, or a number, written at ``index`` along ``dim``."""
    def scatter_(self, dim: _Any, index: _Any, src: _Any = None, *, value: _Any = None, reduce: _Any = None) -> Tensor:
        """In-place version of scatter.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def scatter_add(self, dim: _Any, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The input with the elements of ``src`` added at ``index`` along ``dim``.  Differentiable."""
    def scatter_add_(self, dim: _Any, index: _Any, src: _Any) -> Tensor:
        """In-place version of scatter_add.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def scatter_reduce(self, dim: _Any, index: _Any, src: _Any, reduce: _Any, *, include_self: _Any = True, out: Tensor | None = None) -> Tensor:
        """The elements of ``src`` combined at ``index`` along ``dim``."""
    def scatter_reduce_(self, dim: _Any, index: _Any, src: _Any, reduce: _Any, *, include_self: _Any = True) -> Tensor:
        """In-place version of scatter_reduce.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def select(self, dim: _Any, index: _Any) -> Tensor:
        """The slice at ``index`` of dimension ``dim``, which is removed.  Differentiable, a view."""
    def select_scatter(self, src: _Any, dim: _Any, index: _Any) -> Tensor:
        """The input with the slice at ``index`` of ``dim`` replaced by ``src``.  Differentiable."""
    def set_(self, source: _Any = None, storage_offset: _Any = None, size: _Any = None, stride: _Any = None) -> Tensor:
        """Make the tensor a view of the memory of ``source`` (a tensor or a storage), or of none."""
    def sgn(self, *, out: Tensor | None = None) -> Tensor:
        """Sign of input; a complex number divided by its absolute value."""
    def sgn_(self) -> Tensor:
        """Sign of input; a complex number divided by its absolute value."""
    @property
    def shape(self) -> Size:
        """The size of each dimension."""
    @shape.setter
    def shape(self, value: Size) -> None: ...
    def share_memory_(self) -> Tensor:
        """Move the tensor's memory, with all tensors that share it, to shared memory, and return the tensor."""
    def short(self, *, memory_format: _memory_format | None = None) -> Tensor:
        """The tensor in torch.int16: itself if it is of that dtype, a copy otherwise.  The result has no gradient."""
    def sigmoid(self, *, out: Tensor | None = None) -> Tensor:
        """1 / (1 + exp(-input))."""
    def sigmoid_(self) -> Tensor:
        """1 / (1 + exp(-input))."""
    def sign(self, *, out: Tensor | None = None) -> Tensor:
        """Sign of input: -1, 0 or 1."""
    def sign_(self) -> Tensor:
        """Sign of input: -1, 0 or 1."""
    def signbit(self, *, out: Tensor | None = None) -> Tensor:
        """True where the sign bit of input is set."""
    def sin(self, *, out: Tensor | None = None) -> Tensor:
        """Sine of input."""
    def sin_(self) -> Tensor:
        """Sine of input."""
    def sinc(self, *, out: Tensor | None = None) -> Tensor:
        """sin(pi input) / (pi input); 1 at 0."""
    def sinc_(self) -> Tensor:
        """sin(pi input) / (pi input); 1 at 0."""
    def sinh(self, *, out: Tensor | None = None) -> Tensor:
        """Hyperbolic sine of input."""
    def sinh_(self) -> Tensor:
        """Hyperbolic sine of input."""
    def size(self, dim: _Any = None) -> _Any:
        """The size of every dimension, or of dimension ``dim``."""
    def slice_scatter(self, src: _Any, dim: _Any = 0, start: _Any = None, end: _Any = None, step: _Any = 1, *, out: Tensor | None = None) -> Tensor:
        """The input with the elements from ``start`` to ``end`` along ``dim`` replaced by ``src``.  Differentiable."""
    def slogdet(self, *, out: Tensor | None = None) -> _Any:
        """The signs of the determinants [..., n, n] and the logarithms of their magnitudes.  Differentiable."""
    def smm(self, mat: Tensor) -> Tensor:
        """The product of a sparse matrix with a dense one as a sparse matrix.  Shapes: [n, k] and [k, m] to [n, m]."""
    def softmax(self, dim: _Any, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
        """The exponentials of the elements, divided by their sum along ``dim``; ``dtype`` casts before.  Differentiable."""
    def sort(self, dim: _Any = -1, descending: _bool = False, *, stable: _bool | None = None, out: Tensor | None = None) -> _Any:
        """The elements in order along ``dim``, and their indices in the input: a named tuple ``(values, indices)``."""
    def sparse_dim(self) -> Tensor:
        """The number of sparse dimensions; 0 for a dense tensor."""
    def sparse_mask(self, mask: Tensor) -> Tensor:
        """The values of this tensor at the indices of a sparse tensor ``mask`` of its shape.  Differentiable."""
    def sparse_resize_(self, size: _Any, sparse_dim: _Any, dense_dim: _Any) -> Tensor:
        """Resize a sparse tensor in place; its values keep their indices."""
    def sparse_resize_and_clear_(self, size: _Any, sparse_dim: _Any, dense_dim: _Any) -> Tensor:
        """Resize a sparse tensor in place and remove its values."""
    def split(self, split_size: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
        """The tensor in parts of one size along ``dim`` (the last may be smaller), or of the sizes in a list."""
    def split_with_sizes(self, split_sizes: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
        """The input in parts of the given sizes along ``dim``.  Differentiable, views."""
    def sqrt(self, *, out: Tensor | None = None) -> Tensor:
        """Square root of input."""
    def sqrt_(self) -> Tensor:
        """Square root of input."""
    def square(self, *, out: Tensor | None = None) -> Tensor:
        """Input squared; bools give integers."""
    def square_(self) -> Tensor:
        """Input squared; bools give integers."""
    def squeeze(self, dim: _Any = ...) -> Tensor:
        """The input without its dimensions of size 1, or without those among ``dim`` (an int or several)."""
    def squeeze_(self, dim: _Any = ...) -> Tensor:
        """In-place version of ``squeeze``: the tensor becomes its own view."""
    def sspaddmm(self, mat1: Tensor, mat2: Tensor, *, beta: _Any = 1, alpha: _Any = 1) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)`` of sparse ``input`` and ``mat1``, as a sparse matrix."""
    def std(self, dim: _Any = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Any = None, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The standard deviation of all elements, or along ``dim`` (an int or a sequence of them)."""
    def stft(self, n_fft: _Any, hop_length: _Any = None, win_length: _Any = None, window: _Any = None, center: _Any = True, pad_mode: _Any = 'reflect', normalized: _Any = False, onesided: _Any = None, return_complex: _Any = None, align_to_window: _Any = None) -> Tensor:
        """The Fourier transforms of overlapping frames of a signal (or a batch of them), times a window."""
    def storage(self) -> _Any:
        """The memory of the tensor as one array of elements, deprecated in favour of ``untyped_storage``."""
    def storage_offset(self) -> _int:
        """Return the offset of the first element in the storage, in elements."""
    def storage_type(self) -> Tensor:
        """The class of the storage: ``torch.FloatStorage`` for float32."""
    def stride(self, dim: _Any = None) -> _Any:
        """Return the strides, in elements, of every dimension, or of ``dim``."""
    def sub(self, other: Tensor | _Number, *, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
        """Difference of input and other, or of input and ``alpha`` times other."""
    def sub_(self, other: Tensor | _Number, *, alpha: _Any = 1) -> Tensor:
        """Difference of input and other, or of input and ``alpha`` times other."""
    def subtract(self, other: Tensor | _Number, *, alpha: _Any = 1, out: Tensor | None = None) -> Tensor:
        """Difference of input and other, or of input and ``alpha`` times other."""
    def subtract_(self, other: Tensor | _Number, *, alpha: _Any = 1) -> Tensor:
        """Difference of input and other, or of input and ``alpha`` times other."""
    def sum(self, dim: _Any = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, axis: _Any = ..., keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The sum of all elements, or of the elements along ``dim`` (an int or a sequence of them)."""
    def sum_to_size(self, *size: _Any, **named: _Any) -> Tensor:
        """The sum over the dimensions in which ``size`` is broadcast to the tensor's shape.  Differentiable."""
    def svd(self, some: _Any = True, compute_uv: _Any = True, *, out: Tensor | None = None) -> _Any:
        """U, S and V of A = U diag(S) V^H: ``torch.linalg.svd`` with V in place of its adjoint.  Differentiable."""
    def swapaxes(self, axis0: _Any, axis1: _Any) -> Tensor:
        """The input with two dimensions swapped, as ``transpose``.  Differentiable.  Shape: [a, b] to [b, a]."""
    def swapaxes_(self, axis0: _Any, axis1: _Any) -> Tensor:
        """In-place version of ``swapaxes``: the tensor becomes its own view."""
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """The input with two dimensions swapped, as ``transpose``.  Differentiable.  Shape: [a, b] to [b, a]."""
    def swapdims_(self, dim0: _int, dim1: _int) -> Tensor:
        """In-place version of ``swapdims``: the tensor becomes its own view."""
    def t(self) -> Tensor:
        """The transpose of a matrix; vectors and numbers are unchanged.  Differentiable, a view."""
    def t_(self) -> Tensor:
        """In-place version of ``t``: the tensor becomes its own view."""
    def take(self, index: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The elements at positions ``index`` of the flattened input, in the shape of ``index``.  Differentiable."""
    def take_along_dim(self, indices: _Any, dim: _Any = None, *, out: Tensor | None = None) -> Tensor:
        """The elements at ``indices`` along ``dim`` (of the flat input without it); the other dimensions are broadcast."""
    def tan(self, *, out: Tensor | None = None) -> Tensor:
        """Tangent of input."""
    def tan_(self) -> Tensor:
        """Tangent of input."""
    def tanh(self, *, out: Tensor | None = None) -> Tensor:
        """Hyperbolic tangent of input."""
    def tanh_(self) -> Tensor:
        """Hyperbolic tangent of input."""
    def tensor_split(self, indices_or_sections: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
        """The input cut before each of the given indices along ``dim``, or in a number of parts of about the same size."""
    def tile(self, *dims: _Any, **named: _Any) -> Tensor:
        """The tensor repeated ``dims`` times along each dimension; a short ``dims`` is padded with ones in front."""
    def to(self, device: _device | _str | _int | None = None, dtype: _dtype | None = None, non_blocking: _Any = False, copy: _Any = False, *, memory_format: _memory_format | None = None) -> Tensor:
        """Convert the tensor to another dtype (``to(dtype)``, ``to(other)``), another device (``to("cpu")``), or both."""
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad: _Any = True) -> Tensor:
        """The tensor with all its elements, itself if it is dense; of ``dtype`` if one is given.  Differentiable."""
    def to_padded_tensor(self, padding: _Any, output_size: _Any = None) -> Tensor:
        """A dense tensor of a nested one's tensors, filled up with ``padding``. Differentiable."""
    def to_sparse(self, sparse_dim: _Any = None, *, layout: _layout | None = None, blocksize: _Any = None, dense_dim: _Any = None) -> Tensor:
        """The tensor in a sparse layout, by default sparse_coo; ``sparse_dim`` dimensions are sparse."""
    def to_sparse_bsc(self, blocksize: _Any, dense_dim: _Any = None) -> Tensor:
        """The tensor in the layout sparse_bsc, in blocks of ``blocksize``.  Differentiable."""
    def to_sparse_bsr(self, blocksize: _Any, dense_dim: _Any = None) -> Tensor:
        """The tensor in the layout sparse_bsr, in blocks of ``blocksize``.  Differentiable."""
    def to_sparse_coo(self) -> Tensor:
        """The tensor in the layout sparse_coo.  Differentiable."""
    def to_sparse_csc(self, dense_dim: _Any = None) -> Tensor:
        """The tensor in the layout sparse_csc.  Differentiable."""
    def to_sparse_csr(self, dense_dim: _Any = None) -> Tensor:
        """The tensor in the layout sparse_csr.  Differentiable."""
    def tolist(self) -> _Any:
        """Return the values as nested lists of Python numbers, or as a number for a 0-d tensor."""
    def topk(self, k: _Any, dim: _Any = -1, largest: _bool = True, sorted: _bool = True, *, axis: _Any = None, out: Tensor | None = None) -> _Any:
        """The ``k`` largest (or smallest) elements along ``dim``, in order, and their indices.  Differentiable."""
    def trace(self) -> Tensor:
        """The sum of the elements on the diagonal of a matrix.  Differentiable."""
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """The input with two dimensions swapped.  Differentiable, a view.  Shape: [a, b] to [b, a]."""
    def transpose_(self, dim0: _int, dim1: _int) -> Tensor:
        """In-place version of ``transpose``: the tensor becomes its own view."""
    def triangular_solve(self, A: Tensor, upper: _Any = True, transpose: _Any = False, unitriangular: _Any = False, *, out: Tensor | None = None) -> _Any:
        """The solutions of A X = b for triangular A (of the transposed equations with ``transpose``), and A."""
    def tril(self, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
        """The elements on and below a diagonal of the matrices in the last two dimensions, zeros elsewhere.  Differentiable."""
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """In-place version of tril.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def triu(self, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
        """The elements on and above a diagonal of the matrices in the last two dimensions, zeros elsewhere.  Differentiable."""
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """In-place version of triu.  Shape: [*], kept. Raise RuntimeError if the result does not fit."""
    def true_divide(self, other: Tensor | _Number, *, rounding_mode: _Any = None, out: Tensor | None = None) -> Tensor:
        """Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down."""
    def true_divide_(self, other: Tensor | _Number, *, rounding_mode: _Any = None) -> Tensor:
        """Quotient of input and other; ``rounding_mode`` 'trunc' rounds it towards zero, 'floor' down."""
    def trunc(self, *, out: Tensor | None = None) -> Tensor:
        """Input rounded towards zero."""
    def trunc_(self) -> Tensor:
        """Input rounded towards zero."""
    def type(self, dtype: _dtype | None = None, non_blocking: _Any = False, **given: _Any) -> _Any:
        """Return the name of the legacy type; with an argument (a dtype, a type or its name), convert the tensor."""
    def type_as(self, other: Tensor | _Number) -> Tensor:
        """Convert the tensor to the dtype of ``other``.  Differentiable.  Raise RuntimeError for another layout."""
    def unbind(self, dim: _Any = 0, *, axis: _Any = None) -> tuple[Tensor, ...]:
        """All slices along ``dim``, as a tuple.  Differentiable, views."""
    def unflatten(self, dim: _Any, sizes: _Any) -> Tensor:
        """Dimension ``dim`` split into the given ``sizes``, one of which may be -1.  Differentiable, a view."""
    def unfold(self, dimension: _Any, size: _Any, step: _Any) -> Tensor:
        """All windows of ``size`` elements along a dimension, ``step`` apart; the last dimension is the window."""
    def uniform_(self, from_: _Any = ..., to: _Any = ..., *, generator: _Any = None) -> Tensor:
        """Fill the tensor with uniform numbers of [from, to)."""
    def unique(self, sorted: _bool = True, return_inverse: _Any = False, return_counts: _Any = False, dim: _Any = None) -> _Any:
        """The distinct elements in ascending order, or the distinct slices along ``dim``."""
    def unique_consecutive(self, return_inverse: _Any = False, return_counts: _Any = False, dim: _Any = None) -> _Any:
        """The elements (or the slices along ``dim``) without repetitions of the previous one.  Shape: [*] to [k]."""
    def unsafe_chunk(self, chunks: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
        """The parts of ``chunk`` without view tracking: writes are not recorded, so the input must not be used again."""
    def unsafe_split(self, split_size: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
        """The parts of ``split`` without view tracking: writes are not recorded, so the input must not be used again."""
    def unsafe_split_with_sizes(self, split_sizes: _Any, dim: _Any = 0) -> tuple[Tensor, ...]:
        """Parts of the given sizes without view tracking: writes are not recorded, so the input must not be used again."""
    def unsqueeze(self, dim: _Any, *, axis: _Any = None) -> Tensor:
        """The input with a new dimension of size 1 before dimension ``dim``.  Differentiable, a view."""
    def unsqueeze_(self, dim: _Any) -> Tensor:
        """In-place version of ``unsqueeze``: the tensor becomes its own view."""
    def untyped_storage(self) -> _Any:
        """The memory of the tensor, as bytes."""
    def values(self) -> Tensor:
        """The values [nnz, *], which gradients pass through.  Raise RuntimeError for a tensor that is not coalesced."""
    def var(self, dim: _Any = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Any = None, axis: _Any = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
        """The variance of all elements, or along ``dim`` (an int or a sequence of them)."""
    def vdot(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The dot product with the conjugate of the first vector.  Differentiable."""
    def view(self, size: _Any) -> Tensor:
        """A view in another shape: ``view(2, -1)``, ``view((2, -1))``, or elements of another dtype: ``view(dtype)``."""
    def view_as(self, other: Tensor | _Number) -> Tensor:
        """A view in the shape of ``other``.  Differentiable.  Shape: [*], that of ``other``."""
    def vsplit(self, indices_or_sections: _Any) -> tuple[Tensor, ...]:
        """The input cut into parts one below the other: in equal parts, or before each of the given indices."""
    def where(self, condition: Tensor, other: Tensor | _Number) -> Tensor:
        """The elements of the tensor where the condition is true, those of ``other`` elsewhere.  Differentiable."""
    def xlogy(self, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
        """Input times the logarithm of other; 0 where input is 0."""
    def xlogy_(self, other: Tensor | _Number) -> Tensor:
        """Input times the logarithm of other; 0 where input is 0."""
    def zero_(self) -> Tensor:
        """Set all elements to zero.  Shape: [*]."""
_F = _TypeVar("_F", bound=_Callable[..., _Any])
_Number = _bool | _int | _float | _complex
_Dims = _int | _Sequence[_int]
_Tensors = tuple[Tensor, ...] | list[Tensor]
def as_array(array: _Any) -> _Any:
    """Return a NumPy scalar as an array; an array without elements, or a sparse one, as it is; a rounded number unrounded."""
def wrap(array: _Any, node: _Any = None) -> _Any:
    """Make a tensor over ``array`` (a NumPy scalar becomes a 0-d array)."""
