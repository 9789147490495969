"""Tests of hooks, saved tensors and forward accumulation."""
