"""The meaning of a name: the public names of tensh and of PyTorch, and the page that is shown for one."""
