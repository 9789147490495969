"""Help on a name: the public names of tensh and PyTorch, and the help page of each."""
