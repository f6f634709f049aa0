"""Findings and their fixes in editors: a hook for python-lsp-server, and a language server."""
