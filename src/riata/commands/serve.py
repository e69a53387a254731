"""riata serve"""

from __future__ import annotations

from typing import Any

import click


@click.command(short_help="Answer over HTTP, with a playground.")
@click.option(
    "--model",
    "models",
    required=True,
    multiple=True,
    metavar="[NAME=]FILE",
    help="A model made by `riata train`; may be repeated. The first one answers requests that name none.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen at; 0.0.0.0 for other machines."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free port.")
@click.option(
    "--allow-host", "allowed", multiple=True, metavar="NAME", help="A host name that requests may use; may be repeated."
)
@click.option("--max-body", type=click.IntRange(min=1), metavar="BYTES", help="Largest request (default: 1048576).")
@click.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Tokens of a request (default: 50000).")
@click.option(
    "--max-waiting",
    type=click.IntRange(min=1),
    metavar="N",
    help="Requests that may wait; more get 503 (default: 512).",
)
@click.option("--timeout", type=click.FloatRange(0.1, 3600), metavar="S", help="Seconds of a request (default: 10).")
@click.option("--watch/--no-watch", default=True, show_default=True, help="Load a model again when its file changes.")
@click.option("--playground/--no-playground", default=True, show_default=True, help="A page to try models, at /.")
@click.option(
    "--tokenizer",
    metavar="MODULE:FUNCTION",
    help="Your function from a sentence to its words, for requests with text, instead of splitting at spaces.",
)
@click.option("--force", is_flag=True, help="Do not compare the input with the training data.")
@click.option("--log", default="info", show_default=True, type=click.Choice(["debug", "info", "warning", "error"]))
@click.option("--access-log", is_flag=True, help="A line for every request.")
def command(models: tuple[str, ...], **options: Any) -> None:
    """Serve models over HTTP: POST /predict, and a page to try them.

    \b
    riata serve --model chunker.riata
    riata serve --model tags=tagger.riata --model chunks=chunker.riata --port 9000
    curl -s localhost:8000/predict -H 'Content-Type: application/json' -d '{"text": "The bus stopped ."}'

    / is the playground, and /docs lists the paths; /healthz and /metrics are for those who watch over servers.
    SIGTERM and Ctrl-C end the server when requests are answered. SIGHUP loads all models again; requests do not wait for it.
    The server has no passwords and no TLS: see docs/serving.md before you use another --host.
    """
    _check_installed()
    import logging

    from riata.commands.base import imported
    from riata.serving.api import application
    from riata.serving.refusal import Limits
    from riata.serving.running import BACKLOG, hosts_for, listening, log_warnings, run
    from riata.serving.shelf import Shelf, files_of

    logging.basicConfig(level=options["log"].upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for noisy in ("uvicorn", "asyncio"):
        logging.getLogger(noisy).setLevel(max(logging.getLogger().level, logging.WARNING))
    if options["access_log"]:
        logging.getLogger("uvicorn.access").setLevel(logging.INFO)
    log_warnings()
    split = str.split if options["tokenizer"] is None else imported(options["tokenizer"])
    given = {"body": "max_body", "tokens": "max_tokens", "waiting": "max_waiting", "seconds": "timeout"}
    limits = Limits(**{name: options[of] for name, of in given.items() if options[of] is not None})
    host, watch = options["host"], options["watch"]
    bound = listening(host, options["port"])
    with bound:
        shelf = Shelf(files_of(models), split, check_input=not options["force"])
        hosts = hosts_for(host, options["allowed"])
        front = application(shelf, limits, hosts=hosts, watch=watch, playground=options["playground"])
        bound.listen(BACKLOG)
        shown = f"[{host}]" if ":" in host else host
        click.echo(
            f"Serving {', '.join(model.name for model in shelf)} at http://{shown}:{bound.getsockname()[1]}", err=True
        )
        run(front, bound, access_log=options["access_log"])


def _check_installed() -> None:
    """Refuses with one message where the extra `serve` is not installed."""
    from importlib.util import find_spec

    from riata.errors import UnsupportedError

    missing = [name for name in ("fastapi", "uvicorn", "httptools") if find_spec(name) is None]
    if missing:
        raise UnsupportedError(
            f"The server needs {', '.join(missing)}, which {'are' if len(missing) > 1 else 'is'} not installed.",
            remedy=f"pip install {' '.join(missing)}",
        )
