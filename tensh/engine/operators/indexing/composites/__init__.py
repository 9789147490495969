"""``x[...]``, read and written, and the functions of index tensors and masks."""
