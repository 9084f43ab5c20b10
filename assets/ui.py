"""`kesit ui`: Dagster's web server and daemon on this project."""

import errno
import os
import socket
import sys
from pathlib import Path
from typing import NoReturn

from assets.instance import open_instance
from assets.partitions import register
from pipeline.config import CONFIG_ENV, ConfigError, load_config
from pipeline.line.project import write_dagster_files
from pipeline.line.workspace import Workspace


def serve(config: Path, port: int) -> NoReturn:
    """Become `dagster dev` in the folder of the configuration, so that what stops this process stops the daemon.

    Raises:
        ConfigError: the web server is not installed, or something listens at the port.
    """
    try:
        import dagster_webserver  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ModuleNotFoundError:
        raise ConfigError("the UI is not installed: pip install 'kesit[ui]'") from None
    _check_port(port)
    folder = config.parent
    write_dagster_files(folder)
    # So that a backfill can choose among them before the first run.
    with open_instance(folder) as instance:
        register(instance, Workspace(load_config(config)).partitions)
    environment = os.environ | {"DAGSTER_HOME": str(folder), CONFIG_ENV: str(config)}
    # `dg dev`, which Dagster would rather see, wants a project laid out its way.
    quiet = ("-W", "ignore:Function `dev_command` is superseded")
    command = [sys.executable, *quiet, "-m", "dagster", "dev", "-w", "workspace.yaml", "-p", str(port)]
    print(f"UI: http://127.0.0.1:{port} (Ctrl-C ends it)", flush=True)  # noqa: T201
    os.chdir(folder)
    os.execve(sys.executable, command, environment)  # noqa: S606


def _check_port(port: int) -> None:
    """Dagster goes on without its web server when the port is taken, and its daemon would run beside the other one."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise ConfigError(f"--port {port}: in use by another program; choose another one") from None
            raise ConfigError(f"--port {port}: {error.strerror}") from None
