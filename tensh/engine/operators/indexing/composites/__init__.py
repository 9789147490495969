"""``x[...]``, read and assigned, and the functions of index tensors and masks."""
