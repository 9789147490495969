"""torch.onnx: models as ONNX files, written by ``export`` and read by ``load``, which is specific to tensh.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.onnx.exporting": "ONNXProgram OnnxExporterError export is_in_onnx_export",
    "tensh.onnx.reading": "OnnxModule load",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = list(NAMES)

__getattr__, __dir__ = declare_namespace("tensh.onnx", globals(), NAMES, (), unsupported=lookup("torch.onnx"))
