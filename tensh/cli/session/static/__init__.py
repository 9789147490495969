"""What a name or an expression means, as far as that is known without running anything."""
