"""The functions of tensh that compute ``aten`` operators."""
