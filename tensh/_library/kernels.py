"""The functions of an operator by dispatch key, and the choice between them."""

from contextlib import contextmanager

import tensh as torch
from tensh._library.dispatch_keys import key_of_device
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn, warn_once
from tensh.func.trees import leaves_of

FOR_ALL = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd")
"""Keys of functions for all devices, in the order in which they are asked."""
FALLBACKS = """Meta, BackendSelect, Python, FuncTorchDynamicLayerBackMode, Functionalize, Conjugate, Negative, ZeroTensor, ADInplaceOrView,
    AutogradOther, AutogradCPU, AutogradCUDA, AutogradXLA, AutogradMPS, AutogradXPU, AutogradHPU, AutogradLazy, AutogradMTIA, AutogradMAIA,
    AutogradPrivateUse1, AutogradMeta, Tracer, AutocastCPU, AutocastMTIA, AutocastMAIA, AutocastXPU, AutocastMPS, AutocastCUDA,
    FuncTorchBatched, BatchedNestedTensor, FuncTorchVmapMode, Batched, VmapMode, FuncTorchGradWrapper, PythonTLSSnapshot,
    FuncTorchDynamicLayerFrontMode, PreDispatch, PythonDispatcher"""


class Kernels:
    """The functions of one operator."""

    def __init__(self):
        self.functions, self.disabled, self.with_keyset = {}, set(), set()

    def add(self, name, key, function, with_keyset=False):
        """Register the function for a key of the operator ``name``; return a function that removes it again."""
        before = self.functions.get(key)
        if before is not None:
            warn_once(
                "Warning only once for all operators,  other operators may also be overridden.\n"
                "  Overriding a previously registered kernel for the same operator and the same dispatch key\n"
                f"  operator: {name}\n  dispatch key: {key}",
                what="overriding a kernel",
            )
        self.functions[key] = function
        (self.with_keyset.add if with_keyset else self.with_keyset.discard)(key)

        def remove():
            if self.functions.get(key) is function:
                del self.functions[key]

        return remove

    def find(self, *keys):
        """Return the function of the first key that has one and is not disabled, or None."""
        for key in keys:
            if key in self.functions and key not in self.disabled:
                function = self.functions[key]
                if key in self.with_keyset:
                    return lambda *args, **kwargs: function(torch.DispatchKey[key], *args, **kwargs)
                return function
        return None

    def require(self, name):
        """Return the function for tensors of the CPU; raise NotImplementedError if the operator ``name`` has none."""
        found = self.find("CPU", *FOR_ALL)
        if found is None:
            backends = [key for key in self.functions if key in ("CUDA", "MPS", "XPU")]
            raise NotImplementedError(
                f"Could not run '{name}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist for "
                "this backend, or was omitted during the selective/custom build process (if using custom build). If you are a "
                "Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions. "
                f"'{name}' is only available for these backends: [{', '.join([*backends, *' '.join(FALLBACKS.split()).split(', ')])}]."
            )
        return found

    def find_autograd(self):
        """Return the function that records derivatives by itself, or None."""
        found = self.find("AutogradCPU", "Autograd")
        return None if found is fallthrough_kernel else found

    @contextmanager
    def set_enabled(self, device_type, enabled):
        """Use the function for a type of devices, or do without it, within a ``with`` statement."""
        key = key_of_device(device_type)
        before = key in self.disabled
        (self.disabled.discard if enabled else self.disabled.add)(key)
        try:
            yield
        finally:
            (self.disabled.add if before else self.disabled.discard)(key)


def fallthrough_kernel():
    """Stand for the next kernel in the order of dispatch keys, as an argument of ``Library.impl``.

    Raise NotImplementedError when it is called.
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def run_without_formula(name, kernels, compute, values):
    """Return the result of an operator without a derivative.

    Gradients flow through what its function records, with a warning.
    """
    result = compute()
    if kernels.find("AutogradCPU", "Autograd") is fallthrough_kernel or not torch.is_grad_enabled():
        return result
    if not any(t.requires_grad for t in leaves_of(values) if isinstance(t, Tensor)):
        return result
    given = [t for t in leaves_of(values) if isinstance(t, Tensor)]
    for t in leaves_of(result):
        if isinstance(t, Tensor) and t.requires_grad and not any(t is each for each in given):
            t.register_hook(lambda gradient: warn_of_missing_formula(name))
    return result


def warn_of_missing_formula(name):
    warn(
        f"{name}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop through it. This may lead "
        "to silently incorrect behavior. This behavior is deprecated and will be removed in a future version of PyTorch. If your "
        "operator is differentiable, please ensure you have registered an autograd kernel to the correct Autograd key (e.g. "
        "DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your operator is not differentiable, or to squash this "
        "warning and use the previous behavior, please register torch::CppFunction::makeFallthrough() to DispatchKey::Autograd."
    )
