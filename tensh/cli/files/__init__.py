"""Reading and writing files for a user: checked, whole, with errors in words."""
