"""The graph of a traced program: its lines as objects, its printed form, and the code written from it."""
