"""The hook of python-lsp-server: fixes and silence as code actions, pages of rules on hover.

The findings themselves are shown by its plugin for flake8, whose settings hold here too.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pylsp import hookimpl

from flake8_jax.editor.protocol import Data, Document
from flake8_jax.editor.workbench import Workbench

_OPTIONS = {
    "config": "--config",
    "exclude": "--exclude",
    "extendIgnore": "--extend-ignore",
    "extendSelect": "--extend-select",
    "ignore": "--ignore",
    "perFileIgnores": "--per-file-ignores",
    "select": "--select",
}
"""What the settings of the plugin for flake8 call its options."""


def _code_actions(
    config: Any,
    workspace: Any,
    document: Any,
    range: Mapping[str, Any],  # noqa: A002  the name by which it is handed over
    context: Mapping[str, Any],
) -> list[Data]:
    return _opened(config, workspace, document).actions(range, context)


def _hover(config: Any, workspace: Any, document: Any, position: Mapping[str, int]) -> Data | None:
    return _opened(config, workspace, document).hover(position)


pylsp_code_actions = hookimpl(_code_actions, specname="pylsp_code_actions")
pylsp_hover = hookimpl(_hover, specname="pylsp_hover", tryfirst=True)


def _opened(config: Any, workspace: Any, document: Any) -> Document:
    settings = config.plugin_settings("flake8", document_path=document.path)
    given = ((option, settings.get(name)) for name, option in _OPTIONS.items())
    arguments = tuple(f"{option}={_value(value)}" for option, value in given if value)
    workbench = _workbench(workspace.root_path or ".", arguments)
    return Document(workbench, document.path, document.uri, document.source)


def _value(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@lru_cache(maxsize=4)
def _workbench(folder: str, arguments: tuple[str, ...]) -> Workbench:
    return Workbench(folder, arguments)
