"""Dispatch: replacements of an operator's function for batches, meta tensors, overriding classes and modes."""
