{{/* Fails with the name of a section of the values that is null: templates could only say that a pointer is nil. */}}
{{- define "sqlassay.checkSections" -}}
{{- $values := .Values }}
{{- $sections := list "common" "common.labels" "common.podLabels" "common.annotations" "common.podAnnotations" "common.probes" "common.probes.startup" "common.probes.liveness" "common.probes.readiness" "common.podSpec" "image" "kafka" "kafka.tls" "kafka.tls.ca" "kafka.tls.client" "kafka.sasl" "retention" "settings" "telemetry" "telemetry.environment" "httpProxy" "secrets" "secrets.from" "secrets.tokens" "login" "login.oidc" "serviceAccount" "serviceAccount.annotations" "api" "api.autoscaling" "api.podDisruptionBudget" "worker" "worker.autoscaling" "worker.podDisruptionBudget" "migrations" "service" "service.spec" "ingress" "httpRoute" "podDisruptionBudget" "networkPolicy" "networkPolicy.egress" "networkPolicy.egress.dns" "networkPolicy.egress.kafka" "networkPolicy.egress.postgresql" "networkPolicy.egress.model" "metrics" "metrics.serviceMonitor" "metrics.serviceMonitor.tokenSecret" "alerts" "dashboards" "tests" }}
{{- range $path := $sections }}
{{- $section := $values }}
{{- range $key := splitList "." $path }}
{{- $section = get ($section | default dict) $key }}
{{- end }}
{{- if not (kindIs "map" $section) }}
{{- fail (printf "%s: is empty: leave it out of your values or write {}; after an older chart upgrade with --reset-then-reuse-values in place of --reuse-values" $path) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "sqlassay.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "sqlassay.fullname" -}}
{{- include "sqlassay.checkSections" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains .Chart.Name .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "sqlassay.name" .) | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "sqlassay.selector" -}}
app.kubernetes.io/name: {{ include "sqlassay.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sqlassay.labels" -}}
{{- with .Values.common.labels }}
{{- toYaml . | nindent 0 }}
{{- end }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "sqlassay.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "sqlassay.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "sqlassay.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "sqlassay.fullname" .) }}
{{- else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{/* The service account of a role: (dict "root" $ "role" "api"). That of the Job is made before the others exist. */}}
{{- define "sqlassay.serviceAccountOf" -}}
{{- if and .root.Values.serviceAccount.create (eq .role "migrate") }}{{ include "sqlassay.fullname" .root }}-migrate
{{- else }}{{ include "sqlassay.serviceAccount" .root }}{{ end }}
{{- end }}

{{/* Makes an object one of the hook that migrates: (dict "root" $ "weight" "-5"). */}}
{{- define "sqlassay.migrationHook" -}}
helm.sh/hook: {{ .root.Values.migrations.hook }}
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}

{{/* The container of api or worker, as YAML: (dict "root" $ "role" "api" "probes" …) */}}
{{- define "sqlassay.serving" -}}
name: sqlassay
args: [serve, --role, {{ .role }}]
envFrom:
  - configMapRef: {name: {{ include "sqlassay.fullname" .root }}}
  {{- if or .root.Values.secrets.existingSecret (include "sqlassay.secretData" .root) }}
  - secretRef: {name: {{ include "sqlassay.secret" .root }}}
  {{- end }}
{{- with .root.Values.secrets.from }}
env:
  {{- range $name, $source := . }}
  - {name: {{ $name }}, valueFrom: {secretKeyRef: {{ toJson $source }}}}
  {{- end }}
{{- end }}
ports:
  - {name: http, containerPort: 8321, protocol: TCP}
  {{- if and .root.Values.service.grpcPort (eq .role "api") }}
  - {name: grpc, containerPort: 4317, protocol: TCP}
  {{- end }}
startupProbe: {{- include "sqlassay.probe" (dict "path" "/healthz" "times" .probes.startup) | nindent 2 }}
livenessProbe: {{- include "sqlassay.probe" (dict "path" "/healthz" "times" .probes.liveness) | nindent 2 }}
{{- /* without Kafka an api still answers all reading, and says why it takes no events */}}
readinessProbe: {{- include "sqlassay.probe" (dict "path" (ternary "/readyz?without=kafka" "/readyz" (eq .role "api")) "times" .probes.readiness) | nindent 2 }}
{{- with include "sqlassay.kafkaMounts" .root }}
volumeMounts: {{- . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Whether people log in otherwise than by token. */}}
{{- define "sqlassay.elsewhere" -}}
{{- if or .Values.login.oidc.issuer .Values.login.proxy.addresses }}yes{{ end }}
{{- end }}

{{/* The settings of the login, as YAML. */}}
{{- define "sqlassay.login" -}}
{{- $public := .Values.login.publicUrl }}
{{- if and (not $public) .Values.ingress.enabled .Values.ingress.tls (eq (len .Values.ingress.hosts) 1) }}
{{- $public = printf "https://%s" (first .Values.ingress.hosts).host }}
{{- end }}
SQLASSAY_LOGIN__HOURS: {{ .Values.login.hours | quote }}
{{- with $public }}
SQLASSAY_LOGIN__PUBLIC_URL: {{ . | quote }}
{{- end }}
{{- with .Values.login.oidc }}
{{- if .issuer }}
SQLASSAY_OIDC__ISSUER: {{ .issuer | quote }}
SQLASSAY_OIDC__CLIENT_ID: {{ required "login.oidc.clientId: name the client that the provider knows" .clientId | quote }}
{{- with .nameClaim }}
SQLASSAY_OIDC__NAME_CLAIM: {{ . | quote }}
{{- end }}
{{- include "sqlassay.identity" (dict "prefix" "SQLASSAY_OIDC" "kind" "CLAIM" "own" . "tenants" .tenantClaim "roles" .rolesClaim) }}
{{- end }}
{{- end }}
{{- with .Values.login.proxy }}
{{- if .addresses }}
SQLASSAY_PROXY__ADDRESSES: {{ .addresses | toJson | quote }}
{{- with .nameHeader }}
SQLASSAY_PROXY__NAME_HEADER: {{ . | quote }}
{{- end }}
{{- include "sqlassay.identity" (dict "prefix" "SQLASSAY_PROXY" "kind" "HEADER" "own" . "tenants" .tenantHeader "roles" .rolesHeader) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Which tenant and scopes a person has: (dict "prefix" … "kind" "CLAIM" "own" .Values.login.oidc "tenants" … "roles" …) */}}
{{- define "sqlassay.identity" -}}
{{- $values := printf "login.%s" (ternary "oidc" "proxy" (eq .kind "CLAIM")) }}
{{- if eq (empty .tenants) (empty .own.tenant) }}
{{- fail (printf "%s: set either tenant, which is everybody's, or tenant%s, which names it" $values (title (lower .kind))) }}
{{- end }}
{{- if and (empty .roles) (empty .own.everyone) }}
{{- fail (printf "%s: nobody would have a scope: set everyone to [read], or roles%s" $values (title (lower .kind))) }}
{{- end }}
{{- with .own.tenant }}
{{ $.prefix }}__TENANT: {{ . | quote }}
{{- end }}
{{- with .tenants }}
{{ $.prefix }}__TENANT_{{ $.kind }}: {{ . | quote }}
{{- end }}
{{- with .own.tenants }}
{{ $.prefix }}__TENANTS: {{ . | toJson | quote }}
{{- end }}
{{- with .roles }}
{{ $.prefix }}__ROLES_{{ $.kind }}: {{ . | quote }}
{{- end }}
{{- with .own.roles }}
{{ $.prefix }}__ROLES: {{ . | toJson | quote }}
{{- end }}
{{- with .own.everyone }}
{{ $.prefix }}__EVERYONE: {{ . | toJson | quote }}
{{- end }}
{{- end }}

{{/* A path as callers see it: (dict "values" "ingress" "prefix" "/sqlassay" "path" "/v1") */}}
{{- define "sqlassay.publicPath" -}}
{{- if and .prefix (hasPrefix "/console" .path) }}
{{- fail (printf "%s.paths: the console does not work below the prefix %s: set %s.paths to [/v1], and give the console a host of its own" .values .prefix .values) }}
{{- end }}
{{- printf "%s%s" .prefix .path }}
{{- end }}
