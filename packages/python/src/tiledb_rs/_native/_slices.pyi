from typing import Any, Callable, FrozenSet, Optional, Tuple

MAX_DIMENSIONS: int

class BoxReader:
    def __new__(
        cls,
        owners: Any,
        context: int,
        array: int,
        domain: Tuple[Tuple[int, int], ...],
        coordinate_width: int,
        attributes: Tuple[Tuple[str, bytes, Any, Tuple[int, ...], int], ...],
        max_bytes: int,
        array_type: Any,
        integers: FrozenSet[Any],
        /,
    ) -> BoxReader: ...
    def read(self, key: Any, /) -> Any: ...

def after_fork() -> None: ...
def cancel() -> bool: ...
def connect(
    addresses: Tuple[Optional[int], ...],
    error: Any,
    start_watcher: Callable[[], int],
    stop_watcher: Callable[[], None],
    get_signal: Any,
    default_handler: Any,
    main_thread: int,
    /,
) -> None: ...
