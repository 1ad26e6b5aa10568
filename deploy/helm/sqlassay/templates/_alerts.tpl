{{/* Seconds of a duration such as 90s, 10m, 6h, 7d or 1w. */}}
{{- define "sqlassay.seconds" -}}
{{- $unit := regexFind "[smhdw]$" . }}
{{- $number := regexFind "^[0-9]+" . | int }}
{{- mul $number (index (dict "s" 1 "m" 60 "h" 3600 "d" 86400 "w" 604800) $unit) }}
{{- end }}

{{/*
The share of answers below Good that burns the error budget too fast: the budget times the factor that spends `budgetShare`
of the period's budget within the window. Fails when the result is above 1, because no traffic could reach it.
*/}}
{{- define "sqlassay.burnBound" -}}
{{- $window := include "sqlassay.seconds" .budgetWindow | float64 }}
{{- $period := include "sqlassay.seconds" .period | float64 }}
{{- $factor := divf (mulf .budgetShare $period) $window }}
{{- $bound := mulf $factor (subf 1.0 .objective) }}
{{- if ge $bound 1.0 }}
{{- fail (printf "alerts.conditions: with objective %v a burn of %v times its budget (budgetShare %v of %s in %s) can never be reached: lower budgetShare below %v" .objective $factor .budgetShare .period .budgetWindow (divf (divf $window $period) (subf 1.0 .objective))) }}
{{- end }}
{{- if le $factor 1.0 }}
{{- fail (printf "alerts.conditions: budgetShare %v of %s in %s is no faster than the budget allows: raise it above %v" .budgetShare .period .budgetWindow (divf $window $period)) }}
{{- end }}
{{- round $bound 4 }}
{{- end }}

{{/* The rules with the conditions filled in. */}}
{{- define "sqlassay.rules" -}}
{{- /* `windows` is what the first chart called them */ -}}
{{- $conditions := mergeOverwrite (deepCopy .Values.alerts.conditions) (.Values.alerts.windows | default dict) }}
{{- $rules := .Files.Get "files/rules.yaml" }}
{{- $rules = $rules | replace "${budgetBound}" (include "sqlassay.burnBound" $conditions) }}
{{- $rules = $rules | replace "${runbookUrl}" (.Values.alerts.runbookUrl | trimSuffix "/") }}
{{- $rules = $rules | replace "${dashboardUrl}" (.Values.alerts.dashboardUrl | trimSuffix "/") }}
{{- $rules = $rules | replace "${consoleUrl}" (.Values.alerts.consoleUrl | trimSuffix "/") }}
{{- $targets := printf "job=%q, namespace=%q" (printf "%s-metrics" (include "sqlassay.fullname" .)) .Release.Namespace }}
{{- with $conditions.job }}{{ $targets = printf "job=%q" . }}{{ end }}
{{- with $conditions.cluster }}{{ $targets = printf "%s, cluster=%q" $targets . }}{{ end }}
{{- $rules = $rules | replace "${targets}" $targets }}
{{- $rules = $rules | replace "${topic}" .Values.kafka.topic }}
{{- $apis := ternary .Values.api.autoscaling.minReplicas .Values.api.replicas .Values.api.autoscaling.enabled }}
{{- $workers := ternary .Values.worker.replicas .Values.worker.autoscaling.minReplicas (eq .Values.worker.autoscaling.kind "none") }}
{{- $rules = $rules | replace "${apis}" (toString $apis) | replace "${workers}" (toString $workers) }}
{{- range $name, $value := $conditions }}
{{- $rules = $rules | replace (printf "${%s}" $name) (toString $value) }}
{{- end }}
{{- if regexMatch "\\$\\{[A-Za-z]+\\}" $rules }}
{{- fail (printf "files/rules.yaml: %s is not a value of alerts.conditions" (regexFind "\\$\\{[A-Za-z]+\\}" $rules)) }}
{{- end }}
{{- $rules }}
{{- end }}
