"""Makes the backend that the options name."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import SecretStr

from service.commands.command_context import settings
from service.commands.eval.runner.backends.callables import CallableBackend
from service.commands.eval.runner.backends.contexts import CONTEXTS, context_provider
from service.commands.eval.runner.backends.endpoint import EndpointBackend
from service.commands.eval.runner.backends.model import PROMPT, ModelBackend, ModelServer
from service.commands.eval.runner.backends.recorded import read_predictions
from service.commands.eval.runner.generating import NamedBackend, unnamed
from service.commands.eval.runner.run_options import EvalRunOptions
from service.commands.exits import refuse
from service.commands.gold.case_schemas import Sources
from service.commands.gold.targets import UnusableTargetError, source_hash
from service.processes.forked_call import CallEnded, call_in_fork
from service.settings.judge_settings import JudgeSettings

IMPORT_SECONDS = 120.0
"""CPU that importing a backend may take."""


def build_backend(options: EvalRunOptions, sources: Sources) -> NamedBackend:
    """Returns the backend. Ends the command when the options do not make one."""
    if options.backend == "recorded":
        return _recorded(options)
    if options.predictions is not None:
        refuse("--predictions is for --backend recorded")
    if options.backend == "openai":
        return _model(options, sources)
    if options.backend == "http" or options.backend.startswith(("http://", "https://")):
        return _endpoint(options)
    if ":" not in options.backend:
        refuse(f"unknown backend {options.backend!r}: name recorded, http, openai or module:function")
    return _callable(options)


def _recorded(options: EvalRunOptions) -> NamedBackend:
    if options.predictions is None:
        refuse("--backend recorded needs --predictions P.jsonl")
    found = read_predictions(options.predictions, options.samples)
    if found.methods and options.samples > 1:
        refuse(f"--samples: {options.predictions} holds the answers of {len(found.methods)} methods, one sample each")
    return NamedBackend(
        "recorded",
        found.generate,
        {"predictions": found.sha256},
        cached=False,
        methods=found.methods,
        given=frozenset(found.by_sample) if found.methods else None,
        tested=found.tested(),
    )


def _endpoint(options: EvalRunOptions) -> NamedBackend:
    url = options.endpoint if options.backend == "http" else options.backend
    if url is None or not url.startswith(("http://", "https://")):
        refuse("--backend http needs --endpoint URL, which begins with http:// or https://")
    found = EndpointBackend(url, options.concurrency)
    return NamedBackend("http", found.generate, {"endpoint": unnamed(url)}, opened=found.opened)


def _callable(options: EvalRunOptions) -> NamedBackend:
    try:
        source = call_in_fork(source_hash, options.backend, cpu_seconds=IMPORT_SECONDS)
    except UnusableTargetError as error:
        refuse(f"--backend {error}")
    except CallEnded as ended:
        refuse(f"--backend {options.backend}: its import ended the process ({ended})")
    found = CallableBackend(options.backend, options.timeout, options.concurrency)
    identity: dict[str, object] = {"callable": options.backend, "source": source}
    return NamedBackend(options.backend, found.generate, identity, opened=found.opened, ends_itself=True)


def _model(options: EvalRunOptions, sources: Sources) -> NamedBackend:
    server = _server(options)
    try:
        prompt = Path(options.prompt).read_text(encoding="utf-8") if options.prompt else PROMPT
        context = context_provider(options.context, sources)
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"cannot read the prompt {options.prompt}: {error}")
    except UnusableTargetError as error:
        refuse(f"--context is {', '.join(CONTEXTS)} or module:function: {error}")
    found = ModelBackend(
        server=server,
        prompt=prompt,
        context=context,
        context_name=options.context,
        dialect=options.dialect,
        seconds=options.timeout,
        concurrency=options.concurrency,
    )
    identity = {**found.metadata, "base_url": unnamed(server.base_url), "dialect": options.dialect}
    return NamedBackend("openai", found.generate, identity, opened=found.opened)


def _server(options: EvalRunOptions) -> ModelServer:
    """The server that `--provider` names, or that of the judge's settings."""
    judge, provider = settings().judge, options.provider
    base_url, key = (judge.base_url, judge.api_key) if provider is None else _provided(provider, judge)
    model = options.model or (judge.model if provider is None else None)
    if base_url is None or model is None:
        refuse("--backend openai needs --model, and --provider or SQLASSAY_JUDGE__BASE_URL")
    return ModelServer(base_url=base_url, api_key=key, model=model, provider=unnamed(provider) or "settings")


def _provided(provider: str, judge: JudgeSettings) -> tuple[str, SecretStr | None]:
    """The URL and the key of a provider. The key of the settings goes to their own server only."""
    if provider.startswith(("http://", "https://")):
        return provider, judge.api_key if provider == judge.base_url else None
    prefix = "".join(each if each.isalnum() else "_" for each in provider).upper()
    base_url, key = os.environ.get(f"{prefix}_BASE_URL"), os.environ.get(f"{prefix}_API_KEY")
    if base_url is None:
        refuse(f"--provider {provider} needs {prefix}_BASE_URL, and {prefix}_API_KEY if the server wants a key")
    return base_url, SecretStr(key) if key else None
