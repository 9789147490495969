"""Python's protocols: what len, bool, float, iter, copy, pickle and NumPy ask of a tensor."""
