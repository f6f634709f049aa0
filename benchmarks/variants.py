"""What is compared: flake8 alone and with one plugin, each in an environment of its own."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
_FLAKE8 = "flake8==7.5.0"


@dataclass(frozen=True)
class Variant:
    """flake8 with some packages beside it."""

    name: str
    packages: tuple[str, ...] = ()
    libcst: bool = False
    """Whether the plugin is based on libcst."""
    once: bool = False
    """Whether one round has to do, because it takes as long as many of the others."""
    note: str = ""
    """What has to be known to compare it."""

    def python(self, cache: Path) -> Path:
        """The interpreter of its environment."""
        return cache / "environments" / self.name / "bin" / "python"

    def install(self, cache: Path) -> None:
        """Make its environment; that of this project is brought up to date every time."""
        python = self.python(cache)
        pip = [str(python), "-m", "pip", "install", "--quiet", _FLAKE8]
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
            subprocess.run([*pip, *self.packages], check=True)
        elif self is JAX:
            own = [*pip, "--force-reinstall", "--no-deps", str(REPOSITORY)]
            subprocess.run(own, check=True)


PLAIN = Variant("flake8")
JAX = Variant("flake8-jax", (str(REPOSITORY),), libcst=True)
VARIANTS = (
    PLAIN,
    JAX,
    Variant("flake8-bugbear", ("flake8-bugbear==26.10.27",)),
    Variant("flake8-async", ("flake8-async==26.8.1",), libcst=True, once=True),
    Variant(
        "TorchFix",
        ("torchfix==0.7.0",),
        libcst=True,
        note="which parses only files that name torch",
    ),
)
