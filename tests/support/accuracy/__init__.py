"""Cases on which errors are measured, and exact values."""
