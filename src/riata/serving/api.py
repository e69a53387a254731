"""The paths of the server, as FastAPI describes them, and all of them but /predict answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, ConfigDict

from riata import __version__
from riata.serving.asking import Ask, Question
from riata.serving.front import EXPLAIN, PREDICT, Front
from riata.serving.measures import CONTENT_TYPE
from riata.serving.refusal import HttpRefusal, Limits
from riata.serving.served import Served
from riata.serving.shelf import Shelf

WATCHED = 1.0  # seconds between looks at the files of models
ASSETS = "/assets/"
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache"}


class Wrong(BaseModel):
    """What is wrong with a request, and what to do."""

    error: str
    remedy: str | None = None


class SpanAnswer(BaseModel):
    """A chunk: tokens from `start` up to, and not including, `end`."""

    start: int
    end: int
    label: str
    text: str
    confidence: float | None = None
    margin: float | None = None


class Labelled(BaseModel):
    """A sentence with its labels. Models of tags and chunks give `tags` and `chunk_labels`, parsers `heads` and `relations`."""

    model_config = ConfigDict(extra="allow")
    tokens: list[str]
    labels: list[str | None] | None = None
    tags: list[str | None] | None = None
    chunk_labels: list[str] | None = None
    heads: list[int | None] | None = None
    relations: list[str | None] | None = None
    spans: list[SpanAnswer] | None = None
    confidence: dict[str, list[float]] | None = None
    margin: dict[str, list[float | None]] | None = None
    nbest: list[dict[str, Any]] | None = None
    trace: dict[str, Any] | None = None


class Predicted(BaseModel):
    """The sentences of a request, in their order, and the model that labelled them."""

    model: str
    version: str
    task: str
    sentences: list[Labelled]
    calibrated: bool | None = None


REFUSED: dict[int | str, dict[str, Any]] = {
    400: {"model": Wrong, "description": "The body is no JSON."},
    403: {"model": Wrong, "description": "A page of another site asks."},
    404: {"model": Wrong, "description": "There is no such model."},
    408: {"model": Wrong, "description": "The body did not arrive in time."},
    413: {"model": Wrong, "description": "The request is too large."},
    415: {"model": Wrong, "description": "The content type is not application/json."},
    421: {"model": Wrong, "description": "The host name is not one of the server's."},
    422: {"model": Wrong, "description": "A field is wrong, or the model cannot answer it."},
    503: {"model": Wrong, "description": "Too many requests wait. Try again."},
}


def application(
    shelf: Shelf, limits: Limits, *, hosts: frozenset[str] | None = None, watch: bool = True, playground: bool = True
) -> Front:
    """The application that a server runs. watch: whether files of models are read again when they change."""
    front = Front(shelf, limits, hosts)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        front.batcher.start()
        watching = asyncio.create_task(_watch(shelf)) if watch else None
        yield
        if watching is not None:
            watching.cancel()
        await asyncio.to_thread(front.batcher.stop)

    api = FastAPI(
        title="Riata", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False, lifespan=lifespan
    )
    api.description = "Labels for sentences: tags, chunks, entities, trees."
    _add_prediction(api, front)
    _add_state(api, front)
    _add_pages(api, playground=playground)
    _add_refusals(api)
    front.behind = api
    front.paths = frozenset(route.path for route in api.routes if hasattr(route, "path"))
    return front


async def _watch(shelf: Shelf) -> None:
    while True:
        await asyncio.sleep(WATCHED)
        await asyncio.to_thread(shelf.reload, changed_only=True)


def _add_prediction(api: FastAPI, front: Front) -> None:
    @api.post(PREDICT, response_model=Predicted, responses=REFUSED, tags=["predict"])
    async def predict(ask: Ask) -> None:
        """Label one sentence or many."""
        raise HTTPException(HTTPStatus.NOT_FOUND)  # `Front` answers before this is called

    refused: dict[int | str, dict[str, Any]] = {
        status: REFUSED[status] for status in (400, 403, 404, 413, 421, 422, 503)
    }

    @api.get(EXPLAIN, response_class=Response, responses=refused, tags=["predict"])
    async def explain(ask: str) -> Response:
        """A page that shows why a sentence gets its labels, and how the search found them. `ask`: as for /predict, as JSON."""
        served, found = front.read(ask.encode("utf-8", "replace"), page=True)
        page = await front.batcher.ask(served, found, lambda *_: _explained(served, found))
        policy = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"
        return Response(page, media_type="text/html", headers={**SAFE, "Content-Security-Policy": policy})


def _explained(served: Served, found: Question) -> bytes:
    page: str = served.variant(found.ask).estimator.explain(found.sentences[0]).to_html()
    return page.encode()


def _add_state(api: FastAPI, front: Front) -> None:
    @api.get("/healthz", tags=["state"])
    async def healthz() -> dict[str, Any]:
        """Whether the server answers, and with how many models."""
        return {"status": "ok", "models": len(front.shelf), "waiting": front.batcher.length}

    @api.get("/models", tags=["state"])
    async def models() -> dict[str, Any]:
        """The models by name, and what can be asked of each."""
        return {"models": [served.facts() for served in front.shelf], "limits": vars(front.limits)}

    @api.get("/metrics", response_class=PlainTextResponse, tags=["state"])
    async def metrics() -> Response:
        """Counts for Prometheus."""
        return Response(front.measures.text(front.shelf, front.batcher), headers={"Content-Type": CONTENT_TYPE})


def _add_pages(api: FastAPI, *, playground: bool) -> None:
    folder = files("riata.serving").joinpath("pages")
    assets = {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in TYPES}

    def page(name: str) -> Response:
        kind = TYPES[name.rpartition(".")[2]]
        return Response(assets[name], media_type=kind, headers={**SAFE, "Content-Security-Policy": POLICY})

    @api.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return page("api.html")

    @api.get(ASSETS + "{name}", include_in_schema=False)
    async def asset(name: str) -> Response:
        if name not in assets:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return page(name)

    @api.get("/", include_in_schema=False)
    async def home() -> Response:
        return page("playground.html" if playground else "api.html")


def _add_refusals(api: FastAPI) -> None:
    @api.exception_handler(HttpRefusal)
    async def refused(_: Request, refusal: HttpRefusal) -> Response:
        headers = {"Retry-After": "1"} if refusal.status == HTTPStatus.SERVICE_UNAVAILABLE else {}
        return JSONResponse(refusal.content(), refusal.status, headers)

    @api.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        message = f"{first['loc'][-1]}: {first['msg'][:1].lower()}{first['msg'][1:]}."
        return JSONResponse({"error": message}, HTTPStatus.UNPROCESSABLE_ENTITY)

    async def http(request: Request, error: Any) -> Response:
        status = HTTPStatus(error.status_code)
        text = {404: f"There is no page {request.url.path!r:.80}.", 405: f"{request.method} is not possible here."}
        content = {"error": text.get(status, status.phrase), "remedy": "GET /docs lists what there is."}
        return JSONResponse(content, status, error.headers)

    api.add_exception_handler(404, http)
    api.add_exception_handler(405, http)
