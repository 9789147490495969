"""Arguments of public calls: binding as in PyTorch, with its errors."""
