"""Cases for the measurement of errors, and exact values."""
