{{- define "plaza.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "plaza.fullname" -}}
{{- $name := include "plaza.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "plaza.selector" -}}
app.kubernetes.io/name: {{ include "plaza.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "plaza.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "plaza.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "plaza.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "plaza.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "plaza.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag | replace "+" "_") }}
{{- end }}
{{- end }}

{{/* Values that go together; checked with every rendering. */}}
{{- define "plaza.check" -}}
{{- if eq .Values.database.kind "postgres" }}
{{- $_ := required "database.existingSecret: the secret with the URL of PostgreSQL" .Values.database.existingSecret }}
{{- $_ := required "secrets.secretKey.existingSecret: with postgres all pods need the same key" .Values.secrets.secretKey.existingSecret }}
{{- else if .Values.autoscaling.enabled }}
{{- fail "autoscaling needs database.kind postgres: a SQLite database has one pod" }}
{{- end }}
{{- if .Values.serviceMonitor.enabled }}
{{- $_ := required "secrets.metricsToken.existingSecret: without a token /metrics answers the pod alone" .Values.secrets.metricsToken.existingSecret }}
{{- end }}
{{- end }}

{{- define "plaza.secretVariable" -}}
{{- if .from.existingSecret }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .from.existingSecret }}
      key: {{ .from.key }}
{{- end }}
{{- end }}
