"""Tests of torch.distributions."""
