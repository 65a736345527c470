"""Transforms as file objects."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined,unused-ignore]

    from ._troupe import Transform


def write_all(target: IO[bytes], data: bytes) -> None:
    """Writes all bytes to a file object, which may take a part of them at once if it has no buffer."""
    rest = memoryview(data)
    while rest:
        count = target.write(rest)
        if count is None and isinstance(target, io.RawIOBase):
            raise BlockingIOError("the target takes no bytes at present; pass a file object that blocks")
        rest = rest[len(rest) if count is None else count :]


class TransformReader(io.RawIOBase):
    """A readable file object with the output of a transform for the bytes of another file object, which it does not close."""

    def __init__(self, transform: Transform, source: IO[bytes], size: int = 65536) -> None:
        self._transform: Transform | None = transform
        self._source = source
        self._size = size
        self._output = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        target = memoryview(buffer).cast("B")
        while not self._output and self._transform is not None:
            piece = self._source.read(self._size)
            if piece:
                self._output = memoryview(self._transform.feed(piece))
            else:
                self._output = memoryview(self._transform.finish())
                self._transform = None
        count = min(len(target), len(self._output))
        target[:count] = self._output[:count]
        self._output = self._output[count:]
        return count


class TransformWriter(io.RawIOBase):
    """A writable file object that writes the output of a transform to another one. `close` ends the input, and leaves the other
    open."""

    def __init__(self, transform: Transform, target: IO[bytes]) -> None:
        self._transform = transform
        self._target = target

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        write_all(self._target, self._transform.feed(data))
        return memoryview(data).nbytes

    def close(self) -> None:
        if not self.closed:
            try:
                write_all(self._target, self._transform.finish())
            finally:
                super().close()
