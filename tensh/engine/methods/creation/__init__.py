"""New tensors: from data, filled, counted, shared, and by PyTorch's older constructors."""
