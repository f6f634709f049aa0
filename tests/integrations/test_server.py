"""``flake8-jax server``, spoken to by the client of pygls over stdin and stdout."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from conftest import SCRIPTS
from fixing.kernel import APP, FIXED, KERNEL, UNSAFE, write
from flake8_jax.cli.main import main
from flake8_jax.pages import page
from flake8_jax.rules import RULES

BY_CODE = {rule.code: rule for rule in RULES}
PATIENCE = 120


class Editor:
    """As much of an editor as a server needs, on top of the client of pygls."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._client = LanguageClient("editor", "1")
        self._published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self._versions: dict[str, int] = {}
        self._client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(self._publish())

    def _publish(self) -> Callable[[types.PublishDiagnosticsParams], None]:
        def published(params: types.PublishDiagnosticsParams) -> None:
            self._published.put_nowait(params)

        return published

    async def start(self) -> None:
        await self._client.start_io(str(SCRIPTS / "flake8-jax"), "server")
        folder = types.WorkspaceFolder(self._folder.as_uri(), "project")
        await self._client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(), workspace_folders=[folder]
            )
        )
        self._client.initialized(types.InitializedParams())

    async def stop(self) -> None:
        await self._client.shutdown_async(None)
        self._client.exit(None)
        await self._client.stop()

    def uri(self, name: str) -> str:
        return (self._folder / name).as_uri()

    async def open(self, name: str, text: str) -> Sequence[types.Diagnostic]:
        self._versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), "python", 1, text)
        self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.found(name)

    def type(self, name: str, text: str) -> None:
        self._versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(
            uri=self.uri(name), version=self._versions[name]
        )
        change = types.TextDocumentContentChangeWholeDocument(text)
        self._client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def save(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(name))
        self._client.text_document_did_save(types.DidSaveTextDocumentParams(document))

    async def found(self, name: str) -> Sequence[types.Diagnostic]:
        """The next diagnostics of a file, as it was last typed."""
        while True:
            params = await self._published.get()
            if (params.uri, params.version) == (self.uri(name), self._versions.get(name)):
                return params.diagnostics

    async def actions(
        self, name: str, line: int, only: list[str] | None = None
    ) -> dict[str, types.CodeAction]:
        """The actions at a line, counted from 1, by title."""
        place = types.Range(types.Position(line - 1, 0), types.Position(line - 1, 0))
        document = types.TextDocumentIdentifier(self.uri(name))
        context = types.CodeActionContext([], only)
        found = await self._client.text_document_code_action_async(
            types.CodeActionParams(document, place, context)
        )
        return {item.title: item for item in found or () if isinstance(item, types.CodeAction)}

    async def hover(self, name: str, line: int, character: int) -> str | None:
        document = types.TextDocumentIdentifier(self.uri(name))
        place = types.Position(line - 1, character)
        found = await self._client.text_document_hover_async(types.HoverParams(document, place))
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value


def edited(text: str, action: types.CodeAction) -> str:
    """A text after an action, as an editor that counts in UTF-16 makes it."""
    assert action.edit is not None
    assert action.edit.changes is not None
    (edits,) = action.edit.changes.values()
    lines = [line.encode("utf-16-le") for line in text.splitlines(keepends=True)]
    for edit in sorted(edits, key=lambda item: item.range.start, reverse=True):
        start, end = edit.range.start, edit.range.end
        before = [*lines[: start.line], lines[start.line][: 2 * start.character]]
        after = [lines[end.line][2 * end.character :], *lines[end.line + 1 :]]
        whole = b"".join([*before, edit.new_text.encode("utf-16-le"), *after]).decode("utf-16-le")
        lines = [line.encode("utf-16-le") for line in whole.splitlines(keepends=True)]
    return b"".join(lines).decode("utf-16-le")


def talk(folder: Path, conversation: Callable[[Editor], Awaitable[None]]) -> None:
    async def run() -> None:
        editor = Editor(folder)
        await editor.start()
        await conversation(editor)
        await editor.stop()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def shown(found: Sequence[types.Diagnostic]) -> list[tuple[int, int, object]]:
    return [
        (item.range.start.line + 1, item.range.start.character + 1, item.code) for item in found
    ]


FIX, SILENCE = "Fix JAX101", "Silence JAX101 with noqa"
ALL = "Fix all that flake8-jax can fix safely"


def test_findings_fixes_and_pages(tmp_path: Path) -> None:
    async def conversation(editor: Editor) -> None:
        (found,) = await editor.open("kernel.py", KERNEL)
        assert shown([found]) == [(10, 5, "JAX101")]
        assert (found.severity, found.source) == (types.DiagnosticSeverity.Warning, "flake8-jax")
        assert found.range.end == types.Position(9, len("    @cached_property  # of the points"))
        assert found.message.startswith("'Kernel.gram' is recomputed in every jitted call")
        actions = await editor.actions("kernel.py", 10)
        assert list(actions) == [FIX, SILENCE, ALL]
        assert edited(KERNEL, actions[FIX]) == edited(KERNEL, actions[ALL]) == FIXED
        silent = KERNEL.replace("# of the points", "# of the points  # noqa: JAX101")
        assert edited(KERNEL, actions[SILENCE]) == silent
        assert (actions[FIX].is_preferred, actions[FIX].kind) == (True, "quickfix")
        assert list(await editor.actions("kernel.py", 1)) == [ALL]
        assert list(await editor.actions("kernel.py", 10, ["source.fixAll"])) == [ALL]
        assert list(await editor.actions("kernel.py", 10, ["quickfix"])) == [FIX, SILENCE]
        assert await editor.actions("kernel.py", 10, ["refactor"]) == {}
        text = await editor.hover("kernel.py", 10, 8)
        assert text is not None
        assert text.endswith(page(BY_CODE["JAX101"]))
        assert "\n\nIt can be fixed (safe).\n\n" in text
        assert await editor.hover("kernel.py", 3, 2) is None
        editor.type("kernel.py", silent)
        assert await editor.found("kernel.py") == ()
        at = silent.splitlines()[9].index("JAX101")
        assert await editor.hover("kernel.py", 10, at + 2) == page(BY_CODE["JAX101"])
        editor.type("kernel.py", "def (")
        editor.type("kernel.py", "\n" + KERNEL)
        assert shown(await editor.found("kernel.py")) == [(11, 5, "JAX101")]
        assert shown(await editor.open("update.py", UNSAFE)) == [(6, 5, "JAX401")]
        actions = await editor.actions("update.py", 6)
        unsafe = "Fix JAX401 (unsafe: 'x' is the updated copy from line 6 on)"
        assert list(actions) == [unsafe, "Silence JAX401 with noqa"]
        assert edited(UNSAFE, actions[unsafe]) == UNSAFE.replace("x.at", "x = x.at")

    talk(tmp_path, conversation)


def test_configuration_and_other_documents(tmp_path: Path) -> None:
    write(tmp_path / ".flake8", "[flake8]\nexclude = vendored\nper-file-ignores =\n    no.py: JAX")
    write(tmp_path / "kernel.py", KERNEL)
    write(tmp_path / "vendored/kernel.py", KERNEL)

    async def conversation(editor: Editor) -> None:
        assert await editor.open("vendored/kernel.py", KERNEL) == ()
        assert await editor.actions("vendored/kernel.py", 10) == {}
        assert await editor.open("no.py", KERNEL) == ()
        assert shown(await editor.open("app.py", APP)) == [(11, 12, "JAX105")]
        assert await editor.open("kernel.py", FIXED) == ()  # not on disk yet
        editor.save("kernel.py")
        assert await editor.found("app.py") == ()
        write(tmp_path / ".flake8", "[flake8]\nextend-exclude = other\n\n")
        editor.type("no.py", KERNEL)
        assert shown(await editor.found("no.py")) == [(10, 5, "JAX101")]

    talk(tmp_path, conversation)


def test_wide_characters_and_line_ends(tmp_path: Path) -> None:
    text = KERNEL.replace("# of", "# 😀 of").replace("\n", "\r\n")
    update = UNSAFE.replace("    x.at", "    '😀'; x.at")

    async def conversation(editor: Editor) -> None:
        await editor.open("kernel.py", text)
        actions = await editor.actions("kernel.py", 10)
        assert edited(text, actions[FIX]) == FIXED.replace("# of", "# 😀 of").replace("\n", "\r\n")
        silent = text.replace("points\r", "points  # noqa: JAX101\r")
        assert edited(text, actions[SILENCE]) == silent
        assert shown(await editor.open("update.py", update)) == [(6, 11, "JAX401")]
        fixed, _ = (await editor.actions("update.py", 6)).values()
        assert edited(update, fixed) == update.replace("x.at", "x = x.at")

    talk(tmp_path, conversation)


def test_what_the_server_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "pygls" else name)
    assert main(["server"]) == 2
    assert "pip install 'flake8-jax[server]'" in capsys.readouterr().err


def test_the_help_says_what_it_does() -> None:
    command = [sys.executable, "-m", "flake8_jax", "server", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for word in ("options of flake8", "language server", "hover", "noqa"):
        assert word in done.stdout
