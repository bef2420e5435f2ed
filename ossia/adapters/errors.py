"""What can be wrong with an adapter before it plays."""

from ossia.errors import UserError

__all__ = [
    "AdapterError",
    "AdapterProjectError",
    "InstallError",
    "UnknownAdapterError",
    "UnsatisfiableError",
]


class AdapterError(UserError):
    """An adapter cannot be used; the text says why in one or two sentences."""


class UnknownAdapterError(AdapterError):
    """No adapter has this name and there is no such folder."""


class AdapterProjectError(AdapterError):
    """A folder is no adapter project, or what it declares is wrong."""


class InstallError(AdapterError):
    """The environment could not be made.

    Attributes:
        output: What the installer printed; of a long one the start and the end.
    """

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


class UnsatisfiableError(InstallError):
    """No versions of an adapter's requirements fit together, or one of them does not exist."""
