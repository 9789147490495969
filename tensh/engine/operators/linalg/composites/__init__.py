"""torch.linalg, and the functions of matrices in torch."""
