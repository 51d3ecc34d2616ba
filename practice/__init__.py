"""The practice problems and the practice model: how both are made, and how the model is measured."""
