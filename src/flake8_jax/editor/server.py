"""``flake8-jax server``: a language server on stdin and stdout, for every client."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.lsp.server import LanguageServer

from flake8_jax.applying.flake8 import ConfigurationError, UsageError
from flake8_jax.editor.protocol import FIX_ALL, QUICK_FIX, SOURCE, Document
from flake8_jax.editor.workbench import Workbench

T = TypeVar("T")

_PAUSE = 0.05
"""Seconds without a key pressed after which the text is linted."""
_KINDS = [QUICK_FIX, FIX_ALL]
_CONVERTER = get_converter()


def serve(arguments: Sequence[str]) -> int:
    """Speak with a client until it leaves."""
    logging.getLogger("pygls").setLevel(logging.ERROR)
    server(arguments).start_io()
    return 0


def server(arguments: Sequence[str]) -> LanguageServer:
    """A server that lints with some options of flake8."""
    made = LanguageServer(SOURCE, version("flake8-jax"))
    session = _Session(made, tuple(arguments))
    for method, handler, options in (
        (types.TEXT_DOCUMENT_DID_OPEN, session.opened, None),
        (types.TEXT_DOCUMENT_DID_CHANGE, session.changed, None),
        (types.TEXT_DOCUMENT_DID_SAVE, session.saved, None),
        (types.TEXT_DOCUMENT_DID_CLOSE, session.closed, None),
        (types.TEXT_DOCUMENT_HOVER, session.hover, None),
        (
            types.TEXT_DOCUMENT_CODE_ACTION,
            session.actions,
            types.CodeActionOptions(code_action_kinds=_KINDS),
        ),
    ):
        made.feature(method, options)(_free(handler))
    return made


def _free(method: Callable[[Any], object]) -> Callable[[Any], object]:
    """A method as a function, to which pygls can attach what it registers it as."""

    def handler(params: Any) -> object:
        return method(params)

    return handler


class _Session:
    """The documents that a client has open."""

    def __init__(self, server: LanguageServer, arguments: tuple[str, ...]) -> None:
        self._server = server
        self._arguments = arguments
        self._workbenches: dict[str, Workbench] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._open: set[str] = set()

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        self._open.add(params.text_document.uri)
        self._lint(params.text_document.uri)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()
        self._waiting[uri] = asyncio.get_running_loop().call_later(_PAUSE, self._lint, uri)

    def saved(self, _: types.DidSaveTextDocumentParams) -> None:
        for uri in sorted(self._open):
            self._lint(uri)

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._open.discard(uri)
        document = self._document(uri)
        document.workbench.draft(document.path, None)
        self._publish(uri, [])

    def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        given = _CONVERTER.unstructure(params)
        found = self._document(params.text_document.uri).actions(given["range"], given["context"])
        return [_structured(item, types.CodeAction) for item in found]

    def hover(self, params: types.HoverParams) -> types.Hover | None:
        place = _CONVERTER.unstructure(params.position)
        found = self._document(params.text_document.uri).hover(place)
        return _structured(found, types.Hover) if found is not None else None

    def _lint(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        if uri not in self._open:
            return
        document = self._document(uri)
        try:
            document.workbench.draft(document.path, document.text)
            found = document.diagnostics()
        except (ConfigurationError, UsageError) as error:
            shown = types.ShowMessageParams(types.MessageType.Error, f"flake8-jax: {error}")
            self._server.window_show_message(shown)
            return
        if found is not None:
            version = self._server.workspace.get_text_document(uri).version
            self._publish(uri, [_structured(item, types.Diagnostic) for item in found], version)

    def _publish(self, uri: str, found: list[types.Diagnostic], version: int | None = None) -> None:
        params = types.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=version)
        self._server.text_document_publish_diagnostics(params)

    def _document(self, uri: str) -> Document:
        workspace = self._server.workspace
        document = workspace.get_text_document(uri)
        folder = self._folder(document.path)
        workbench = self._workbenches.get(folder)
        if workbench is None:
            workbench = self._workbenches[folder] = Workbench(folder, self._arguments)
        encoding = str(getattr(workspace.position_encoding, "value", workspace.position_encoding))
        return Document(workbench, document.path, uri, document.source, encoding)

    def _folder(self, path: str) -> str:
        """The innermost folder of the workspace that a file is in."""
        workspace = self._server.workspace
        folders = [Path(uri_path) for uri_path in _paths(workspace.folders)]
        around = [str(folder) for folder in folders if Path(path).is_relative_to(folder)]
        root: str = workspace.root_path or str(Path(path).parent)
        return max(around, key=len, default=root)


def _paths(folders: dict[str, types.WorkspaceFolder]) -> list[str]:
    from pygls.uris import to_fs_path

    return [path for uri in folders if (path := to_fs_path(uri)) is not None]


def _structured(data: Any, kind: type[T]) -> T:
    made: T = _CONVERTER.structure(data, kind)
    return made
