"""Printing: a tensor as tokens, and the options that control them."""
