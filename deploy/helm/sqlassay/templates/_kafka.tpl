{{/* The settings of the connection to Kafka, as YAML. */}}
{{- define "sqlassay.kafka" -}}
{{- with .Values.kafka }}
SQLASSAY_KAFKA__BOOTSTRAP_SERVERS: {{ required "kafka.bootstrapServers: name your brokers, such as kafka:9092" .bootstrapServers | quote }}
SQLASSAY_KAFKA__GROUP: {{ .group | quote }}
SQLASSAY_KAFKA__TOPIC_EVENTS: {{ .topic | quote }}
{{- if .tls.enabled }}
SQLASSAY_KAFKA__TLS: "true"
{{- if or .tls.ca.secret .tls.ca.configMap }}
SQLASSAY_KAFKA__CA_FILE: /etc/sqlassay/kafka-ca/{{ .tls.ca.key }}
{{- end }}
{{- if .tls.client.secret }}
SQLASSAY_KAFKA__CERTIFICATE_FILE: /etc/sqlassay/kafka-client/{{ .tls.client.certificate }}
SQLASSAY_KAFKA__KEY_FILE: /etc/sqlassay/kafka-client/{{ .tls.client.key }}
{{- end }}
{{- else if or .tls.ca.secret .tls.ca.configMap .tls.client.secret }}
{{- fail "kafka.tls: certificates are named and enabled is false: set kafka.tls.enabled=true" }}
{{- end }}
{{- with .sasl }}
{{- if .mechanism }}
SQLASSAY_KAFKA__SASL_MECHANISM: {{ .mechanism | quote }}
{{- with .username }}
SQLASSAY_KAFKA__SASL_USERNAME: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The volumes with Kafka's certificates, as a YAML list. */}}
{{- define "sqlassay.kafkaVolumes" -}}
{{- with .Values.kafka.tls }}
{{- if .ca.secret }}
- {name: kafka-ca, secret: {secretName: {{ .ca.secret | quote }}}}
{{- else if .ca.configMap }}
- {name: kafka-ca, configMap: {name: {{ .ca.configMap | quote }}}}
{{- end }}
{{- with .client.secret }}
- {name: kafka-client, secret: {secretName: {{ . | quote }}}}
{{- end }}
{{- end }}
{{- end }}

{{/* Where these volumes are mounted, as a YAML list. */}}
{{- define "sqlassay.kafkaMounts" -}}
{{- range include "sqlassay.kafkaVolumes" . | default "[]" | fromYamlArray }}
- {name: {{ .name }}, mountPath: /etc/sqlassay/{{ .name }}, readOnly: true}
{{- end }}
{{- end }}

{{/* KEDA's trigger on the lag of the consumer group, as YAML. */}}
{{- define "sqlassay.lagTrigger" -}}
{{- $kafka := .Values.kafka }}
{{- $scaling := .Values.worker.autoscaling }}
{{- $metadata := dict
  "bootstrapServers" ($kafka.bootstrapServers | replace " " "")
  "consumerGroup" $kafka.group
  "topic" $kafka.topic
  "lagThreshold" (include "sqlassay.text" $scaling.lagThreshold)
}}
{{- /* A stuck record must not keep replicas running, and more replicas than partitions would be idle. */ -}}
{{- $metadata = merge $metadata (dict "excludePersistentLag" "true" "allowIdleConsumers" "false") }}
{{- if $kafka.tls.enabled }}
{{- $_ := set $metadata "tls" "enable" }}
{{- end }}
{{- with $kafka.sasl.mechanism }}
{{- $_ := set $metadata "sasl" (get (dict "PLAIN" "plaintext" "SCRAM-SHA-256" "scram_sha256" "SCRAM-SHA-512" "scram_sha512" "OAUTHBEARER" "oauthbearer" "AWS_MSK_IAM" "aws_msk_iam") .) }}
{{- end }}
type: kafka
metadata: {{- mergeOverwrite $metadata $scaling.triggerMetadata | toYaml | nindent 2 }}
{{- if $scaling.authenticationRef.name }}
authenticationRef: {{- toYaml $scaling.authenticationRef | nindent 2 }}
{{- else if or $kafka.sasl.mechanism $kafka.tls.client.secret }}
{{- fail "worker.autoscaling.authenticationRef.name: name the TriggerAuthentication with which KEDA logs in to Kafka" }}
{{- end }}
{{- end }}
