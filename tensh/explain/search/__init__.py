"""Small edits of code that failed, tried from the smallest up."""
