"""Tests of torch.optim."""
