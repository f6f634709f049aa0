"""python-lsp-server with our findings, spoken to over its standard input and output."""

import copy
import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol.converters import get_converter
from lsprotocol.types import CodeAction

from conftest import ENVIRONMENT, SCRIPTS
from flake8_jax.pages import page
from integrations.example import CALL, FINDINGS, HARMLESS, MODEL, PAGE, Finding, write
from integrations.test_server import BY_CODE, edited
from ledger import LEDGER

SETTINGS = json.loads(PAGE["Language servers"].files["settings.json"])
WARNING = 2
PATIENCE = 120
"""Seconds after which a server that says nothing is ended, and the test fails."""


class Client:
    """As much of an editor as the server needs."""

    def __init__(self, folder: Path, flake8: dict[str, object] | None = None) -> None:
        self._folder = folder
        self._server = subprocess.Popen(
            [SCRIPTS / "pylsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=ENVIRONMENT,
        )
        self._watch = threading.Timer(PATIENCE, self._server.kill)
        self._watch.start()
        self._sent = 0
        self._versions: dict[str, int] = {}
        self.request(
            "initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}
        )
        self.notify("initialized", {})
        settings = copy.deepcopy(SETTINGS)
        settings["pylsp"]["plugins"]["flake8"].update(flake8 or {})
        self.notify("workspace/didChangeConfiguration", {"settings": settings})

    def notify(self, method: str, params: object) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, params: object) -> Any:
        self._sent += 1
        self._send({"id": self._sent, "method": method, "params": params})
        while (message := self._receive()).get("id") != self._sent or "method" in message:
            pass
        return message["result"]

    def open(self, name: str) -> list[Any]:
        """Open a file as it is on disk; what the server then says of it."""
        text = (self._folder / name).read_text()
        document = {"languageId": "python", "version": 1, "text": text}
        self._versions[name] = 1
        self.notify("textDocument/didOpen", {"textDocument": {"uri": self.uri(name), **document}})
        return self._diagnostics(name)

    def edit(self, name: str, text: str) -> list[Any]:
        """Type a new text, without saving it; what the server then says of it."""
        self._versions[name] += 1
        document = {"uri": self.uri(name), "version": self._versions[name]}
        changes = [{"text": text}]
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        return self._diagnostics(name)

    def save(self, name: str) -> list[Any]:
        """Tell that a file was saved; what the server then says of it."""
        self.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})
        return self._diagnostics(name)

    def at(self, name: str, line: int) -> dict[str, object]:
        """The place of a line, counted from 1, as a request for code actions has it."""
        place = {"line": line - 1, "character": 0}
        document, around = {"uri": self.uri(name)}, {"start": place, "end": place}
        return {"textDocument": document, "range": around, "context": {"diagnostics": []}}

    def close(self) -> int:
        """Leave the server as an editor does; its exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self._server.wait(30)

    def kill(self) -> None:
        self._watch.cancel()
        self._server.kill()
        self._server.communicate()

    def uri(self, name: str) -> str:
        return (self._folder / name).as_uri()

    def _diagnostics(self, name: str) -> list[Any]:
        """The next ones that are published for a file."""
        while True:
            message = self._receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                if message["params"]["uri"] == self.uri(name):
                    found: list[Any] = message["params"]["diagnostics"]
                    return found

    def _send(self, message: dict[str, object]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._server.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        length = 0
        while line := self._server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the server has gone"
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        return message


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    write(tmp_path)
    client = Client(tmp_path)
    yield client
    client.kill()


def shown(diagnostics: list[Any]) -> list[tuple[int, int, str]]:
    places = [(found["range"]["start"], found["code"]) for found in diagnostics]
    return [(start["line"] + 1, start["character"] + 1, code) for start, code in places]


def expected(finding: Finding) -> dict[str, object]:
    """What the server makes of a finding: from its place to the end of the line."""
    line = finding.line - 1
    end = len(MODEL.splitlines(keepends=True)[line])
    return {
        "source": "flake8",
        "code": finding.code,
        "message": f"{finding.code} {finding.text}",
        "severity": WARNING,
        "range": {
            "start": {"line": line, "character": finding.column - 1},
            "end": {"line": line, "character": end},
        },
    }


def test_diagnostics_follow_what_is_typed(client: Client) -> None:
    assert client.open("model.py") == [expected(found) for found in FINDINGS]
    mended = MODEL.replace("functools.cached_property", "property")
    assert shown(client.edit("model.py", "\n" + mended)) == [(2, 1, "F401"), (18, 5, "JAX201")]
    silenced = MODEL.replace("cached_property\n", "cached_property  # noqa: JAX101\n")
    assert shown(client.edit("model.py", silenced)) == [(17, 5, "JAX201")]
    assert client.edit("model.py", "") == []
    assert shown(client.edit("model.py", MODEL)) == [found[:3] for found in FINDINGS]
    assert client.close() == 0


def test_a_helper_that_changes_on_disk(client: Client, tmp_path: Path) -> None:
    helper = tmp_path / "bank/ledger.py"
    assert shown(client.open("bank/pay.py")) == [CALL]
    helper.write_text(HARMLESS)
    assert client.save("bank/pay.py") == []
    helper.write_text("# The ledger.\n" + LEDGER)
    (found,) = client.save("bank/pay.py")
    assert found["code"] == "JAX203"
    assert "by record() (bank/ledger.py:3)" in found["message"]
    helper.unlink()
    assert client.save("bank/pay.py") == []
    assert client.close() == 0


def actions(client: Client, name: str, line: int) -> dict[str, CodeAction]:
    """What the server offers at a line, counted from 1, by title."""
    found = client.request("textDocument/codeAction", client.at(name, line))
    made = [get_converter().structure(item, CodeAction) for item in found]
    return {item.title: item for item in made}


def test_fixes_and_silence_are_code_actions(client: Client) -> None:
    client.open("model.py")
    offered = actions(client, "model.py", 10)
    everything = "Fix all that flake8-jax can fix safely"
    assert list(offered) == ["Fix JAX101", "Silence JAX101 with noqa", everything]
    mended = MODEL.replace("import functools\n\n", "").replace("functools.cached_", "")
    assert edited(MODEL, offered["Fix JAX101"]) == mended
    assert edited(MODEL, offered[everything]) == mended
    silenced = MODEL.replace("cached_property\n", "cached_property  # noqa: JAX101\n")
    assert edited(MODEL, offered["Silence JAX101 with noqa"]) == silenced
    assert list(actions(client, "model.py", 17)) == ["Silence JAX201 with noqa", everything]
    client.edit("model.py", silenced)
    assert actions(client, "model.py", 10) == {}
    assert client.close() == 0


def test_pages_are_shown_on_hover(client: Client) -> None:
    client.open("model.py")
    place = {"textDocument": {"uri": client.uri("model.py")}}
    found = client.request("textDocument/hover", {**place, "position": {"line": 9, "character": 6}})
    assert found["contents"]["kind"] == "markdown"
    assert found["contents"]["value"].endswith(page(BY_CODE["JAX101"]))
    other = client.request(
        "textDocument/hover", {**place, "position": {"line": 15, "character": 6}}
    )
    assert "JAX" not in str(other)
    assert client.close() == 0


def test_settings_of_the_plugin_for_flake8_hold(tmp_path: Path) -> None:
    write(tmp_path)
    client = Client(tmp_path, {"extendIgnore": ["JAX101"]})
    try:
        assert shown(client.open("model.py")) == [(17, 5, "JAX201")]
        assert actions(client, "model.py", 10) == {}
        assert client.close() == 0
    finally:
        client.kill()
