"""Tests that need PyTorch itself."""
