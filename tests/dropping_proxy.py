"""Something between a client and a server that loses answers."""

import socket
import threading
from collections.abc import Callable
from urllib.parse import urlsplit


class DroppingProxy:
    """Passes bytes on, and drops the answers that it is told to.

    Attributes:
        drop: how many answers to requests that hold ``marks`` are read and not passed on.
        dropped: called for each of them, before the client learns of it.
        instead: what the client hears then; nothing, and the connection breaks, when empty.
    """

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname, parts.port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.drop = 0
        self.marks = b"POST "
        self.dropped: Callable[[], None] = lambda: None
        self.instead = b""
        self.passed: list[bytes] = []
        threading.Thread(target=self._run, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            while request := _message(client):
                self.passed.append(request.partition(b"\r\n")[0])
                try:
                    with socket.create_connection(self._target) as server:
                        server.sendall(request)
                        answer = _message(server)
                except OSError:
                    return
                if self.drop and self.marks in request:
                    self.drop -= 1
                    self.dropped()
                    if not self.instead:
                        return
                    answer = self.instead
                client.sendall(answer)
                if b"transfer-encoding" in answer.partition(b"\r\n\r\n")[0].lower():
                    return  # a stream, of which no more than its beginning is passed on


def _message(source: socket.socket) -> bytes:
    """One message with its body, whose length its head tells; nothing at the end."""
    read = b""
    while b"\r\n\r\n" not in read:
        piece = source.recv(65536)
        if not piece:
            return b""
        read += piece
    head, _, body = read.partition(b"\r\n\r\n")
    lengths = [
        int(line.partition(b":")[2])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length:")
    ]
    while len(body) < sum(lengths):
        body += source.recv(65536)
    return head + b"\r\n\r\n" + body
