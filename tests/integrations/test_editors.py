"""Editors, headless, with the settings of docs/integrations.md: what they show of our findings.

Editors that are not installed are skipped; CI installs them.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import ENVIRONMENT, call
from integrations.example import CALL, FINDINGS, HARMLESS, MODEL, PAGE, Finding, write
from ledger import LEDGER

ALE = Path("/usr/share/vim-ale")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return write(tmp_path)


def needs(*commands: str) -> None:
    for command in commands:
        if shutil.which(command) is None:
            pytest.skip(f"{command} is not installed")


VIM = {
    "vim": ("vim", "-es", "-N", "-i", "NONE", "-u"),
    "nvim": ("nvim", "--headless", "-i", "NONE", "-u"),
}
WAIT_FOR_ALE = """\
set nocompatible
set runtimepath^={ale}
filetype plugin indent on
source .vimrc
let g:linted = 0
autocmd User ALELintPost let g:linted = 1
function! Report() abort
  while !g:linted
    sleep 20m
  endwhile
  call writefile([json_encode(ale#engine#GetLoclist(bufnr('')))], '{found}')
  qall!
endfunction
autocmd VimEnter * call Report()
"""
FILL_QUICKFIX = """\
set nocompatible
source quickfix.vim
make! model.py
let items = map(getqflist(), {{_, item -> extend(item, {{'name': bufname(item.bufnr)}})}})
call writefile([json_encode(items)], '{found}')
qall!
"""


def in_vim(editor: str, script: str, workspace: Path, *files: str) -> list[dict[str, Any]]:
    """What a script in vim or neovim leaves, as JSON, in the place it is given."""
    needs(editor)
    PAGE["Vim and Neovim"].write(workspace)
    found = workspace / "found.json"
    (workspace / "test.vim").write_text(script.format(ale=ALE, found=found.name))
    done = call(*VIM[editor], "test.vim", *files, cwd=workspace)
    assert found.exists(), done.stdout
    items: list[dict[str, Any]] = json.loads(found.read_text())
    return items


@pytest.mark.parametrize("editor", VIM)
def test_ale(editor: str, workspace: Path) -> None:
    if not ALE.exists():
        pytest.skip("ALE is not installed")
    shown = in_vim(editor, WAIT_FOR_ALE, workspace, "model.py")
    assert [(item["lnum"], item["col"], item["code"], item["text"]) for item in shown] == FINDINGS
    assert {(item["type"], item["linter_name"]) for item in shown} == {("W", "flake8")}
    (found,) = in_vim(editor, WAIT_FOR_ALE, workspace, "bank/pay.py")
    assert (found["lnum"], found["col"], found["code"]) == CALL


@pytest.mark.parametrize("editor", VIM)
def test_quickfix(editor: str, workspace: Path) -> None:
    shown = in_vim(editor, FILL_QUICKFIX, workspace)
    assert [(item["name"], item["lnum"], item["col"], item["text"]) for item in shown] == [
        ("model.py", line, column, f"{code} {text}") for line, column, code, text in FINDINGS
    ]


FLYMAKE = """\
(load-file "init.el")
(find-file "{file}")
(flymake-start)
(while (not (memq 'python-flymake (flymake-reporting-backends)))
  (accept-process-output nil 0.05))
(dolist (found (flymake-diagnostics))
  (goto-char (flymake-diagnostic-beg found))
  (princ (format "%d:%d %s %s\\n" (line-number-at-pos) (1+ (current-column))
                 (flymake-diagnostic-type found) (flymake-diagnostic-text found))))
"""


def in_emacs(file: str, workspace: Path) -> list[str]:
    needs("emacs")
    PAGE["Emacs"].write(workspace)
    (workspace / "test.el").write_text(FLYMAKE.format(file=file))
    done = call("emacs", "-Q", "--batch", "-l", "test.el", cwd=workspace)
    assert done.returncode == 0, done.stdout
    return sorted(line for line in done.stdout.splitlines() if re.match(r"\d+:\d+ ", line))


def test_flymake(workspace: Path) -> None:
    assert in_emacs("model.py", workspace) == [
        f"{line}:{column} :warning {code} {text}" for line, column, code, text in FINDINGS
    ]
    (found,) = in_emacs("bank/pay.py", workspace)
    line, column, code = CALL
    assert found.startswith(f"{line}:{column} :warning {code} ")


NEOVIM = """\
vim.cmd("filetype on")
dofile("init.lua")
vim.cmd("edit model.py")
local function await(what)
  assert(vim.wait({patience}, what, 20), "waited in vain")
end
await(function() return #vim.diagnostic.get(0) > 0 end)
local shown = vim.tbl_map(function(item)
  return {{ item.lnum + 1, item.col + 1, item.code, item.message }}
end, vim.diagnostic.get(0))
vim.ui.select = function(items, options, choose)
  for index, item in ipairs(items) do
    if options.format_item(item) == "{title}" then return choose(item, index) end
  end
end
vim.api.nvim_win_set_cursor(0, {{ shown[1][1], shown[1][2] }})
local before = vim.api.nvim_buf_get_changedtick(0)
vim.lsp.buf.code_action()
await(function() return vim.api.nvim_buf_get_changedtick(0) > before end)
local text = vim.api.nvim_buf_get_lines(0, 0, -1, true)
vim.fn.writefile({{ vim.fn.json_encode({{ shown = shown, text = text }}) }}, "found.json")
vim.cmd("qall!")
"""
EGLOT = """\
(package-initialize)
(require 'eglot)
(load-file "eglot.el")
(setq create-lockfiles nil)
(find-file "model.py")
(apply #'eglot--connect (eglot--guess-contact))
(defun await (what)
  (with-timeout (120 (error "waited in vain"))
    (while (not (funcall what)) (accept-process-output nil 0.05))))
(await #'flymake-diagnostics)
(dolist (found (flymake-diagnostics))
  (goto-char (flymake-diagnostic-beg found))
  (princ (format "%d:%d %s\n" (line-number-at-pos) (1+ (current-column))
                 (flymake-diagnostic-text found))))
(goto-char (point-min))
(forward-line 9)
(back-to-indentation)
(fset 'completing-read (lambda (&rest _) "{title}"))
(setq last-nonmenu-event ?a)
(eglot-code-actions (point) (point) nil t)
(await #'buffer-modified-p)
(princ "after\n")
(princ (buffer-string))
"""
ACTIONS = {
    "Fix JAX101": MODEL.replace("import functools\n\n", "").replace("functools.cached_", ""),
    "Silence JAX101 with noqa": MODEL.replace(
        "cached_property\n", "cached_property  # noqa: JAX101\n"
    ),
}
"""The actions at the first finding, and what they make of the file."""


@pytest.mark.parametrize("title", ACTIONS)
def test_actions_in_neovim(title: str, workspace: Path) -> None:
    needs("nvim")
    PAGE["flake8-jax server"].write(workspace)
    (workspace / "test.lua").write_text(NEOVIM.format(title=title, patience=120_000))
    command = ("nvim", "--headless", "-i", "NONE", "-u", "NONE", "-c", "luafile test.lua")
    done = call(*command, cwd=workspace)
    found = workspace / "found.json"
    assert found.exists(), done.stdout
    told = json.loads(found.read_text())
    assert told["shown"] == [list(item) for item in FINDINGS]
    assert "".join(f"{line}\n" for line in told["text"]) == ACTIONS[title]


@pytest.mark.parametrize("title", ACTIONS)
def test_actions_in_eglot(title: str, workspace: Path) -> None:
    needs("emacs")
    if "eglot" not in call("emacs", "--batch", "--eval", LIBRARY, cwd=workspace).stdout:
        pytest.skip("eglot is not installed")
    PAGE["flake8-jax server"].write(workspace)
    (workspace / "test.el").write_text(EGLOT.format(title=title))
    done = call("emacs", "--batch", "-l", "test.el", cwd=workspace)
    assert done.returncode == 0, done.stdout
    places = re.findall(r"^(\d+):(\d+) .*?\b(JAX\d+)\b", done.stdout, re.M)
    assert sorted((int(line), int(column), code) for line, column, code in places) == [
        tuple(item[:3]) for item in FINDINGS
    ]
    assert done.stdout.partition("after\n")[2].startswith(ACTIONS[title])


LIBRARY = '(progn (package-initialize) (princ (or (locate-library "eglot") "")))'


SERVER = """\
import contextlib, io, json, os, runpy, sys
os.chdir(sys.argv[1])
for line in sys.stdin:
    sys.argv = ["flake8", *json.loads(line)]
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        runpy.run_module("flake8", run_name="__main__")
    output.seek(0)
    print(json.dumps(output.read()), flush=True)
"""
FORMAT = "--format='%(row)d,%(col)d,%(code).1s,%(code)s:%(text)s'"
SHOWN = re.compile(r"(\d+),(-?\d+),(\w+),(\w+\d+):([^\r\n]*)")
SETTINGS = json.loads(PAGE["VS Code"].files[".vscode/settings.json"])


class Server:
    """flake8 as the server of the VS Code extension runs it: again and again in one process."""

    def __init__(self, workspace: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER, workspace],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        self._workspace = workspace

    def lint(self, file: str) -> list[Finding]:
        """What the extension reads from what flake8 prints."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        arguments = [FORMAT, *SETTINGS["flake8.args"], str(self._workspace / file)]
        print(json.dumps(arguments), file=self._process.stdin, flush=True)
        output = json.loads(self._process.stdout.readline())
        found = []
        for line in output.splitlines():
            assert (line[0], line[-1]) == ("'", "'")
            match = SHOWN.match(line[1:-1])
            assert match is not None, line
            row, column, kind, code, text = match.groups()
            assert kind == code[0]
            found.append(Finding(int(row), int(column), code, text))
        return found

    def close(self) -> int:
        self._process.communicate()
        return self._process.returncode


@pytest.fixture
def server(workspace: Path) -> Iterator[Server]:
    server = Server(workspace)
    yield server
    assert server.close() == 0


def severity(code: str) -> str:
    """The longest beginning of a code that is in the settings decides, as in the extension."""
    chosen: dict[str, str] = SETTINGS["flake8.severity"]
    beginnings = (code[:length] for length in range(len(code), 0, -1))
    return next((chosen[part] for part in beginnings if part in chosen), "Error")


def test_vs_code_sees_each_change_on_disk(server: Server, workspace: Path) -> None:
    helper = workspace / "bank/ledger.py"
    assert server.lint("model.py") == FINDINGS
    assert server.lint("model.py") == FINDINGS
    assert [found[:3] for found in server.lint("bank/pay.py")] == [CALL]
    helper.write_text(HARMLESS)
    assert server.lint("bank/pay.py") == []
    helper.write_text("\n" + LEDGER)
    (found,) = server.lint("bank/pay.py")
    assert found[:3] == CALL
    assert "by record() (bank/ledger.py:3)" in found.text
    helper.unlink()
    assert server.lint("bank/pay.py") == []
    helper.write_text(LEDGER)
    assert [found[:3] for found in server.lint("bank/pay.py")] == [CALL]
    (workspace / "model.py").write_text("x = 1\n")
    assert server.lint("model.py") == []


def test_vs_code_shows_warnings() -> None:
    assert {severity(found.code) for found in FINDINGS} == {"Warning"}
    assert severity("E999") == "Error"
