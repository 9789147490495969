"""Wrong calls on tensh and on PyTorch."""
