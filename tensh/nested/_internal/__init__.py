"""The module that contains PyTorch's class of nested tensors in the layout torch.jagged."""
