"""A model server on loopback that keeps every request and answers by a script."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from waiting import PATIENCE_S, wait_for


class FakeModel:
    """Speaks chat completions; ends with the `with` block.

    `replies` are used up in order, then it says `ok`: `{"text": …}`, `{"tool": name, "args": …}`,
    `{"status": 500, "error": …}`; `prompt_tokens` is what it claims to have read, `hold` an event
    to wait for.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.replies: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """What pi has to be told."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def wait(self, count: int) -> None:
        """Until so many requests have come."""
        wait_for(lambda: len(self.requests) >= count, f"{count} requests to the model")

    def take(self, request: dict[str, Any]) -> dict[str, Any]:
        """Keep a request and give the reply to it."""
        with self._lock:
            self.requests.append(request)
            return self.replies.pop(0) if self.replies else {"text": "ok"}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A pi that was killed leaves its connection: nothing to report."""


def _handler(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 30

        def log_message(self, *_args: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(200, "application/json", {"object": "list", "data": [{"id": "fake-1"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            reply = model.take(body)
            hold = reply.get("hold")
            if hold is not None:
                hold.wait(PATIENCE_S)
            if reply.get("status", 200) != 200:
                error = {"message": reply.get("error", "scripted")}
                self._send(reply["status"], "application/json", {"error": error})
                return
            self._send(200, "text/event-stream", *_events(reply))

        def _send(self, status: int, kind: str, *parts: Any) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.end_headers()
            for part in parts:
                text = json.dumps(part)
                self.wfile.write((f"data: {text}\n\n" if "event" in kind else text).encode())
            if "event" in kind:
                self.wfile.write(b"data: [DONE]\n\n")

    return Handler


def _events(reply: dict[str, Any]) -> list[dict[str, Any]]:
    base = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "fake-1"}

    def event(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    read = reply.get("prompt_tokens", 100)
    usage = {"prompt_tokens": read, "completion_tokens": 7, "total_tokens": read + 7}
    end = {**base, "choices": [], "usage": usage}
    if "tool" not in reply:
        said = event({"role": "assistant", "content": reply.get("text", "ok")})
        return [said, event({}, "stop"), end]
    call = {"name": reply["tool"], "arguments": json.dumps(reply.get("args", {}))}
    calls = [{"index": 0, "id": "call_1", "type": "function", "function": call}]
    return [event({"role": "assistant", "tool_calls": calls}), event({}, "tool_calls"), end]
