{{- define "keyward.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "keyward.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "keyward.labels" -}}
{{ include "keyward.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The digest is not a value: `helm upgrade --reuse-values` would keep that of the previous version. */}}
{{- define "keyward.image" -}}
{{- $released := index .Chart.Annotations "keyward/image" -}}
{{- if and (not .Values.image.tag) (hasPrefix (printf "%s@" .Values.image.repository) $released) -}}
{{ $released }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Whether the data is in PostgreSQL, and not on a volume. */}}
{{- define "keyward.cluster" -}}
{{- if hasKey .Values.secrets "KEYWARD_DATABASE_URL" }}true{{ end -}}
{{- end -}}

{{- define "keyward.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "keyward.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Numbers in values are floats; whole ones would be written as 1e+06. */}}
{{- define "keyward.text" -}}
{{- if and (kindIs "float64" .) (eq (float64 .) (floor .)) }}{{ int64 . }}{{ else }}{{ toString . }}{{ end -}}
{{- end -}}

{{/* Takes a map of settings that are paths, as in the value `files`. */}}
{{- define "keyward.fileVolume" -}}
name: files
projected:
  sources:
    {{- range $name, $from := . }}
    - secret: { name: {{ $from.name | quote }}, items: [{ key: {{ $from.key | quote }}, path: {{ $name }} }] }
    {{- end }}
{{- end -}}
