export { nodeStats, podStats, type ContainerStats, type NodeStats, type PodStats, type Resource } from './node-stats';
export { nodeMetrics, podMetrics, type NodeMetrics, type PodMetrics } from './resource-metrics';
