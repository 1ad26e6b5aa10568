{{- define "sqlassay.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "sqlassay.fullname" -}}
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
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "sqlassay.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "sqlassay.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "sqlassay.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "sqlassay.fullname" .) }}
{{- else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "sqlassay.secret" -}}
{{ .Values.secrets.existingSecret | default (include "sqlassay.fullname" .) }}
{{- end }}

{{- define "sqlassay.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "sqlassay.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "sqlassay.environment" -}}
envFrom:
  - configMapRef: {name: {{ include "sqlassay.fullname" . }}}
  - secretRef: {name: {{ include "sqlassay.secret" . }}}
{{- end }}

{{/*
One egress rule: to these peers, on the ports of these addresses and on those named beside the peers. An address
without a port has the usual one. (dict "to" .Values.networkPolicy.egress.kafka "urls" (list "kafka:9093") "port" 9092)
*/}}
{{- define "sqlassay.egress" -}}
{{- $ports := .to.ports | default list }}
{{- range .urls }}
{{- /* without the path, the query and the password, which may hold digits after a colon */ -}}
{{- $host := regexReplaceAll "^[a-z+]+://" . "" | splitList "/" | first | splitList "@" | last }}
{{- with regexFind ":[0-9]+$" $host }}{{ $ports = append $ports (trimPrefix ":" . | int) }}{{ else }}{{ $ports = append $ports $.port }}{{ end }}
{{- end }}
{{- $unique := list }}
{{- range $ports }}{{ if not (has (int .) $unique) }}{{ $unique = append $unique (int .) }}{{ end }}{{ end }}
- to: {{- toYaml .to.to | nindent 4 }}
  ports:
    {{- range $unique }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
{{- end }}

{{/* The Pod template of one role: (dict "root" $ "role" "api" "values" .Values.api) */}}
{{- define "sqlassay.pod" -}}
{{- $root := .root }}
metadata:
  labels:
    {{- include "sqlassay.selector" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
  annotations:
    checksum/config: {{ include (print $root.Template.BasePath "/configmap.yaml") $root | sha256sum }}
    checksum/secret: {{ include (print $root.Template.BasePath "/secret.yaml") $root | sha256sum }}
    {{- with .values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ include "sqlassay.serviceAccount" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .values.terminationGracePeriodSeconds | default 45 }}
  securityContext: {{- include "sqlassay.podSecurity" $root | nindent 4 }}
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "sqlassay.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ .role }}
  containers:
    - name: sqlassay
      image: {{ include "sqlassay.image" $root }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [serve, --role, {{ .role }}]
      {{- include "sqlassay.environment" $root | nindent 6 }}
      ports:
        - {name: http, containerPort: 8321}
      startupProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 15
        timeoutSeconds: 5
        failureThreshold: 4
      readinessProbe:
        {{- /* without Kafka an api still answers all reading, and says why it takes no events */}}
        httpGet: {path: {{ ternary "/readyz?without=kafka" "/readyz" (eq .role "api") | quote }}, port: http}
        periodSeconds: 5
        timeoutSeconds: 5
      securityContext: {{- include "sqlassay.containerSecurity" $root | nindent 8 }}
      resources: {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
  volumes:
    - name: tmp
      emptyDir: {sizeLimit: 256Mi}
  {{- with .values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
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
