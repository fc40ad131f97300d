/** The API group of usage, as metrics-server serves it. */
export const metricsGroup = 'metrics.k8s.io';
export const metricsVersion = 'v1beta1';

/** The host at which a Service says it is served when the metrics server behind it is a simulated one. */
export const simulatedMetricsHost = 'metrics-server.kubereel';
