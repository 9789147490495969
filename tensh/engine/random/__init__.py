"""Random numbers into arrays: PyTorch's own streams, from the raw generator up to checked draws."""
