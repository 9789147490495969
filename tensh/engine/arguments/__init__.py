"""Arguments of public calls: binding as in PyTorch, and its errors for arguments that do not fit."""
