"""A stage whose visual role answers, and whose model for images paints."""

from pydantic import JsonValue

from tests.support.gateway.agents import RehearsedAgents
from tests.support.gateway.services import StageServices

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


def an_artist(services: StageServices) -> None:
    """Have pictures be described as a quay at night, and painted."""
    blobs, services.agents = services.store.blobs, RehearsedAgents()
    described = {"prompt": "A quay at night, ink.", "avoid": "letters", "caption": "The quay."}
    services.agents.answers["scene/visual"] = {**described, "raw": blobs.put(b"{}").model_dump()}
    painted: JsonValue = {"image": blobs.put(PNG).model_dump(), "kind": "image/png"}
    services.agents.answers["scene/painter"] = {
        **{"picture": painted, "model": "brush", "raw": blobs.put(b"p").model_dump()}
    }
    services.image_model = "brush"
