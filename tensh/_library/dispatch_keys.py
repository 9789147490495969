"""Dispatch keys: PyTorch's names for the kernels that an operator may have."""

import enum

import tensh as torch

BACKENDS = "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta".split()
FAMILIES = {"": 48, "Quantized": 65, "Sparse": 82, "SparseCsr": 99, "NestedTensor": 116, "Autograd": 133}
"""Kinds of tensors, each with a key for every backend -> the number before the first."""
SINGLE = """Undefined=0 Dense=1 Quantized=5 Sparse=8 SparseCsr=9 NestedTensor=10 BackendSelect=11 Python=13
    FuncTorchDynamicLayerBackMode=14 Functionalize=15 Conjugate=16 Negative=17 ZeroTensor=18 ADInplaceOrView=19 AutogradOther=20
    AutogradFunctionality=21 AutogradNestedTensor=22 AutocastCPU=24 AutocastXPU=27 AutocastIPU=28 AutocastHPU=29 AutocastMPS=31
    AutocastCUDA=32 AutocastPrivateUse1=33 FuncTorchBatched=34 FuncTorchVmapMode=36 FuncTorchGradWrapper=39 PythonTLSSnapshot=41
    FuncTorchDynamicLayerFrontMode=42 PreDispatch=45 PythonDispatcher=46 Autograd=150 CompositeImplicitAutograd=151
    FuncTorchBatchedDecomposition=152 CompositeImplicitAutogradNestedTensor=153 CompositeExplicitAutograd=154
    CompositeExplicitAutogradNonFunctional=155"""
NUMBERS = {name: int(number) for name, _, number in (each.partition("=") for each in SINGLE.split())} | {
    f"{family}{backend}": start + place
    for family, start in FAMILIES.items()
    for place, backend in enumerate(BACKENDS, 1)
}

DispatchKey = enum.Enum("DispatchKey", sorted(NUMBERS.items(), key=lambda each: each[1]), module="torch")
DispatchKey.__int__ = DispatchKey.__index__ = lambda self: self.value
DispatchKey.__doc__ = """The name of a kernel that an operator may have, such as ``CPU`` or ``Autograd``.

>>> import tensh as torch
>>> torch.DispatchKey.CPU
<DispatchKey.CPU: 49>
"""
NAMED_ONLY = frozenset(
    "FPGA Vulkan Metal Tracer Batched VmapMode BatchedNestedTensor Fake AutocastMTIA AutocastMAIA AutocastXLA".split()
)
"""Keys that have a name and no member in Python."""
OF_DEVICES = {"privateuseone": "PrivateUse1", "lazy": "Lazy", "fpga": "FPGA", "vulkan": "Vulkan"}
"""Devices whose key is not their name in capitals."""
WITH_AUTOCAST = frozenset("cpu cuda mps xpu hpu ipu mtia maia xla privateuseone".split())


def require_key(name):
    """Raise RuntimeError unless there is a dispatch key of this name; return the name."""
    name = getattr(name, "name", name)
    if name and name not in NUMBERS and name not in NAMED_ONLY:
        raise RuntimeError(f"could not parse dispatch key: {name}")
    return name


def key_of_device(name):
    """Return the dispatch key of a type of devices; raise RuntimeError for a name that is none, or a device with a number."""
    kind = torch.device(name)
    if kind.index is not None:
        raise RuntimeError(f"Expected device_type string to not have a device index; got {name}")
    return OF_DEVICES.get(kind.type) or kind.type.upper().replace("META", "Meta")


def keys_of_devices(device_types):
    """Return the dispatch keys of devices, which are given by one name, several, or None or "default" for all."""
    if device_types is None:
        return ["CompositeExplicitAutograd"]
    names = (device_types,) if isinstance(device_types, str) else device_types
    return ["CompositeExplicitAutograd" if each == "default" else key_of_device(each) for each in names]
