"""The settings: their declarations, and changing them."""
