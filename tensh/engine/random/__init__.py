"""Random numbers in arrays: PyTorch's streams, from the raw generator to checked draws."""
