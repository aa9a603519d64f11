# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles on disk, by a key of all that they depend on. Safe with several processes: one compiles,
the others wait and take what it made."""
from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import os
import pathlib
import time
from collections.abc import Iterator
from typing import Any

_log = logging.getLogger("ttc.torch")

DEFAULT_SIZE = 10 << 30
_HEADER = 64  # bytes of a bundle, with hashes of all others


def cache_folder() -> pathlib.Path:
    """TTC_CACHE_DIR, or ttc in the user's cache folder (XDG_CACHE_HOME, ~/.cache)."""
    if own := os.environ.get("TTC_CACHE_DIR"):
        return pathlib.Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "ttc"


def cache_size() -> int:
    """The most bytes that the cache keeps: TTC_CACHE_SIZE, such as 500M or 20G, or 10 GiB."""
    text = os.environ.get("TTC_CACHE_SIZE", "").strip()
    if not text:
        return DEFAULT_SIZE
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    number, unit = (text[:-1], units[text[-1].upper()]) if text[-1].upper() in units else (text, 0)
    if not number.isdigit():
        raise ValueError(f"TTC_CACHE_SIZE: expected a number of bytes such as 500M or 20G, found '{text}'")
    return int(number) << unit


class Cache:
    """A folder of KEY.json, what is known of a graph, and KEY.ttcb, its bundle if it has one."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self._locks = folder / "locks"
        self._locks.mkdir(parents=True, exist_ok=True)

    def find(self, key: str) -> tuple[dict[str, Any], pathlib.Path] | None:
        """What was stored, and the path of its bundle."""
        record, bundle = self._paths(key)
        try:
            found = json.loads(record.read_text())
            if not isinstance(found, dict) or found.pop("seal", None) != _seal(key, found, bundle):
                return None
            if found.get("bundle"):
                os.utime(bundle)  # it was used: the oldest go first
            os.utime(record)
        except (OSError, ValueError):
            return None
        return found, bundle

    def store(self, key: str, found: dict[str, Any], made: pathlib.Path | None) -> pathlib.Path:
        """Keeps the record, and the bundle, which is in this folder under another name."""
        record, bundle = self._paths(key)
        if made is not None:
            os.replace(made, bundle)
        temporary = self.folder / f".{key}.{os.getpid()}.json"
        stored = found | {"bundle": made is not None}
        temporary.write_text(json.dumps(stored | {"seal": _seal(key, stored, bundle)}))
        os.replace(temporary, record)
        self._trim(key)
        return bundle

    def forget(self, key: str) -> None:
        for path in self._paths(key):
            path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """One process, and one thread of it, at a time. The file stays: to remove it would race."""
        with open(self._locks / key[:2], "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def clear(self) -> int:
        """Removes all and returns the bytes. Bundles in use stay mapped where they are used."""
        freed = 0
        for path in self._files():
            with contextlib.suppress(OSError):
                freed += path.stat().st_size
                path.unlink()
        return freed

    def _paths(self, key: str) -> tuple[pathlib.Path, pathlib.Path]:
        return self.folder / f"{key}.json", self.folder / f"{key}.ttcb"

    def _files(self) -> list[pathlib.Path]:
        """Only what this class has written: somebody may name a folder with other files in it."""
        keys = "[0-9a-f]" * 64
        return [path for pattern in (f"{keys}.json", f"{keys}.ttcb", f".{keys}.*") for path in self.folder.glob(pattern)]

    def _trim(self, latest: str) -> None:
        """Removes what has not been used for longest, beyond the size; and what a process that was
        killed left a day ago."""
        entries: dict[str, tuple[float, int]] = {}
        for path in self._files():
            with contextlib.suppress(OSError):
                status = path.stat()
                if path.name.startswith("."):
                    if status.st_mtime < time.time() - 86400:
                        path.unlink()
                    continue
                used, size = entries.get(path.stem, (0.0, 0))
                entries[path.stem] = max(used, status.st_mtime), size + status.st_size
        excess = sum(size for _, size in entries.values()) - cache_size()
        for key, (_, size) in sorted(entries.items(), key=lambda entry: entry[1][0]):
            if excess <= 0:
                break
            if key != latest:
                self.forget(key)
                excess -= size
                _log.info("removed %d bytes from the cache", size)


def _seal(key: str, found: dict[str, Any], bundle: pathlib.Path) -> str:
    """Of a record, its key and the header of its bundle. A record says where results are and what types they have: if it
    is of another graph, or was changed, it is not used."""
    seal = hashlib.sha256(json.dumps([key, found], sort_keys=True).encode())
    if found.get("bundle"):
        with open(bundle, "rb") as file:
            seal.update(file.read(_HEADER))
    return seal.hexdigest()
