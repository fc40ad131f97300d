import type { NodeStats } from '#libs/kubelet';
import { labelled } from '../metrics/exposition';

type Labels = Readonly<Record<string, string>>;

interface Metric {
  type: 'counter' | 'gauge';
  help: string;
  /** Each sample carries the moment at which it was measured. */
  isTimed: boolean;
  samples: [labels: string, value: number][];
}

const nsPerSecond = 1e9;

/** What a kubelet answers at `/metrics/resource`: what a metrics server asks it. @param at cluster time, ms */
export function resourceMetricsText({ pods, memory }: NodeStats, at: number): string {
  const metrics = new Map<string, Metric>();
  const describe = (name: string, type: Metric['type'], stability: string, help: string, isTimed = true): void =>
    void metrics.set(name, { type, help: `[${stability}] ${help}`, isTimed, samples: [] });
  const add = (name: string, value: number, labels?: Labels): void =>
    void metrics.get(name)?.samples.push([labels ? labelled(labels) : '', value]);
  const cpu = (of: string): string => `Cumulative cpu time consumed by the ${of} in core-seconds`;
  const workingSet = (of: string): string => `Current working set of the ${of} in bytes`;
  describe('container_cpu_usage_seconds_total', 'counter', 'STABLE', cpu('container'));
  describe('container_memory_working_set_bytes', 'gauge', 'STABLE', workingSet('container'));
  describe('container_start_time_seconds', 'gauge', 'STABLE', 'Start time of the container since unix epoch in seconds', false);
  describe('node_cpu_usage_seconds_total', 'counter', 'STABLE', cpu('node'));
  describe('node_memory_working_set_bytes', 'gauge', 'STABLE', workingSet('node'));
  describe('pod_cpu_usage_seconds_total', 'counter', 'STABLE', cpu('pod'));
  describe('pod_memory_working_set_bytes', 'gauge', 'STABLE', workingSet('pod'));
  const scraped = '1 if there was an error while getting container metrics, 0 otherwise';
  describe('resource_scrape_error', 'gauge', 'STABLE', scraped, false);
  let ofNode = 0;
  for (const { pod, containers, memory: ofPod } of pods) {
    if (containers.length === 0) continue;
    const { name, namespace = '' } = pod.metadata;
    let ofContainers = 0;
    for (const container of containers) {
      const labels = { container: container.name, namespace, pod: name };
      ofContainers += container.cpuTimeNs(at);
      add('container_cpu_usage_seconds_total', container.cpuTimeNs(at) / nsPerSecond, labels);
      add('container_memory_working_set_bytes', container.memory(at), labels);
      add('container_start_time_seconds', container.startedAt / 1_000, labels);
    }
    ofNode += ofContainers;
    add('pod_cpu_usage_seconds_total', ofContainers / nsPerSecond, { namespace, pod: name });
    add('pod_memory_working_set_bytes', ofPod(at), { namespace, pod: name });
  }
  add('node_cpu_usage_seconds_total', ofNode / nsPerSecond);
  add('node_memory_working_set_bytes', memory.used(at));
  add('resource_scrape_error', 0);
  return [...metrics].map(([name, metric]) => metricText(name, metric, at)).join('');
}

function metricText(name: string, { type, help, isTimed, samples }: Metric, at: number): string {
  if (samples.length === 0) return '';
  const time = isTimed ? ` ${at}` : '';
  const lines = samples.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([labels, value]) => `${name}${labels} ${value}${time}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
