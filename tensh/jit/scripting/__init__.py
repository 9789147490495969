"""Graphs of scripts: the Python that TorchScript takes, compiled into operators, branches and loops."""
