"""Other sizes and orders of the same elements, and several tensors as one."""
