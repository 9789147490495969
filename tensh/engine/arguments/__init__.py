"""Calls as users make them: arguments bound as PyTorch binds them, and its words for those that do not fit."""
