"""What there is to look at if nothing is sorted out: to see that no gate loses anything."""

from flake8_jax.outline import outline
from flake8_jax.project import File, Project
from flake8_jax.survey.relevance import Relevant


class _AllNames(frozenset[str]):
    """A set that holds whatever is asked for."""

    def __contains__(self, name: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return True


def everything(_: Project, file: File) -> Relevant:
    """All of a file, whatever the survey says."""
    indices = range(len(outline(file)))
    names = {index: _AllNames() for index in indices}
    return Relevant(frozenset(indices), names, frozenset(indices))
