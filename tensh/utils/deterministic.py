"""torch.utils.deterministic: fill uninitialized memory when algorithms must be deterministic."""

fill_uninitialized_memory = True
