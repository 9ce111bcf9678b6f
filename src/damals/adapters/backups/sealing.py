"""Encryption of backups with age: to a public key, so that whoever makes one need not open it.

A passphrase locks a key that is made for one backup; the locked key travels with it.
"""

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from damals.adapters.backups.durable import PRIVATE_FILE, unreadable, unwritable
from damals.app.backups.ports import Seal, Secret
from damals.domain.errors import Conflict, Corrupt, Denied, InvalidInput

_MAX_KEY_BYTES: Final = 65_536
_PUBLIC: Final = "age1"
_SECRET: Final = "AGE-SECRET-KEY-"  # noqa: S105 -- by which such a key is known


class Reads(Protocol):
    """Gives bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """As files do."""
        ...


class Writes(Protocol):
    """Takes bytes."""

    def write(self, data: bytes, /) -> int:
        """As files do."""
        ...


class _Watched:
    """A stream whose errors are kept, since the library tells them in words of its own."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401 -- reads or writes
        self._inner = inner
        self.error: BaseException | None = None

    def read(self, size: int = -1) -> bytes:
        return self._kept(lambda: self._inner.read(size))

    def write(self, data: bytes) -> int:
        return self._kept(lambda: self._inner.write(data))

    def flush(self) -> None:
        """Nothing waits here."""

    def _kept(self, act: Callable[[], Any]) -> Any:  # noqa: ANN401 -- what the stream gives
        try:
            return act()
        except BaseException as error:
            self.error = error
            raise


def _age() -> Any:  # noqa: ANN401 -- the package brings no types
    """The library, which only those pay for who encrypt."""
    return import_module("pyrage")


def seal(source: Reads, target: Writes, recipient: str) -> None:
    """Encrypt a stream to a public key, in constant memory.

    Raises:
        InvalidInput: ``backup.recipient``.
    """
    age = _age()
    reads, writes = _Watched(source), _Watched(target)
    try:
        key = age.x25519.Recipient.from_str(recipient)
    except age.RecipientError as error:
        raise InvalidInput("backup.recipient", value=recipient) from error
    try:
        age.encrypt_io(reads, writes, [key])
    except (age.EncryptError, OSError) as error:
        raise (reads.error or writes.error or error) from error


def unseal(source: BinaryIO, target: Writes, secret: Secret, path: Path) -> None:
    """Decrypt a stream, in constant memory.

    Raises:
        Denied: ``backup.wrong_key``.
        Corrupt: ``backup.sealed``: what was encrypted is damaged.
    """
    age = _age()
    reads, writes = _Watched(source), _Watched(target)
    try:
        keys = [age.x25519.Identity.from_str(one) for one in secret.keys]
        age.decrypt_io(reads, writes, keys)
    except (age.DecryptError, age.IdentityError, OSError) as error:
        if reads.error or writes.error:
            raise (reads.error or writes.error or error) from error
        if "No matching keys" in str(error):
            raise Denied("backup.wrong_key", path=str(path)) from error
        raise Corrupt("backup.sealed", path=str(path)) from error


def by_passphrase(passphrase: str) -> Seal:
    """A new key, and the same locked with a passphrase."""
    age = _age()
    identity = age.x25519.Identity.generate()
    locked = age.passphrase.encrypt(str(identity).encode("ascii"), passphrase)
    return Seal(str(identity.to_public()), locked)


def unlocked(locked: bytes, passphrase: str, path: Path) -> Secret:
    """The key that a passphrase opens.

    Raises:
        Denied: ``backup.wrong_passphrase``.
    """
    age = _age()
    try:
        return Secret((age.passphrase.decrypt(locked, passphrase).decode("ascii"),))
    except (age.DecryptError, UnicodeDecodeError) as error:
        raise Denied("backup.wrong_passphrase", path=str(path)) from error


def seal_of_file(path: Path) -> Seal:
    """To whom a key file encrypts: a file with a public key, or with a secret one.

    Raises:
        NotFound, Unavailable, InvalidInput: as :func:`secret_of_file`.
    """
    age = _age()
    for line in _lines(path):
        if line.startswith(_PUBLIC):
            return Seal(line)
        if line.startswith(_SECRET):
            try:
                return Seal(str(age.x25519.Identity.from_str(line).to_public()))
            except age.IdentityError as error:
                raise InvalidInput("backup.key_file", path=str(path)) from error
    raise InvalidInput("backup.key_file", path=str(path))


def secret_of_file(path: Path) -> Secret:
    """The secret keys in a file, as ``age-keygen`` writes it.

    Raises:
        InvalidInput: ``backup.key_file`` when none is in it; ``backup.public_key`` when it only
            has what encrypts.
        Unavailable: ``backup.unreadable``.
    """
    lines = _lines(path)
    keys = tuple(line for line in lines if line.startswith(_SECRET))
    if not keys:
        public = any(line.startswith(_PUBLIC) for line in lines)
        raise InvalidInput("backup.public_key" if public else "backup.key_file", path=str(path))
    return Secret(keys)


def new_key_file(path: Path) -> str:
    """Write a new secret key into a new file that only its owner may read.

    Returns:
        The public key.

    Raises:
        Conflict: ``backup.key_exists``: no key is ever overwritten.
    """
    age = _age()
    identity = age.x25519.Identity.generate()
    public = str(identity.to_public())
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(f"# public key: {public}\n{identity}\n")
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError as error:
        raise Conflict("backup.key_exists", path=str(path)) from error
    except OSError as error:
        raise unwritable(path, error) from error
    return public


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_KEY_BYTES).decode("ascii")
    except UnicodeDecodeError as error:
        raise InvalidInput("backup.key_file", path=str(path)) from error
    except OSError as error:
        raise unreadable(path, error) from error
    return [line.strip() for line in text.splitlines()]
