"""``python -m flake8_jax`` is the command ``flake8-jax``."""

from flake8_jax.cli.main import main

raise SystemExit(main())
