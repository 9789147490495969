"""Methods and attributes of tensors, creation, conversion, printing, and Python's protocols."""
