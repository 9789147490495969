"""Tests of the engine, a folder for each of its rooms."""
