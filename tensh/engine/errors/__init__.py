"""PyTorch's words: texts of errors and warnings, and the checks that raise them."""
