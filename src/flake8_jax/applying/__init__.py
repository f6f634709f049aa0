"""Applies fixes to the texts of files, as the command and editors ask for it."""
