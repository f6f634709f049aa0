"""The versions that are promised: ``nox`` tries all of them, ``nox -s lint`` all without jax.

``nox -s evidence`` writes ``docs/evidence.md``, ``nox -s confirming`` tries ``flake8-jax confirm``
on programs, both under several versions of jax; ``nox -s docs`` builds the site. A Python that is
not there is skipped; in CI it is an error, as nox has it.
"""

import nox

PYTHONS = ("3.11", "3.12", "3.13")
LINTS = (*PYTHONS, "3.14")
"""The newest has no jax in the tests: what lints needs none."""
FLAKE8 = {"6.0": "flake8==6.0.*", "7.0": "flake8==7.0.*", "newest": "flake8"}
LIBCST = ("oldest", "newest")
OLDEST_LIBCST = {
    "3.11": "libcst==1.1.*",
    "3.12": "libcst==1.1.*",
    "3.13": "libcst==1.5.*",
    "3.14": "libcst==1.8.4",
}
"""The oldest that is supported and has wheels for a Python."""
WITHOUT_JAX = (
    "tests/integrations/test_documents.py",
    "tests/integrations/test_editors.py",
    "tests/findings/test_marks.py",
    "tests/findings/test_modules.py",
    "tests/findings/test_printed_findings.py",
    "tests/integrations/test_plugin.py",
    "tests/robustness/test_newer_python.py",
    "tests/findings/test_false_alarms.py",
    "tests/findings/test_spellings.py",
    "tests/unit/syntax/test_converted_nodes.py",
)
"""The tests of what flake8 prints and of libcst's nodes, which need neither jax nor other tools."""
SAMPLED = (
    "tests/unit/syntax",
    "tests/unit/lowering",
    "tests/findings/test_fixtures.py",
    "tests/findings/test_metamorphic.py",
    "tests/findings/test_modules.py",
    "tests/findings/test_generated_programs.py",
    "tests/fixing/test_fixed_fixtures.py",
    "tests/fixing/test_kept_values.py",
    "tests/robustness/test_growth.py",
    "tests/robustness/test_hostile.py",
    "tests/robustness/test_long_lived.py",
)
"""The tests that take samples of what is alike: `tests/sampling.py`."""
EVIDENCE = [("3.11", "0.8.2"), ("3.11", "0.10.2"), ("3.12", "0.12.0.1")]
"""The oldest jax that is supported, the newest for Python 3.11, and the newest.

jax 0.6.2 lacks much of what fixtures use: references, options of ``jax.jit`` as a decorator.
"""

nox.options.sessions = ("lint", "tests")


@nox.session(python=LINTS)
@nox.parametrize("libcst", LIBCST, ids=[f"libcst {version}" for version in LIBCST])
@nox.parametrize("flake8", list(FLAKE8), ids=[f"flake8 {version}" for version in FLAKE8])
def lint(session: nox.Session, flake8: str, libcst: str) -> None:
    """All fixtures, and all else that flake8 prints, with a version each of flake8 and libcst.

    flake8 runs as users run it, in a process for each run.
    """
    chosen = OLDEST_LIBCST[str(session.python)] if libcst == "oldest" else "libcst"
    needed = ("filelock", "flake8-pyproject", "pytest", "pytest-xdist")
    session.install("--quiet", ".", FLAKE8[flake8], chosen, *needed)
    session.run("pytest", "--quiet", "--processes", "-n", "auto", *(session.posargs or WITHOUT_JAX))


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The whole suite, under the newest jax that there is for a Python."""
    session.install("--quiet", ".[test]")
    session.run("pytest", "--quiet", "-n", "auto", *session.posargs)


@nox.session
def exhaustive(session: nox.Session) -> None:
    """All of what the tests take samples of: they compare every file and lint thousands."""
    session.install("--quiet", ".[test]")
    session.env["FLAKE8_JAX_EXHAUSTIVE"] = "1"
    session.run("pytest", "--quiet", "-n", "auto", *(session.posargs or SAMPLED))


@nox.session
def coverage(session: nox.Session) -> None:
    """Which lines and branches of the package no test runs: all tests, or those that are named."""
    session.install("--quiet", "--editable", ".[test]", "coverage>=7.10")
    session.run("coverage", "erase")
    tests = session.posargs or ["--numprocesses=auto"]
    session.run("coverage", "run", "-m", "pytest", "--quiet", *tests)
    session.run("coverage", "combine", "--quiet")
    session.run("coverage", "report")


@nox.session(python="3.12")
def mutants(session: nox.Session) -> None:
    """Change the analysis at random, and count what the fast tests notice."""
    session.install("--quiet", "--editable", ".", "flake8-pyproject", "hypothesis", "pytest")
    session.install("--quiet", "filelock", "pytest-xdist")
    session.run("python", "tests/mutants.py", *session.posargs)


@nox.session
@nox.parametrize(("python", "jax"), EVIDENCE, ids=[jax for _, jax in EVIDENCE])
def confirming(session: nox.Session, jax: str) -> None:
    """The tests of ``flake8-jax confirm`` on programs, under a version of jax."""
    session.install(".[confirm]", f"jax=={jax}", "filelock", "pytest", "pytest-xdist")
    session.run("pytest", "--quiet", *(session.posargs or ["tests/integrations/test_confirm.py"]))


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site, with each link and anchor checked."""
    session.install("--quiet", ".[docs]")
    session.run("mkdocs", "build", "--strict", *session.posargs)


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
