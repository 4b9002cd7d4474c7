"""Masked arrays of NumPy, without importing ``numpy.ma`` where there are none."""

from __future__ import annotations

import sys
from typing import Any


def is_masked(values: Any) -> bool:
    """Whether values are a masked array: there is none before its module has been imported, which takes as long as opening many arrays."""
    return isinstance(values, getattr(sys.modules.get("numpy.ma"), "MaskedArray", ()))


__all__ = ["is_masked"]
