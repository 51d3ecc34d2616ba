"""The primitives by words that mean nothing."""

# ruff: noqa: F401
from primitives import crop_region as plimor
from primitives import locate_objects as dralto
from primitives import visual_qa as fensik
