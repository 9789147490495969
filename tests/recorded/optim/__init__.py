"""Recorded steps of optimizers and schedulers."""
