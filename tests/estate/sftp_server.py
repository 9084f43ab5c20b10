"""An SFTP server on loopback that serves a folder, for one user with a password."""

import contextlib
import socket
import threading
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import paramiko

USER, PASSWORD = "kesit", "gizli"


class _Login(paramiko.ServerInterface):
    def check_auth_password(self, username, password):
        right = (username, password) == (USER, PASSWORD)
        return paramiko.AUTH_SUCCESSFUL if right else paramiko.AUTH_FAILED

    def get_allowed_auths(self, username):
        return "password"

    def check_channel_request(self, kind, chanid):
        return paramiko.OPEN_SUCCEEDED


class _Folder(paramiko.SFTPServerInterface):
    root: Path

    def _path(self, path):
        return Path(f"{self.root}{self.canonicalize(path)}")

    def _answer(self, ask):
        try:
            return ask()
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno)

    def list_folder(self, path):
        def ask():
            children = self._path(path).iterdir()
            return [paramiko.SFTPAttributes.from_stat(child.lstat(), child.name) for child in children]

        return self._answer(ask)

    def stat(self, path):
        return self._answer(lambda: paramiko.SFTPAttributes.from_stat(self._path(path).stat()))

    def lstat(self, path):
        return self._answer(lambda: paramiko.SFTPAttributes.from_stat(self._path(path).lstat()))

    def open(self, path, flags, attr):
        def ask():
            handle = paramiko.SFTPHandle(flags)
            handle.readfile = self._path(path).open("rb")
            return handle

        return self._answer(ask)


class Server(NamedTuple):
    port: int
    connections: list[paramiko.Transport]

    def hang_up(self) -> None:
        """End all connections, as a server does after some idle minutes."""
        for each in self.connections:
            each.close()


@contextlib.contextmanager
def serving_sftp(root: Path) -> Generator[Server]:
    """A running server whose `/` is the folder; it ends with the block."""
    listener = socket.create_server(("127.0.0.1", 0))
    key = paramiko.RSAKey.generate(2048)
    folder = type("Folder", (_Folder,), {"root": root})
    running = Server(listener.getsockname()[1], [])

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            transport = paramiko.Transport(connection)
            transport.add_server_key(key)
            transport.set_subsystem_handler("sftp", paramiko.SFTPServer, folder)
            with contextlib.suppress(EOFError, paramiko.SSHException):
                transport.start_server(server=_Login())
                running.connections.append(transport)

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        running.hang_up()
        thread.join(5)
