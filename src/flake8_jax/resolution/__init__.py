"""What names stand for: across scopes, aliases and the modules of a project."""
