"""A client of `strobe mcp`: starts it for a folder and speaks with it line by line. No network."""
import json
import os
import pathlib
import select
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STROBE = os.environ.get("STROBE", str(ROOT / "build/strobe"))
BYTES_PER_TOKEN = 3  # as strobe counts: too many tokens rather than too few


class Client:
    def __init__(self, folder, *flags):
        self.process = subprocess.Popen([STROBE, "mcp", str(folder), "--no-cache", *flags], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
        self.unread = b""
        self.last_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def line(self, patience=60):
        """The next line, without its end; None if there is none in time, or ever."""
        until = time.monotonic() + patience
        while b"\n" not in self.unread:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))
            data = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not data:
                return None
            self.unread += data
        line, self.unread = self.unread.split(b"\n", 1)
        return line.decode("utf-8")

    def request(self, method, params):
        """The answer, and the notifications before it."""
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.send(json.dumps(message).encode() + b"\n")
        before = []
        while True:
            answer = json.loads(self.line())
            if answer.get("id") == self.last_id:
                return answer, before
            before.append(answer)

    def begin(self):
        answer, _ = self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                                "clientInfo": {"name": "test", "version": "1"}})
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return answer["result"]

    def ask(self, tool, **arguments):
        """The result of a tool, with what it cost: `tokens` and `line`, the bytes of the whole message."""
        answer, _ = self.request("tools/call", {"name": tool, "arguments": arguments})
        result = answer["result"]
        text, data = (part["text"] for part in result["content"])
        assert json.loads(data) == result["structuredContent"]
        return {"text": text, "json": result["structuredContent"], "is_error": result["isError"],
                "tokens": -(-len((text + data).encode()) // BYTES_PER_TOKEN),
                "line": len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))}

    def end(self):
        """What still came, and the exit code."""
        self.process.stdin.close()
        self.process.stdin = None
        rest, _ = self.process.communicate(timeout=60)
        return (self.unread + rest).decode("utf-8"), self.process.returncode


def rows(answer, table):
    """The rows of a table of an answer, as dictionaries."""
    found = answer["json"]["tables"][table]
    return [dict(zip(found["columns"], row)) for row in found["rows"]]
