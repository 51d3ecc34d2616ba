"""The version of this code, which an older installation of it need not be."""

__version__ = "0.5.0"
