"""Publishes one answer as OpenTelemetry spans: `python examples/publish_opentelemetry.py [URL]`."""

import sys

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8321"
provider = TracerProvider(resource=Resource({"service.name": "atlas", "sqlassay.tenant": "meridian-retail"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces")))
tracer = provider.get_tracer("atlas")

question = {"sqlassay.question": "How many open orders are there?", "gen_ai.agent.name": "atlas"}
query = {"db.query.text": "SELECT COUNT(*) FROM orders WHERE status = 'open'", "db.system.name": "postgresql"}
with tracer.start_as_current_span("answer", attributes=question):
    tracer.start_span("query", attributes=query).end()
provider.shutdown()
