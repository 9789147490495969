"""Tests of vmap."""
