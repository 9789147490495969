"""The module in which PyTorch has the class of nested tensors in the layout torch.jagged."""
