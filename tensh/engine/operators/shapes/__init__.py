"""Other shapes over the same elements: views, joined and repeated tensors, diagonals."""
