"""Which version of a library is installed here."""

from importlib import metadata


def version_of(library: str) -> str:
    """Its version, or "absent": a run needs neither scipy nor matplotlib, though its programs
    may."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "absent"
