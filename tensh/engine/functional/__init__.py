"""Composites: public functions made of operators, without a derivative of their own, a folder for each family."""
