"""New tensors: from data, filled, counted."""
