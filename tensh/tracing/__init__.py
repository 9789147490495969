"""Programs as graphs of PyTorch's ``aten`` operators, recorded on examples, for torch.jit, torch.export and torch.onnx.

``recording`` observes calls, ``translation`` maps public functions to operators, ``steps`` records functions that consist
of several operators, ``sizes`` follows sizes, ``program`` is the trace of a function or a module.
"""
