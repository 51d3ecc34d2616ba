"""The primitives by names that libraries have for such functions: huggingface_hub's
InferenceClient, torchvision."""

# ruff: noqa: F401
from primitives import crop_region as crop
from primitives import locate_objects as object_detection
from primitives import visual_qa as visual_question_answering
