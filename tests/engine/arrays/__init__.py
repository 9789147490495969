"""Tests of memory: bounds, threads, costs, floating point errors."""
