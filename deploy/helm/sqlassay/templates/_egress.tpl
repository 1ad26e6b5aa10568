{{/*
The plain text that the values give a variable, or nothing: (dict "root" $ "role" "api" "name" "SQLASSAY_…"). A
container's own variables win over its ConfigMap, and what a Secret holds is not known.
*/}}
{{- define "sqlassay.plain" -}}
{{- $values := .root.Values }}
{{- $plain := get $values.settings .name }}
{{- if hasKey $values.secrets.from .name }}{{ $plain = "" }}{{ end }}
{{- $own := get $values (get (dict "migrate" "migrations" "canary" "tests") .role | default .role) }}
{{- range concat $values.common.extraEnv ($own.extraEnv | default list) }}
{{- if eq .name $.name }}{{ $plain = .value | default "" }}{{ end }}
{{- end }}
{{- $plain | toString }}
{{- end }}

{{/*
The ports of an address, as JSON: host:port,host:port, or a URL in every form of docs/connections.md. A host without a port
has the usual one; a socket's file has none: (dict "url" "kafka:9093" "port" 9092)
*/}}
{{- define "sqlassay.ports" -}}
{{- $ports := list }}
{{- if not (hasPrefix "unix:" .url) }}
{{- /* what stands before the last @ is a password, which may hold a slash; but a web address may have an @ in its path */ -}}
{{- $rest := regexReplaceAll (ternary "^https?://([^/?#]*@)?" "^([a-z+]+://)?(.*@)?" (hasPrefix "http" .url)) .url "" }}
{{- $hosts := regexFind "^[^/?#]*" $rest | include "sqlassay.unquoted" }}
{{- $separate := list }}
{{- if hasPrefix "postgres" .url }}
{{- /* libpq also takes hosts and ports as parameters, of which the hosts replace the others */ -}}
{{- range regexFind "[?].*" $rest | trimPrefix "?" | splitList "&" }}
{{- $value := regexReplaceAll "^[a-z]*=" . "" | include "sqlassay.unquoted" }}
{{- if and (hasPrefix "host=" .) $value }}{{ $hosts = $value }}{{ end }}
{{- if and (hasPrefix "port=" .) $value }}{{ $separate = splitList "," $value }}{{ end }}
{{- end }}
{{- end }}
{{- range $place, $host := splitList "," $hosts }}
{{- if not (hasPrefix "/" $host) }}
{{- $port := $.port }}
{{- with $separate }}{{ $port = index . (ternary $place 0 (lt $place (len .))) }}{{ end }}
{{- with regexFind ":[0-9]+$" $host }}{{ $port = trimPrefix ":" . }}{{ end }}
{{- $ports = append $ports (int $port) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $ports }}
{{- end }}

{{/* A part of a URL without spaces, and with commas, colons, slashes and brackets in place of their codes. */}}
{{- define "sqlassay.unquoted" -}}
{{- $text := . | replace " " "" }}
{{- range $code, $sign := dict "2c" "," "3a" ":" "2f" "/" "5b" "[" "5d" "]" }}
{{- $text = regexReplaceAll (printf "(?i)%%%s" $code) $text $sign }}
{{- end }}
{{- $text }}
{{- end }}

{{/*
One egress rule, or none: to these peers, on the ports of these addresses and on those named beside the peers.
(dict "to" .Values.networkPolicy.egress.kafka "urls" (list "kafka:9093") "port" 9092)
*/}}
{{- define "sqlassay.egress" -}}
{{- $ports := .to.ports | default list }}
{{- range .urls }}
{{- $ports = include "sqlassay.ports" (dict "url" . "port" $.port) | fromJsonArray | concat $ports }}
{{- end }}
{{- $unique := list }}
{{- range $ports }}{{ if not (has (int .) $unique) }}{{ $unique = append $unique (int .) }}{{ end }}{{ end }}
{{- with $unique }}
- to: {{- toYaml $.to.to | nindent 4 }}
  ports:
    {{- range . }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
{{- end }}
{{- end }}

{{/*
The same for a web address, which may not be known: then the ports beside the peers, and without them 443.
(dict "to" .Values.networkPolicy.egress.model "url" "https://models.example.org/v1")
*/}}
{{- define "sqlassay.webEgress" -}}
{{- $urls := ternary list (list .url) (and (empty .url) (not (empty .to.ports))) }}
{{- include "sqlassay.egress" (dict "to" .to "urls" $urls "port" (ternary 80 443 (hasPrefix "http:" .url))) }}
{{- end }}

{{/* The rule for Redis, or none. Sentinels name the primary's address, so its port is a value. (dict "root" $ "role" "api") */}}
{{- define "sqlassay.redisEgress" -}}
{{- $secrets := .root.Values.secrets }}
{{- $to := .root.Values.networkPolicy.egress.redis }}
{{- $url := include "sqlassay.plain" (merge (dict "name" "SQLASSAY_REDIS__URL") .) | default $secrets.redisUrl }}
{{- if or $url $secrets.existingSecret $to.ports (include "sqlassay.isGiven" (dict "root" .root "name" "SQLASSAY_REDIS__URL")) }}
{{- $port := ternary 6379 $to.primaryPort (not (empty $url)) }}
{{- if regexMatch "^rediss?[+]sentinel:" $url }}
{{- $port = 26379 }}
{{- $to = merge (dict "ports" (append ($to.ports | default list) $to.primaryPort)) $to }}
{{- end }}
{{- include "sqlassay.egress" (dict "to" $to "urls" (list $url) "port" $port) }}
{{- end }}
{{- end }}

{{/* The rule for the endpoint that gives tokens for Kafka, or none: (dict "root" $ "role" "api") */}}
{{- define "sqlassay.kafkaTokenEgress" -}}
{{- $to := .root.Values.networkPolicy.egress.kafkaToken }}
{{- $mechanism := include "sqlassay.plain" (merge (dict "name" "SQLASSAY_KAFKA__SASL_MECHANISM") .) | default .root.Values.kafka.sasl.mechanism }}
{{- if or (eq $mechanism "OAUTHBEARER") $to.ports }}
{{- include "sqlassay.webEgress" (dict "to" $to "url" (include "sqlassay.plain" (merge (dict "name" "SQLASSAY_KAFKA__SASL_TOKEN_URL") .))) }}
{{- end }}
{{- end }}
