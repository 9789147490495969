"""The tables of operators, a folder for each family."""
