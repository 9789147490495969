"""Tests of tensh.show, of graphs and of explanations."""
