"""Programs as graphs of PyTorch's ``aten`` operators: a run on examples is recorded, for torch.jit, torch.export and torch.onnx.

``recorder`` sees the calls, ``translation`` says which operator a public function is, ``steps`` writes out functions that are
several, ``numbers`` follows sizes, ``program`` is the trace of a function or a module.
"""
