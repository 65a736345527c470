"""The plugins' files of a directory, and their hashes."""

from __future__ import annotations

import functools
import hashlib
import os
import socket
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .._troupe import Host
from ..errors import Error, Unavailable, Unreadable


class PinnedFile(NamedTuple):
    """A file of a plugin and its hash."""

    plugin: str
    path: str
    hash: str


FileState = tuple[int, int, int]
"""The inode, the size and the time of the last change of the file or of its metadata, which no program can set."""


class KnownFiles(NamedTuple):
    """The plugins of a directory, and the states of files when they were read."""

    entries: dict[str, FileState]
    """The states of the directory's entries by their names."""
    pinned: dict[str, FileState]
    """The states of the plugins' files and adopted libraries by their paths."""
    files: list[PinnedFile]


# The hashes of directories that this process has read.
_known_files: dict[str, KnownFiles] = {}


def pinned_files(directory: str) -> list[PinnedFile]:
    """Returns the files of the plugins in a directory with their hashes: the plugins' own files, and the libraries that they adopt.

    Starts a host with an empty pins file, which rejects each plugin and runs no plugin code. Reads every file, unless the directory and
    the adopted libraries are unchanged. Raises `Unreadable`.
    """
    entries = _entry_states(directory)
    known = _known_files.get(directory)
    if known is not None and known.entries == entries and all(_file_state(path) == state for path, state in known.pinned.items()):
        return known.files
    paths: list[tuple[str, str]] = []
    is_complete = True
    with pinned_host(directory, "", cache=False, quarantine=False, log=lambda level, plugin, text: None) as host:
        for plugin in host.plugins:
            if plugin.id is None or plugin.fault is None or plugin.fault.code != "unpinned":
                # An adopted library may be installed later, without a change of the directory.
                is_complete &= not plugin.path.endswith(".troupe.json")
                continue
            paths.append((plugin.id, plugin.path))
            if plugin.library is not None:
                paths.append((plugin.id, plugin.library))
    files: list[PinnedFile] = []
    pinned: dict[str, FileState] = {}
    for id, path in paths:
        try:
            # The state precedes the hash: a change between both is read at the next call.
            pinned[path] = _state(os.stat(path))
            files.append(PinnedFile(id, path, file_hash(path)))
        except FileNotFoundError:
            # Removed after the host has read it.
            is_complete = False
    if is_complete:
        _known_files[directory] = KnownFiles(entries, pinned, files)
    return files


def _state(status: os.stat_result) -> FileState:
    return status.st_ino, status.st_size, status.st_ctime_ns


def _file_state(path: str) -> FileState | None:
    """Returns the state of a file, or None if it is missing."""
    try:
        return _state(os.stat(path))
    except OSError:
        return None


def _entry_states(directory: str) -> dict[str, FileState]:
    """Returns the states of a directory's entries by their names. Raises `Unreadable`."""
    states = {}
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                try:
                    states[entry.name] = _state(entry.stat())
                except OSError:
                    # A symbolic link without a target, or a file that was removed meanwhile.
                    try:
                        states[entry.name] = _state(entry.stat(follow_symlinks=False))
                    except FileNotFoundError:
                        continue
    except OSError as error:
        remedy = "give a readable directory of plugins"
        raise Unreadable(f"{directory}: {error.strerror}; {remedy}", subject=directory, remedy=remedy) from None
    return states


def file_hash(path: str) -> str:
    """Returns the SHA-256 of a file, which is read again after a change."""
    return _hash(path, _state(os.stat(path)))


@functools.lru_cache(maxsize=1024)
def _hash(path: str, state: FileState) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pins_text(files: Iterable[PinnedFile]) -> str:
    """Returns the content of a pins file."""
    return "".join(sorted({f"{file.hash} {file.plugin}\n" for file in files}))


def pinned_host(directories: str | Iterable[str], pins: str, **options: Any) -> Host:
    """Starts a host with the content of a pins file. Raises the errors of `Host`."""
    with tempfile.TemporaryDirectory() as work:
        return Host(directories, pins=write_file(Path(work, "pins"), pins.encode()), **options)


def missing_file(plugin: str, problem: str, hashes: str, remedy: str) -> Unavailable:
    """Returns the error for a process that cannot read the file of a plugin."""
    subject = f"{plugin} on {socket.gethostname()}"
    return Unavailable(f"{subject}: {problem}; the expected SHA-256 is {hashes}; {remedy}", subject=subject, remedy=remedy)


def other_content(file: PinnedFile, hashes: str, remedy: str) -> Error:
    """Returns the error for a process that has another content of a plugin."""
    subject = f"{file.plugin} on {socket.gethostname()}"
    problem = f"{file.path} has the SHA-256 {file.hash}, and {hashes} is expected"
    return Error(f"{subject}: {problem}; {remedy}", code="unpinned", subject=subject, remedy=remedy)


def write_file(path: Path, content: bytes) -> Path:
    """Writes a new file that only the user can change: the host refuses others."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    return path


def write_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Writes shipped files into a new directory."""
    directory.mkdir(mode=0o700)
    for name, content in files.items():
        write_file(directory / name, content)


def shipped_files(directory: str) -> tuple[dict[str, bytes], list[PinnedFile]]:
    """Returns the contents of the plugins' files by their names, and the hashes of these contents.

    Libraries that a file adopts are shipped if they are in the same directory; all others must be installed on the workers.
    """
    contents: dict[str, bytes] = {}
    files: list[PinnedFile] = []
    for file in pinned_files(directory):
        name = os.path.basename(file.path)
        if os.path.realpath(os.path.dirname(file.path)) != os.path.realpath(directory):
            files.append(file)
            continue
        try:
            contents[name] = Path(file.path).read_bytes()
        except FileNotFoundError:
            # Removed after it was hashed.
            continue
        files.append(file._replace(hash=hashlib.sha256(contents[name]).hexdigest()))
    if not files:
        remedy = "give a directory with usable plugins; python -m troupe list shows the reasons"
        raise Unavailable(f"{directory}: has no plugin that a host can load; {remedy}", subject=directory, remedy=remedy)
    return contents, files
