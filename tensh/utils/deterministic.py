"""torch.utils.deterministic: what deterministic algorithms mean for memory that nobody has written."""

fill_uninitialized_memory = True
