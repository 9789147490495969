"""The language TorchScript: types, constants, the text of values, and expressions with meanings other than Python's."""
