"""What the fixes of rules change, one module for each kind of change."""
