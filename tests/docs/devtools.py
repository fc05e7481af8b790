"""A headless Chromium driven over a pipe: open a page, look, type, drop a file, hear what it complains of."""

import json
import os
import select
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1280,1600"),
)

SILENT = 120
"""Seconds without a word after which the browser is taken for dead."""


class Chromium:
    """A browser with one page; a context manager."""

    def __init__(self, program: str, profile: Path) -> None:
        incoming, self._write = os.pipe()
        self._read, outgoing = os.pipe()
        line = f'exec "$0" "$@" 3<&{incoming} 4>&{outgoing} 2>/dev/null'
        command = ["bash", "-c", line, program, *OPTIONS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(command, pass_fds=(incoming, outgoing), stdout=subprocess.DEVNULL)
        os.close(incoming)
        os.close(outgoing)
        self._number, self._session, self._rest = 0, "", b""
        self.complaints: list[str] = []
        self._loaded: set[str] = set()
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.ask(f"{domain}.enable")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._write)
        self._process.kill()
        self._process.wait()
        os.close(self._read)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._hear(answer)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], SILENT)
            assert ready, "the browser says nothing any more"
            data = os.read(self._read, 1 << 20)
            assert data, "the browser has ended"
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _hear(self, event: Mapping[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        if method == "Page.lifecycleEvent" and params["name"] == "load":
            self._loaded.add(params["loaderId"])
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"])[:500])
        if method == "Log.entryAdded" and params["entry"]["level"] in ("warning", "error"):
            self.complaints.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(params["args"])[:500])

    def open(self, url: str) -> None:
        """Open a page from scratch and wait until it is loaded."""
        for one in ("about:blank", url):  # a page that differs in the fragment only would stay as it is
            loader = self.ask("Page.navigate", url=one)["loaderId"]
            while loader not in self._loaded:
                self._hear(self._next())

    def look(self, expression: str) -> Any:
        """Return the value of an expression in the page; a promise is waited for."""
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = self.ask("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, condition: str, seconds: float = 60) -> Any:
        """Wait for a condition of the page to hold and return what it is."""
        waiting = (
            f"new Promise((done, fail) => {{ const end = Date.now() + {1000 * seconds}; const look = () => {{"
            f"const found = {condition}; if (found) done(found); else if (Date.now() > end) fail('too late');"
            "else setTimeout(look, 30); }; look(); })"
        )
        return self.look(waiting)

    def type(self, selector: str, text: str) -> None:
        """Write into a field, as a person does: what stood there is replaced."""
        self.look(
            f"(() => {{ const at = document.querySelector({selector!r}); at.focus(); at.select(); }})()"
        )
        self.ask("Input.insertText", text=text)

    def select(self, selector: str, value: str) -> None:
        """Choose a value of a list."""
        self.look(
            f"(() => {{ const at = document.querySelector({selector!r}); at.value = {value!r};"
            "at.dispatchEvent(new Event('change')); })()"
        )

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def mouse(self, selector: str, x: float, y: float, kind: str = "mouseMoved", **more: Any) -> None:
        """Move the mouse, or press it, at a part of an element."""
        find = f"const at = document.querySelector({selector!r}); at.scrollIntoView({{block: 'center'}});"
        size = "const box = at.getBoundingClientRect(); return [box.x, box.y, box.width, box.height];"
        box = self.look(f"(() => {{ {find} {size} }})()")
        self.ask("Input.dispatchMouseEvent", type=kind, x=box[0] + x * box[2], y=box[1] + y * box[3], **more)

    def choose(self, selector: str, file: Path) -> None:
        """Choose a file in a file input."""
        root = self.ask("DOM.getDocument")["root"]["nodeId"]
        node = self.ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.ask("DOM.setFileInputFiles", nodeId=node, files=[str(file)])
