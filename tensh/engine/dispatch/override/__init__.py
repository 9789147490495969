"""``__torch_function__``: classes and modes that answer public functions in the place of tensors."""
