"""Tests of random numbers and their gradients."""
