"""Parts of a request for routes: the services, and who asks."""

from typing import Annotated

from fastapi import Depends, Request

from gateway.desk.access import Access
from gateway.desk.principals import Principal
from gateway.desk.services import Services
from gateway.http.site import Site
from schemas.web import Credential


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def _principal(request: Request) -> Principal:
    # The guard lets no request through without one.
    principal: Principal = request.scope["state"]["principal"]
    return principal


def _credential(request: Request) -> Credential:
    credential: Credential = request.scope["state"]["credential"]
    return credential


FromServices = Annotated[Services, Depends(_services)]
FromAccess = Annotated[Access, Depends(_access)]
FromSite = Annotated[Site, Depends(_site)]
Asking = Annotated[Principal, Depends(_principal)]
FromCredential = Annotated[Credential, Depends(_credential)]
