"""The files of a project, cut at their top-level statements, and how long they are kept."""
