"""What decides, nearly always at once, that there is nothing to find in a file."""
