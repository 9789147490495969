"""TorchScript files: classes with their code, and the interpreter that runs such code."""
