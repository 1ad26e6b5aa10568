"""Sets of chart values that users may choose, and the environment variables of a rendered Pod."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.deploy.charts import LEAST, ROOT, merged, only

MATRIX: dict[str, dict[str, Any]] = {
    "least": {},
    "existing secret": {"secrets": {"existingSecret": "assay-secret", "databaseUrl": "", "tokens": {}}},
    "everything monitored": {
        "metrics": {"serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}}},
        "alerts": {"enabled": True, "labels": {"release": "prometheus"}},
        "dashboards": {"enabled": True},
    },
    "scaled by cpu": {
        "api": {"autoscaling": {"enabled": True}},
        "worker": {"autoscaling": {"kind": "hpa", "maxReplicas": 4}},
    },
    "scaled by lag": {"worker": {"autoscaling": {"kind": "keda", "lagThreshold": 50, "maxReplicas": 12}}},
    "open to the world": {
        "ingress": {
            "enabled": True,
            "className": "nginx",
            "hosts": [{"host": "assay.example.org"}],
            "tls": [{"hosts": ["assay.example.org"], "secretName": "assay-tls"}],
        },
        "service": {"type": "LoadBalancer", "port": 8080},
    },
    "bare": {
        "podDisruptionBudget": {"enabled": False},
        "networkPolicy": {"enabled": False},
        "migrations": {"enabled": False},
        "serviceAccount": {"create": False},
    },
    "a model and a cache": {
        "secrets": {"redisUrl": "rediss://:pass@redis:6379/1", "judgeApiKey": "key"},
        "settings": {"SQLASSAY_LOG__LEVEL": "debug", "SQLASSAY_LIMITS__BATCH_SIZE": 500},
    },
    "people log in at a provider": {
        "secrets": {"oidcClientSecret": "a-clients-secret", "loginSecret": "0123456789abcdef" * 2},
        "login": {
            "publicUrl": "https://assay.example.org",
            "hours": 8,
            "oidc": {
                "issuer": "https://login.example.org:8443/realms/staff",
                "clientId": "sqlassay",
                "tenantClaim": "groups",
                "tenants": {"bakers-team": "bakers", "quality": "*"},
                "rolesClaim": "realm_access.roles",
                "roles": {"analyst": ["read", "review"]},
                "everyone": ["read"],
            },
        },
    },
    "people log in at a proxy": {
        "login": {
            "proxy": {
                "addresses": ["10.0.0.5", "10.1.0.0/24", "fd00::/64"],
                "nameHeader": "X-Forwarded-Email",
                "tenant": "bakers",
                "rolesHeader": "X-Forwarded-Groups",
                "roles": {"analysts": ["read", "review"]},
            }
        },
    },
    "traced": {
        "telemetry": {
            "endpoint": "http://collector.monitoring:4318",
            "environment": {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": 0.01},
        }
    },
    "placed": {
        "fullnameOverride": "assay",
        "imagePullSecrets": [{"name": "pull"}],
        "image": {"repository": "images.example.org/sqlassay", "tag": "1.2.3", "pullPolicy": "Always"},
        "worker": {
            "replicas": 6,
            "nodeSelector": {"pool": "workers"},
            "tolerations": [{"key": "spot", "operator": "Exists"}],
            "podAnnotations": {"team": "quality"},
            "terminationGracePeriodSeconds": 120,
        },
    },
}

CLUSTERS: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("clusters.yaml").read_text("utf-8"))
"""Values as operators of many kinds of clusters write them."""
DOCUMENTED: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))
    for path in sorted((ROOT / "deploy" / "helm" / "values").glob("*.yaml"))
}
"""Whole files of values, each with a page in docs/kubernetes/."""
EVERY: dict[str, dict[str, Any]] = {
    **{name: merged(LEAST, values) for name, values in {**MATRIX, **CLUSTERS}.items()},
    **DOCUMENTED,
}
"""All of them, to be rendered as they are."""


def environment_of(objects: list[dict[str, Any]]) -> dict[str, str]:
    """The variables that a Pod of these objects has."""
    settings, secret = only(objects, "ConfigMap", "assay-sqlassay"), only(objects, "Secret", "assay-sqlassay")
    return {**settings["data"], **secret["stringData"]}
