"""The base of pruning methods: the amount, the mask, and sequences of methods.

The parameter ``NAME`` becomes ``NAME_orig``, the mask is the buffer ``NAME_mask``, and a hook computes ``NAME`` as
their product before every call.  A second pruning of the same parameter starts from the mask of the first.
"""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable

from tensh.engine import find_public
from tensh.engine.arrays.uninterrupted import without_interrupts


# ── amount ───────────────────────────────────────────────────────────────────
def check_amount(amount):
    """Raise TypeError or ValueError unless ``amount`` is a count or a fraction."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (not isinstance(amount, numbers.Integral) and amount > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def count_of(amount, size):
    """Return the number of elements to prune among ``size``; raise ValueError if there are fewer."""
    count = amount if isinstance(amount, numbers.Integral) else round(amount * size)
    if count > size:
        raise ValueError(f"amount={count} should be smaller than the number of parameters to prune={size}")
    return count


# ── methods ──────────────────────────────────────────────────────────────────
class BasePruningMethod(ABC):
    """Base of pruning methods: a subclass defines ``compute_mask`` and its type.

    ``PRUNING_TYPE`` is "unstructured" (single elements), "structured" (whole slices along ``self.dim``) or "global".
    The type determines which part of an already pruned tensor a second method sees.

    >>> import tensh as torch
    >>> class Negative(torch.nn.utils.prune.BasePruningMethod):
    ...     PRUNING_TYPE = "unstructured"
    ...     def compute_mask(self, t, default_mask):
    ...         return default_mask * (t >= 0)
    >>> Negative().prune(torch.tensor([1., -3., 2.])).sum()
    tensor(3.)
    """

    _tensor_name: str

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """Return the mask of the tensor ``t``: zero where it is pruned, and wherever ``default_mask`` is zero."""

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    def apply_mask(self, module):
        """Return the pruned parameter of the module."""
        mask, original = (getattr(module, self._tensor_name + end) for end in ("_mask", "_orig"))
        return mask.to(dtype=original.dtype) * original

    @classmethod
    @without_interrupts
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prune ``module.NAME`` where ``importance_scores``, by default the parameter itself, are smallest."""
        earlier = hooks_of(module, name)
        if len(earlier) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer."
            )
        method = cls(*args, **kwargs)
        method._tensor_name = name
        tensor = getattr(module, name)
        scores = tensor if importance_scores is None else importance_scores
        if scores.shape != tensor.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got {scores.shape} vs "
                f"{tensor.shape}"
            )
        if not earlier:
            mask = method.compute_mask(scores, default_mask=find_public("ones_like")(tensor))
            module.register_parameter(name + "_orig", tensor)
            del module._parameters[name]
        else:
            mask = combine_masks(method, scores, getattr(module, name + "_mask").detach().clone())
            ((key, first),) = earlier.items()
            del module._forward_pre_hooks[key]
            container = first if isinstance(first, PruningContainer) else PruningContainer(first)
            container.add_pruning_method(method)
            method = container
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """Return the tensor ``t`` pruned, without a module."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        start = find_public("ones_like")(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=start)

    def remove(self, module):
        """Make the pruned tensor the parameter; its zeros may change again."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = weight.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods for one parameter, each of which prunes the rest left by earlier ones.

    Raise ValueError for a method of another parameter.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> layer = prune.identity(prune.random_unstructured(torch.nn.Linear(4, 2), "weight", 1), "weight")
    >>> [type(hook).__name__ for hook in layer._forward_pre_hooks.values()]
    ['PruningContainer']
    """

    def __init__(self, *args):
        self._pruning_methods = ()
        if args and not isinstance(args[0], Iterable):
            self._tensor_name = args[0]._tensor_name
        for method in args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Append a method; raise TypeError or ValueError for anything else, or for a method of another parameter."""
        if method is None:
            return
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer "
                f"{self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        """Return the mask of the last method, which starts from ``default_mask``."""
        return combine_masks(self._pruning_methods[-1], t, default_mask)


def combine_masks(method, t, mask):
    """Return the mask of a method that sees only what ``mask`` left of ``t``."""
    kind, dims = method.PRUNING_TYPE, t.dim()
    if kind == "unstructured":
        seen = mask == 1
    elif kind == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        dim = method.dim + dims if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {dims}")
        left = mask.sum(dim=[each for each in range(dims) if each != dim]) != 0
        seen = (slice(None),) * dim + (left,)
    elif kind == "global":
        seen = (slice(None),) * dims
    else:
        raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
    result = mask.to(dtype=t.dtype, copy=True)
    result[seen] = method.compute_mask(t[seen], default_mask=mask[seen]).to(dtype=result.dtype)
    return result


def hooks_of(module, name):
    """Return the hooks of a module that prune the parameter, by key."""
    hooks = module._forward_pre_hooks.items()
    return {key: hook for key, hook in hooks if isinstance(hook, BasePruningMethod) and hook._tensor_name == name}
