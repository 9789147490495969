"""The recorder of calls, in parts: new tensors, sizes and numbers, submodules, names, and notes about each node."""
