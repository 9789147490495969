"""Tests of meta tensors."""
