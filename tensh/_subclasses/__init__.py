"""torch._subclasses: tensors without elements, which have only a shape, a dtype and a device."""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

PLACES = dict.fromkeys(
    "DynamicOutputShapeException FakeTensor FakeTensorMode UnsupportedFakeTensorException".split(),
    "tensh._subclasses.fake_tensor",
)
__all__ = list(PLACES)
__getattr__, __dir__ = declare_namespace(
    "tensh._subclasses", globals(), PLACES, ("fake_tensor",), unsupported=lookup("torch._subclasses")
)
