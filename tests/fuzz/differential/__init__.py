"""Random programs on tensh and on PyTorch, compared after every step."""
