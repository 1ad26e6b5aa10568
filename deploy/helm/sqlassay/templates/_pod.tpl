{{/*
What a workload has: `common` with the workload's own values on top. Maps are merged, lists are joined.
(dict "root" $ "role" "api"), as YAML.
*/}}
{{- define "sqlassay.workload" -}}
{{- $root := .root }}
{{- $own := get $root.Values (get (dict "migrate" "migrations" "canary" "tests") .role | default .role) }}
{{- $all := deepCopy $root.Values.common }}
{{- if eq .role "canary" }}
{{- $all = omit $all "extraEnv" "extraEnvFrom" "extraVolumes" "extraVolumeMounts" "initContainers" }}
{{- end }}
{{- if not (has .role (list "api" "worker")) }}
{{- $all = omit $all "sidecars" }}
{{- end }}
{{- range $key, $value := $own }}
{{- $had := get $all $key }}
{{- if kindIs "slice" $value }}
{{- $value = concat ($had | default list) $value }}
{{- else if kindIs "map" $value }}
{{- $value = mergeOverwrite ($had | default dict) (deepCopy $value) }}
{{- else if eq (toString $value) "" }}
{{- $value = $had }}
{{- end }}
{{- $_ := set $all $key $value }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{/*
The Pod template of every workload. `container` is what only its own container has, and `volumes` are its own volumes, both
as YAML: (dict "root" $ "role" "api" "container" … "volumes" …).
*/}}
{{- define "sqlassay.pod" -}}
{{- $root := .root }}
{{- $values := include "sqlassay.workload" . | fromYaml }}
{{- $selector := merge (include "sqlassay.selector" $root | fromYaml) (dict "app.kubernetes.io/component" .role) }}
{{- $container := .container | fromYaml }}
{{- $_ := set $container "image" (include "sqlassay.image" $root) }}
{{- $_ := set $container "imagePullPolicy" $root.Values.image.pullPolicy }}
{{- $_ := set $container "securityContext" $values.securityContext }}
{{- $_ := set $container "resources" $values.resources }}
{{- $mounts := list (dict "name" "tmp" "mountPath" "/tmp") }}
{{- $_ := set $container "volumeMounts" (concat $mounts ($container.volumeMounts | default list) ($values.extraVolumeMounts | default list)) }}
{{- with concat ($container.envFrom | default list) ($values.extraEnvFrom | default list) }}
{{- $_ := set $container "envFrom" . }}
{{- end }}
{{- with concat ($container.env | default list) ($values.extraEnv | default list) }}
{{- $_ := set $container "env" . }}
{{- end }}
{{- $volumes := concat (list (dict "name" "tmp" "emptyDir" (dict "sizeLimit" "256Mi"))) (.volumes | default "[]" | fromYamlArray) ($values.extraVolumes | default list) }}
{{- $spread := list }}
{{- range $values.topologySpreadConstraints | default (list (dict "maxSkew" 1 "topologyKey" "kubernetes.io/hostname" "whenUnsatisfiable" "ScheduleAnyway")) }}
{{- if not (hasKey . "labelSelector") }}
{{- $_ := set . "labelSelector" (dict "matchLabels" $selector) }}
{{- end }}
{{- $spread = append $spread . }}
{{- end }}
{{- $spec := dict
  "serviceAccountName" (include "sqlassay.serviceAccountOf" .)
  "automountServiceAccountToken" false
  "enableServiceLinks" false
  "securityContext" $values.podSecurityContext
  "containers" (concat (list $container) ($values.sidecars | default list))
  "volumes" $volumes
}}
{{- if has .role (list "api" "worker") }}
{{- $_ := set $spec "topologySpreadConstraints" $spread }}
{{- $_ := set $spec "terminationGracePeriodSeconds" $values.terminationGracePeriodSeconds }}
{{- else }}
{{- $_ := set $spec "restartPolicy" "Never" }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" "initContainers" }}
{{- with get $values $key }}
{{- $_ := set $spec $key . }}
{{- end }}
{{- end }}
{{- with $root.Values.imagePullSecrets }}
{{- $_ := set $spec "imagePullSecrets" . }}
{{- end }}
metadata:
  labels:
    {{- mergeOverwrite dict $values.labels $values.podLabels $selector | toYaml | nindent 4 }}
  {{- $annotations := dict }}
  {{- if has .role (list "api" "worker") }}
  {{- $_ := set $annotations "checksum/config" (include (print $root.Template.BasePath "/configmap.yaml") $root | sha256sum) }}
  {{- $_ := set $annotations "checksum/secret" (include (print $root.Template.BasePath "/secret.yaml") $root | sha256sum) }}
  {{- end }}
  {{- with mergeOverwrite $annotations $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec: {{- mergeOverwrite $spec $values.podSpec | toYaml | nindent 2 }}
{{- end }}

{{/* A probe of /healthz or another path, with the times of `common.probes`: (dict "path" … "times" …) */}}
{{- define "sqlassay.probe" -}}
{{- toYaml (merge (dict "httpGet" (dict "path" .path "port" "http")) .times) }}
{{- end }}
