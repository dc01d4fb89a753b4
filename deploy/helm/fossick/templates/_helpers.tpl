{{- define "fossick.name" -}}
{{- $name := ternary .Release.Name (printf "%s-fossick" .Release.Name) (contains "fossick" .Release.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "fossick.labels" -}}
app.kubernetes.io/name: fossick
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* Labels that select the pods of one kind. Arguments: the context and the kind. */}}
{{- define "fossick.selector" -}}
app.kubernetes.io/name: fossick
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "fossick.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* Names of the Secrets: yours or the chart's. */}}
{{- define "fossick.searchPasswords" -}}
{{- if .Values.opensearch.enabled -}}
{{ .Values.opensearch.passwordsSecret | default (printf "%s-opensearch" (include "fossick.name" .)) }}
{{- else -}}
{{ .Values.opensearch.external.secret }}
{{- end -}}
{{- end -}}
{{- define "fossick.searchCertificates" -}}
{{- if .Values.opensearch.enabled -}}
{{ .Values.opensearch.certificatesSecret | default (printf "%s-opensearch-certificates" (include "fossick.name" .)) }}
{{- else -}}
{{ .Values.opensearch.external.secret }}
{{- end -}}
{{- end -}}
{{- define "fossick.statePassword" -}}
{{- if .Values.postgresql.enabled -}}
{{ .Values.postgresql.passwordSecret | default (printf "%s-postgresql" (include "fossick.name" .)) }}
{{- else -}}
{{ .Values.postgresql.external.secret }}
{{- end -}}
{{- end -}}

{{- define "fossick.hasAuthority" -}}
{{- if or .Values.opensearch.enabled .Values.opensearch.external.hasAuthority }}true{{ end -}}
{{- end -}}

{{/* Addresses of the OpenSearch nodes, separated by commas. */}}
{{- define "fossick.searchUrls" -}}
{{- if .Values.opensearch.enabled -}}
{{- $name := printf "%s-opensearch" (include "fossick.name" .) -}}
{{- $urls := list -}}
{{- range $i := until (int .Values.opensearch.replicas) -}}
{{- $urls = append $urls (printf "https://%s-%d.%s:9200" $name $i $name) -}}
{{- end -}}
{{ join "," $urls }}
{{- else -}}
{{ join "," .Values.opensearch.external.urls }}
{{- end -}}
{{- end -}}

{{- define "fossick.state" -}}
{{- if .Values.postgresql.enabled -}}
postgres://fossick@{{ include "fossick.name" . }}-postgresql:5432/fossick
{{- else -}}
{{ .Values.postgresql.external.address }}
{{- end -}}
{{- end -}}

{{/* A pod's user, and where the pod can run. Arguments: the context, the kind, the user. */}}
{{- define "fossick.pod" -}}
{{- $ := index . 0 -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ index . 2 }}
  runAsGroup: {{ index . 2 }}
  fsGroup: {{ index . 2 }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with $.Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with $.Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with $.Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- if ne $.Values.antiAffinity "off" }}
affinity:
  podAntiAffinity:
    {{- if eq $.Values.antiAffinity "hard" }}
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels: {{- include "fossick.selector" (list $ (index . 1)) | nindent 12 }}
    {{- else }}
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels: {{- include "fossick.selector" (list $ (index . 1)) | nindent 14 }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* Gives a container only the privileges it needs. */}}
{{- define "fossick.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* The settings and mounts of all Fossick processes. */}}
{{- define "fossick.env" -}}
- { name: FOSSICK_DATA_DIR, value: /data }
- { name: FOSSICK_HOST, value: 0.0.0.0 }
- { name: FOSSICK_PORT, value: "8080" }
- { name: FOSSICK_ENGINE, value: opensearch }
- { name: FOSSICK_OPENSEARCH_URLS, value: {{ include "fossick.searchUrls" . | quote }} }
- { name: FOSSICK_OPENSEARCH_USER, value: {{ ternary "fossick" .Values.opensearch.external.user .Values.opensearch.enabled | quote }} }
- { name: FOSSICK_OPENSEARCH_PASSWORD_FILE, value: /secrets/opensearch-password }
{{- if include "fossick.hasAuthority" . }}
- { name: FOSSICK_OPENSEARCH_CA_FILE, value: /secrets/opensearch-ca.pem }
{{- end }}
{{- if not .Values.opensearch.enabled }}
- { name: FOSSICK_OPENSEARCH_INDEX, value: {{ .Values.opensearch.external.index | quote }} }
{{- end }}
- { name: FOSSICK_STATE, value: {{ include "fossick.state" . | quote }} }
- { name: FOSSICK_STATE_PASSWORD, value: "file:/secrets/postgres-password" }
{{- if .Values.sources }}
- { name: FOSSICK_SOURCES_FILE, value: /config/sources.yaml }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ toString $value | quote }} }
{{- end }}
{{- end -}}

{{- define "fossick.envFrom" -}}
{{- with .Values.settingsSecret }}
envFrom:
  - secretRef: { name: {{ . | quote }} }
{{- end }}
{{- end -}}

{{- define "fossick.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /secrets, readOnly: true }
{{- if .Values.sources }}
- { name: config, mountPath: /config, readOnly: true }
{{- end }}
{{- end -}}

{{- define "fossick.volumes" -}}
- name: data
  persistentVolumeClaim: { claimName: {{ .Values.data.existingClaim | default (printf "%s-data" (include "fossick.name" .)) | quote }} }
- name: tmp
  emptyDir: { sizeLimit: 1Gi }
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ include "fossick.searchPasswords" . | quote }}
          items: [{ key: fossick-password, path: opensearch-password }]
      {{- if include "fossick.hasAuthority" . }}
      - secret:
          name: {{ include "fossick.searchCertificates" . | quote }}
          items: [{ key: ca.pem, path: opensearch-ca.pem }]
      {{- end }}
      - secret:
          name: {{ include "fossick.statePassword" . | quote }}
          items: [{ key: postgres-password, path: postgres-password }]
{{- if .Values.sources }}
- name: config
  configMap: { name: {{ include "fossick.name" . }}-config }
{{- end }}
{{- end -}}

{{/* The value in an existing Secret, or a new password. Arguments: the context, the Secret, the key. */}}
{{- define "fossick.password" -}}
{{- $there := (lookup "v1" "Secret" (index . 0).Release.Namespace (index . 1) | default dict).data | default dict -}}
{{- if hasKey $there (index . 2) -}}
{{ index $there (index . 2) }}
{{- else -}}
{{ randAlphaNum 40 | b64enc }}
{{- end -}}
{{- end -}}
