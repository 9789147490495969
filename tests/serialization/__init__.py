"""Tests of torch.save, torch.load and of files that are replaced as a whole."""
