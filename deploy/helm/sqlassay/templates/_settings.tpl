{{/* A value as the text of a variable. Helm reads numbers as floats, which it would write as 1.34217728e+08. */}}
{{- define "sqlassay.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ toString . }}{{ end }}
{{- end }}

{{/* The settings that the values stand for, as YAML. `settings` win over them. */}}
{{- define "sqlassay.settings" -}}
{{- $worker := .Values.worker }}
SQLASSAY_HTTP__HOST: "0.0.0.0"
SQLASSAY_HTTP__PORT: "8321"
{{- if .Values.service.grpcPort }}
SQLASSAY_SPANS__GRPC_PORT: "4317"
{{- end }}
SQLASSAY_HTTP__PUBLIC_METRICS: {{ .Values.metrics.public | quote }}
# A tenant's budget is divided among this many workers.
SQLASSAY_JUDGE__WORKERS: {{ max 1 (ternary $worker.replicas $worker.autoscaling.maxReplicas (eq $worker.autoscaling.kind "none")) | quote }}
{{- with .Values.retention.days }}
SQLASSAY_RETENTION__DAYS: {{ . | quote }}
{{- end }}
{{- with .Values.telemetry.endpoint }}
SQLASSAY_TELEMETRY__ENDPOINT: {{ . | quote }}
{{- end }}
{{- with .Values.httpProxy }}
{{- if .url }}
HTTP_PROXY: {{ .url | quote }}
HTTPS_PROXY: {{ .url | quote }}
{{- if .model }}
SQLASSAY_JUDGE__PROXY: {{ .url | quote }}
{{- end }}
NO_PROXY: {{ concat (list "localhost" "127.0.0.1" "::1" ".svc" ".cluster.local") .noProxy | join "," | quote }}
{{- end }}
{{- end }}
{{ include "sqlassay.kafka" . }}
{{ include "sqlassay.login" . }}
{{- end }}
