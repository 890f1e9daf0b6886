{{/* The pod of both kinds of database. */}}
{{- define "plaza.pod" -}}
{{- $host := .Values.host }}
metadata:
  labels:
    {{- include "plaza.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "plaza.serviceAccount" . }}
  automountServiceAccountToken: false
  # Variables for a service named plaza would look like settings.
  enableServiceLinks: false
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  terminationGracePeriodSeconds: {{ add .Values.stop.preStopSeconds .Values.stop.lameDuckSeconds .Values.stop.drainSeconds 15 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: plaza
      image: {{ include "plaza.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      ports:
        - name: http
          containerPort: 8080
        - name: health
          containerPort: 8081
      env:
        - name: PLAZA_HOST
          value: {{ $host | quote }}
        - name: PLAZA_HEALTH_LISTEN
          value: {{ ternary (printf "[%s]:8081" $host) (printf "%s:8081" $host) (contains ":" $host) | quote }}
        - name: PLAZA_LAME_DUCK_MS
          value: {{ printf "%ds" (int .Values.stop.lameDuckSeconds) | quote }}
        - name: PLAZA_DRAIN_MS
          value: {{ printf "%ds" (int .Values.stop.drainSeconds) | quote }}
        {{- if eq .Values.database.kind "postgres" }}
        - name: PLAZA_DATABASE
          valueFrom:
            secretKeyRef:
              name: {{ .Values.database.existingSecret }}
              key: {{ .Values.database.existingSecretKey }}
        {{- end }}
        {{- with .Values.publicUrl }}
        - name: PLAZA_PUBLIC_URL
          value: {{ . | quote }}
        {{- end }}
        {{- if .Values.catalog.existingConfigMap }}
        - name: PLAZA_CATALOG
          value: /etc/plaza/{{ .Values.catalog.key }}
        {{- end }}
        {{- include "plaza.secretVariable" (dict "name" "PLAZA_SECRET_KEY" "from" .Values.secrets.secretKey) | nindent 8 }}
        {{- include "plaza.secretVariable" (dict "name" "PLAZA_OPERATOR_TOKEN" "from" .Values.secrets.operatorToken) | nindent 8 }}
        {{- include "plaza.secretVariable" (dict "name" "PLAZA_METRICS_TOKEN" "from" .Values.secrets.metricsToken) | nindent 8 }}
        {{- include "plaza.secretVariable" (dict "name" "PLAZA_OIDC_CLIENT_SECRET" "from" .Values.secrets.oidcClientSecret) | nindent 8 }}
        {{- range $name, $value := .Values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .Values.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      # Answered by a thread of its own, at once however busy the process is.
      startupProbe:
        httpGet: { path: /readyz, port: health }
        periodSeconds: 1
        failureThreshold: 120
      readinessProbe:
        httpGet: { path: /readyz, port: health }
        periodSeconds: 2
        failureThreshold: 1
      livenessProbe:
        httpGet: { path: /healthz, port: health }
        periodSeconds: 5
        failureThreshold: 3
      {{- if and (gt (int .Values.stop.preStopSeconds) 0) (semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version) }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ .Values.stop.preStopSeconds }}
      {{- end }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- if .Values.catalog.existingConfigMap }}
        - name: catalog
          mountPath: /etc/plaza
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.database.kind "postgres" }}
    # The journal: what PostgreSQL did not take yet. It outlives the container, not the pod.
    - name: data
      emptyDir: {}
    {{- end }}
    {{- if .Values.catalog.existingConfigMap }}
    - name: catalog
      configMap:
        name: {{ .Values.catalog.existingConfigMap }}
    {{- end }}
  topologySpreadConstraints:
    {{- if .Values.topologySpreadConstraints }}
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "plaza.selector" . | nindent 10 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
