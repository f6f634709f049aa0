"""Confirms findings on a user's own program: runs it with instruments where findings stand.

``places``, ``command``, ``judging``, ``slices`` and ``showing`` work for whoever asks; the other
modules run in the processes of the program, where they import nothing but the standard library
until the program has imported jax.
"""
