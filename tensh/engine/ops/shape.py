"""Views: the derivative is the way back."""
