"""The functions of a host as a mapping, and calls as coroutines."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ._troupe import Cancellation

if TYPE_CHECKING:
    from ._troupe import Function, Host


async def call_in_thread(function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Calls a function on a thread of the executor.

    A cancellation ends the call if a worker runs it, and arrives after the worker has ended: the next call then has a new one.
    """
    cancellation = Cancellation()
    call = asyncio.ensure_future(asyncio.to_thread(cancellation.call, function, arguments, keywords))
    try:
        return await asyncio.shield(call)
    except asyncio.CancelledError:
        cancellation.cancel()
        # Nobody else takes the error of the cancelled call.
        call.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        if function.is_isolated:
            await asyncio.wait([call])
        raise


class Functions(Mapping["str | UUID", "Function"]):
    """The plain C functions of a host, by their names and UUIDs.

    A look-up loads the function's plugin. Look a function up once if you call it often: a look-up takes longer than a short call.
    Iteration loads no plugin. It returns the names, and the UUID of each function whose name another function has.
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def __getitem__(self, key: str | UUID) -> Function:
        return self._host.function(key)

    def __contains__(self, key: object) -> bool:
        text = str(key).lower() if isinstance(key, (str, UUID)) else None
        return any(
            registration.name == key or str(registration.uuid) == text
            for registration in self._host.registrations
            if registration.is_function
        )

    def _keys(self) -> list[str]:
        functions = [item for item in self._host.registrations if item.is_function]
        counts = Counter(item.name for item in functions)
        return [item.name if counts[item.name] == 1 else str(item.uuid) for item in functions]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys())

    def __len__(self) -> int:
        return len(self._keys())

    def __repr__(self) -> str:
        return f"<troupe.Functions {', '.join(self._keys())}>"
