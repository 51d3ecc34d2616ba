"""The primitives by words that mean nothing."""

from primitives import crop_region as plimor
from primitives import locate_objects as dralto
from primitives import visual_qa as fensik

__all__ = ["dralto", "fensik", "plimor"]
