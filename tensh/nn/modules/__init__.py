"""The layers of torch.nn."""
