"""Tests of dtypes and their promotion."""
