"""Settings of the compiler: the modules of PyTorch that hold them, those that have an effect, and the stance."""
