"""Pruning: a mask sets weights to zero, and they stay zero while the others are trained."""

from collections.abc import Iterable

from tensh.engine import find_public
from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.nn.utils.convert_parameters import parameters_to_vector
from tensh.nn.utils.pruning import BasePruningMethod, PruningContainer, check_amount, combine_masks, count_of, hooks_of

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
    "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip


# ── methods ──────────────────────────────────────────────────────────────────
class Identity(BasePruningMethod):
    """Prune nothing; the parameter gets a mask of ones.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> prune.Identity().prune(torch.tensor([1., -3., 2.]))
    tensor([ 1., -3.,  2.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask

    @classmethod
    def apply(cls, module, name):
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """Methods that prune ``amount`` elements, which ``_choose`` selects."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        check_amount(amount)
        self.amount = amount

    def compute_mask(self, t, default_mask):
        count, mask = count_of(self.amount, t.nelement()), default_mask.clone()
        if count:
            mask.view(-1)[self._choose(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prune ``amount`` random elements, given as a count or a fraction.

    Raise ValueError for an amount that is neither a count nor a fraction within [0, 1].

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> prune.RandomUnstructured(amount=2).prune(torch.ones(3)).sum()
    tensor(1.)
    """

    def _choose(self, t, count):
        return find_public("rand_like")(t).view(-1).topk(count).indices

    @classmethod
    def apply(cls, module, name, amount):
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prune the ``amount`` elements with the smallest absolute values, given as a count or a fraction.

    Raise ValueError for an amount that is neither a count nor a fraction within [0, 1].

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> prune.L1Unstructured(amount=2).prune(torch.tensor([1., -3., 2.]))
    tensor([ 0., -3.,  0.])
    """

    def _choose(self, t, count):
        return t.abs().view(-1).topk(count, largest=False).indices

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """Methods that prune ``amount`` slices along ``dim``; ``_choose_slices`` selects those that stay."""

    PRUNING_TYPE = "structured"

    def compute_mask(self, t, default_mask):
        if t.dim() <= 1:
            raise ValueError(
                f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {t.shape} with "
                f"{t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        count = count_of(self.amount, t.shape[self.dim])
        if not count:
            return default_mask
        mask, dim = find_public("zeros_like")(t), self.dim % t.dim()
        mask[(slice(None),) * dim + (self._choose_slices(t, dim, count),)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask


class RandomStructured(_Structured):
    """Prune ``amount`` random slices along ``dim``, given as a count or a fraction.

    Raise ValueError for an amount that is neither a count nor a fraction within [0, 1].

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> prune.RandomStructured(amount=1, dim=0).prune(torch.ones(3, 2)).sum()
    tensor(4.)
    """

    def __init__(self, amount, dim=-1):
        check_amount(amount)
        self.amount, self.dim = amount, dim

    def _choose_slices(self, t, dim, count):
        drawn = find_public("rand")(t.shape[dim])
        return drawn > drawn.kthvalue(k=count).values

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prune the ``amount`` slices along ``dim``, a count or a fraction, with the smallest norms of order ``n``.

    Raise ValueError for an amount that is neither a count nor a fraction within [0, 1].

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> prune.LnStructured(amount=1, n=2, dim=0).prune(torch.tensor([[1., -3.], [2., 1.]]))
    tensor([[ 1., -3.],
            [ 0.,  0.]])
    """

    def __init__(self, amount, n, dim=-1):
        check_amount(amount)
        self.amount, self.n, self.dim = amount, n, dim

    def _choose_slices(self, t, dim, count):
        norms = t.norm(p=self.n, dim=[each for each in range(t.dim()) if each != dim])
        return norms.topk(t.shape[dim] - count).indices

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prune where a mask is zero.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> prune.CustomFromMask(torch.tensor([1, 0, 1])).prune(torch.tensor([1., -3., 2.]))
    tensor([1., -0., 2.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        return super().apply(module, name, mask=mask)


# ── functions ────────────────────────────────────────────────────────────────
def identity(module, name):
    """Give a parameter a mask of ones, and return the module.

    ``name`` is that of the parameter.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> layer = torch.nn.Linear(4, 2)
    >>> prune.identity(layer, "weight").weight_mask.sum()
    tensor(8.)
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Prune ``amount`` random elements, given as a count or a fraction, and return the module.

    ``name`` is that of the parameter. Raise ValueError for an amount that is neither a count nor a fraction within [0,
    1], or more than there is.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> layer = torch.nn.Linear(4, 2)
    >>> prune.random_unstructured(layer, "weight", amount=0.5).weight_mask.sum()
    tensor(4.)
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Prune the ``amount`` elements with the smallest absolute values or scores, and return the module.

    ``name`` is that of the parameter, ``importance_scores`` is a tensor of scores in its shape. Raise ValueError for an
    amount that is neither a count nor a fraction within [0, 1], or more than there is.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> layer = torch.nn.Linear(4, 2)
    >>> prune.l1_unstructured(layer, "weight", amount=0.25).weight_mask.sum()
    tensor(6.)
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Prune ``amount`` random slices along ``dim``, and return the module.

    ``name`` is that of the parameter. Raise ValueError for an amount that is neither a count nor a fraction within [0,
    1], or more than there is, and for vectors [n].

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> layer = torch.nn.Linear(4, 2)
    >>> prune.random_structured(layer, "weight", amount=1, dim=0).weight_mask.sum()
    tensor(4.)
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prune the ``amount`` slices along ``dim`` with the smallest norms of order ``n``, and return the module.

    ``name`` is that of the parameter; norms are those of ``importance_scores`` if given. Raise ValueError for an amount
    that is neither a count nor a fraction within [0, 1], or more than there is, and for vectors [n].

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> layer = torch.nn.Linear(4, 2)
    >>> prune.ln_structured(layer, "weight", amount=1, n=2, dim=0).weight_mask.sum()
    tensor(4.)
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    """Prune where ``mask``, a tensor in the shape of the parameter, is zero, and return the module.

    ``name`` is that of the parameter.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> layer = torch.nn.Linear(4, 2)
    >>> prune.custom_from_mask(layer, "weight", torch.eye(2, 4)).weight_mask.sum()
    tensor(2.)
    """
    CustomFromMask.apply(module, name, mask)
    return module


@without_interrupts
def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prune many parameters of any shapes [*], given as pairs (module, name), as if they were one.

    ``pruning_method`` is a class of unstructured pruning, called with ``kwargs``; ``importance_scores`` maps such pairs
    to tensors. Raise TypeError for structured methods.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    >>> parts = [(first, "weight"), (second, "weight")]
    >>> prune.global_unstructured(parts, prune.L1Unstructured, amount=3)
    >>> first.weight_mask.sum() + second.weight_mask.sum()
    tensor(5.)
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    given = {} if importance_scores is None else importance_scores
    if not isinstance(given, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    tensors = [getattr(module, name) for module, name in pairs]
    scores = parameters_to_vector(given.get(pair, tensor) for pair, tensor in zip(pairs, tensors, strict=True))
    masks = [getattr(module, name + "_mask", None) for module, name in pairs]
    start = parameters_to_vector(
        find_public("ones_like")(tensor) if mask is None else mask for tensor, mask in zip(tensors, masks, strict=True)
    )
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    shares = combine_masks(method, scores, start).split([tensor.numel() for tensor in tensors])
    for (module, name), tensor, share in zip(pairs, tensors, shares, strict=True):
        custom_from_mask(module, name, mask=share.view_as(tensor))


@without_interrupts
def remove(module, name):
    """Make the pruned values permanent, remove the mask, and return the module.

    ``name`` is that of the parameter. Raise ValueError if the parameter is not pruned.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> layer = prune.remove(prune.identity(torch.nn.Linear(4, 2), "weight"), "weight")
    >>> sorted(layer.state_dict())
    ['bias', 'weight']
    """
    for key, hook in hooks_of(module, name).items():
        hook.remove(module)
        del module._forward_pre_hooks[key]
        return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """Return True if a parameter of the module or of a submodule is pruned.

    >>> import tensh as torch
    >>> from tensh.nn.utils import prune
    >>> prune.is_pruned(prune.identity(torch.nn.Linear(4, 2), "weight"))
    True
    """
    hooks = (hook for each in module.modules() for hook in each._forward_pre_hooks.values())
    return any(isinstance(hook, BasePruningMethod) for hook in hooks)
