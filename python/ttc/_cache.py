# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles on disk, by a key of all that they depend on. Safe with several processes: one compiles,
the others wait and take what it made."""
from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import importlib.metadata
import json
import logging
import os
import pathlib
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from ttc._tools import tool_path
from ttc._version import __version__

_log = logging.getLogger("ttc")
_Opened = TypeVar("_Opened")

#: What is known of a program, and the path of its bundle.
Made = tuple[dict[str, Any], pathlib.Path]

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


class Rejected(Exception):
    """A program has no bundle. The text is the reason, in one line. `lasting` unless it may be
    another one next time, such as that memory is short."""

    def __init__(self, reason: str, lasting: bool = True) -> None:
        super().__init__(reason)
        self.lasting = lasting


def open_kept(
    kind: str, key: str | None, make: Callable[[pathlib.Path], Made], open_made: Callable[[Made, bool], _Opened]
) -> _Opened:
    """Opens the bundle of that key, which `make` makes in a folder unless the cache has it. It is kept in the folder
    `kind` of the cache, unless there is no key or nothing can be written there. `open_made` also learns whether the
    bundle was found; it may fail for what a damaged file contains."""
    if key is not None:
        try:
            return Cache(cache_folder() / kind).open(key, make, open_made)
        except OSError as error:
            if error.errno not in _NOT_WRITABLE:
                raise
            _say_not_kept(error, f"ttc.{kind}")
    with tempfile.TemporaryDirectory(prefix="ttc-") as folder:
        return open_made(make(pathlib.Path(folder)), False)


# What a folder for the cache says that another folder may not say.
_NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOTDIR, errno.EEXIST}
_not_kept_said = False


def _say_not_kept(error: OSError, logger: str) -> None:
    global _not_kept_said
    if not _not_kept_said:
        _not_kept_said = True
        logging.getLogger(logger).warning("bundles are not kept: %s", error)


class Cache:
    """A folder of KEY.json, what is known of a program, and KEY.ttcb, its bundle if it has one."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self._locks = folder / "locks"
        self._locks.mkdir(parents=True, exist_ok=True)

    def open(
        self, key: str, make: Callable[[pathlib.Path], Made], open_made: Callable[[Made, bool], _Opened]
    ) -> _Opened:
        """As open_kept() does it."""
        found = self.find(key)
        if found is None:
            with self.lock(key):
                found = self.find(key)  # another process may have made it meanwhile
                if found is None:
                    return open_made(self._make(key, make), False)
        if "rejected" in found[0]:
            raise Rejected(found[0]["rejected"])
        try:
            return open_made(found, True)
        except Exception as error:  # whatever a damaged record or bundle leads to
            _log.info("a cached bundle cannot be used (%s)", error)
            self.forget(key)
            with self.lock(key):
                return open_made(self._make(key, make), False)

    def _make(self, key: str, make: Callable[[pathlib.Path], Made]) -> Made:
        # Beside what it becomes: to rename it is atomic.
        with tempfile.TemporaryDirectory(prefix=f".{key}.", dir=self.folder) as folder:
            try:
                record, path = make(pathlib.Path(folder))
            except Rejected as reason:
                if reason.lasting:
                    self.store(key, {"rejected": str(reason)}, None)
                raise
            return record, self.store(key, record, path)

    def find(self, key: str) -> Made | None:
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


def environment(packages: Iterable[str]) -> list[Any]:
    """What every bundle depends on besides its program and options: the versions of these packages, the compiler, and
    the CPU."""
    tool = tool_path("ttc-translate").resolve()
    # In the wheel, the tool is a few kilobytes, and the compiler a library beside it.
    builds = [path.stat() for path in (tool, *sorted(tool.parent.parent.glob("lib*/libttc_compiler.so")))]
    return [
        *map(_version, packages),
        __version__,
        # A build of the compiler may change without its version.
        *([build.st_size, build.st_mtime_ns] for build in builds),
        _cpu(),
    ]


def named_files(target: str | None, options: Iterable[str]) -> list[str]:
    """The contents of files that the target or an option names."""
    paths = [*filter(None, [target]), *(option.partition("=")[2].split(":")[-1] for option in options)]
    return [hashlib.sha256(pathlib.Path(p).read_bytes()).hexdigest() for p in paths if p and pathlib.Path(p).is_file()]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _cpu() -> list[str]:
    """What the compiler generates code for: the first CPU's model and features, and its caches."""
    kept = ("vendor_id", "cpu family", "model", "model name", "stepping", "cache size", "flags")
    found = []
    for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines():
        name, _, value = line.partition(":")
        if name.strip() in kept:
            found.append(f"{name.strip()}:{value.strip()}")
    return found
