"""Tests of torch.func."""
