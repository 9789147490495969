"""Tests of torch.nn."""
