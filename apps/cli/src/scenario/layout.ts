import type { JsonObject, KubeObject } from '#libs/kernel';

/**
 * Where the pods are, a column a node and one for those without:
 *
 *     node-1 (cordoned)   node-2            no node
 *     a    terminating    b   available     e   pending
 */
export function nodeLayout(nodes: readonly KubeObject[], pods: readonly KubeObject[]): string[] {
  const columns = nodes.map((node) => ({
    title: `${node.metadata.name}${node.spec?.unschedulable ? ' (cordoned)' : ''}`,
    cells: cellsOf(pods.filter(({ spec }) => spec?.nodeName === node.metadata.name)),
  }));
  const without = cellsOf(pods.filter(({ spec }) => !spec?.nodeName));
  if (without.length > 0) columns.push({ title: 'no node', cells: without });
  const height = Math.max(...columns.map(({ cells }) => cells.length));
  const widths = columns.map(({ title, cells }) => Math.max(title.length, ...cells.map((cell) => cell.length)));
  const row = (texts: readonly string[]): string =>
    texts
      .map((text, index) => text.padEnd(widths[index] as number))
      .join('   ')
      .trimEnd();
  return [
    row(columns.map(({ title }) => title)),
    ...Array.from({ length: height }, (_, line) => row(columns.map(({ cells }) => cells[line] ?? ''))),
  ];
}

function cellsOf(pods: readonly KubeObject[]): string[] {
  const names = pods.map(layoutName);
  const width = Math.max(0, ...names.map((name) => name.length));
  return pods.map((pod, index) => `${(names[index] as string).padEnd(width)}  ${podState(pod)}`);
}

/** Columns are narrow: the hash of the template that a ReplicaSet's pods bear in their names is left out. */
function layoutName({ metadata }: KubeObject): string {
  const hash = metadata.labels?.['pod-template-hash'];
  return hash === undefined ? metadata.name : metadata.name.replace(`-${hash}-`, '-…-');
}

/** In the words of the disruptions guide. */
export function podState(pod: KubeObject): string {
  const { metadata, spec, status } = pod;
  if (metadata.deletionTimestamp) return 'terminating';
  if (!spec?.nodeName) return status?.nominatedNodeName ? `pending, nominated to ${status.nominatedNodeName}` : 'pending';
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return status.phase.toLowerCase();
  const ready = ((status?.conditions ?? []) as JsonObject[]).some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return ready ? 'available' : 'starting';
}

/** Columns, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('   ')
      .trimEnd(),
  );
}

/** Pods one a line, with what preemption is about. */
export function podTable(pods: readonly KubeObject[]): string[] {
  const rows = pods.map((pod) => [pod.metadata.name, String(pod.spec?.priority ?? 0), podState(pod), pod.spec?.nodeName ?? 'none']);
  return table([['NAME', 'PRIORITY', 'STATE', 'NODE'], ...rows]);
}
