"""The progress of a long loop, and the curves of the values that are read after each step."""
