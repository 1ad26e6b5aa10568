{{- define "sqlassay.secret" -}}
{{ .Values.secrets.existingSecret | default (include "sqlassay.fullname" .) }}
{{- end }}

{{/* Whether the values give a variable in another way than by the chart's Secret: (dict "root" $ "name" "SQLASSAY_…") */}}
{{- define "sqlassay.isGiven" -}}
{{- $values := .root.Values }}
{{- $names := concat (keys $values.secrets.from $values.settings) (list) }}
{{- range $values.common.extraEnv }}{{ $names = append $names .name }}{{ end }}
{{- if has .name $names }}yes{{ end }}
{{- end }}

{{/* Where a variable of a Secret stands, as a secretKeyRef: (dict "root" $ "name" "SQLASSAY_…") */}}
{{- define "sqlassay.secretKey" -}}
{{- $own := dict "name" (include "sqlassay.secret" .root) "key" .name }}
{{- get .root.Values.secrets.from .name | default $own | toJson }}
{{- end }}

{{/* The URL of PostgreSQL for the chart's Secrets, or nothing where it stands elsewhere. */}}
{{- define "sqlassay.databaseUrl" -}}
{{- if not (include "sqlassay.isGiven" (dict "root" . "name" "SQLASSAY_DATABASE__URL")) }}
{{- required "secrets.databaseUrl: name your PostgreSQL, or set secrets.existingSecret or secrets.from" .Values.secrets.databaseUrl }}
{{- end }}
{{- end }}

{{/* What the chart's Secret holds, as YAML; nothing with a Secret of the user's own. */}}
{{- define "sqlassay.secretData" -}}
{{- $secrets := .Values.secrets }}
{{- if not $secrets.existingSecret }}
{{- $data := dict
  "SQLASSAY_DATABASE__URL" (include "sqlassay.databaseUrl" .)
  "SQLASSAY_REDIS__URL" $secrets.redisUrl
  "SQLASSAY_KAFKA__SASL_PASSWORD" $secrets.kafkaPassword
  "SQLASSAY_OIDC__CLIENT_SECRET" $secrets.oidcClientSecret
  "SQLASSAY_LOGIN__SECRET" $secrets.loginSecret
  "SQLASSAY_JUDGE__API_KEY" $secrets.judgeApiKey
}}
{{- if not (include "sqlassay.isGiven" (dict "root" . "name" "SQLASSAY_HTTP__TOKENS")) }}
{{- if not (or $secrets.tokens (include "sqlassay.elsewhere" .)) }}
{{- fail "secrets.tokens: give at least one tenant a token (\"*\" is for all), set login, or set secrets.existingSecret or secrets.from" }}
{{- end }}
{{- $_ := set $data "SQLASSAY_HTTP__TOKENS" ($secrets.tokens | toJson) }}
{{- end }}
{{- /* for Prometheus, which cannot read it out of JSON */ -}}
{{- $_ := set $data .Values.metrics.serviceMonitor.tokenSecret.key (get $secrets.tokens "*") }}
{{- range $name, $value := $data }}
{{- if $value }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
