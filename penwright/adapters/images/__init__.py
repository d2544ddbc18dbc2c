"""Pictures by any model for images that litellm knows."""

from penwright.adapters.images.litellm_images import LitellmImages

__all__ = ["LitellmImages"]
