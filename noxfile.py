"""Sessions that need environments of their own."""

import nox

nox.options.default_venv_backend = "uv|virtualenv"

EVIDENCE = [("3.11", "0.8.2"), ("3.11", "0.10.2"), ("3.12", "0.12.0.1")]
"""The oldest jax that is supported, the newest for Python 3.11, and the newest.

jax 0.6.2 lacks much of what fixtures use: references, options of ``jax.jit`` as a decorator.
"""


@nox.session
@nox.parametrize(("python", "jax"), EVIDENCE, ids=[jax for _, jax in EVIDENCE])
def evidence(session: nox.Session, jax: str) -> None:
    """Measure all rules under a version of jax, and write the page of all that was measured."""
    session.install(".[confirm]", f"jax=={jax}")
    folder = session.cache_dir / "evidence"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{jax}.json").open("w", encoding="utf-8") as file:
        session.run(
            *("flake8-jax", "confirm", "--format=json", *session.posargs),
            stdout=file,
            env={"JAX_PLATFORMS": "cpu"},
            success_codes=[0, 1],
        )
    measured = [folder / f"{jax}.json" for _, jax in EVIDENCE]
    known = [str(path) for path in measured if path.exists()]
    session.run("python", "-m", "flake8_jax.evidence.page", "docs/evidence.md", *known)
