"""Convolutions: linear maps in families whose members are each other's derivatives."""
