import { foldLog } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import { kindsOf, printTable } from '#libs/kube-api';
import { table } from '../scenario/layout';
import { simulatedClusterName } from '../simulation/simulated-cluster';

/** The pods of namespace `default` at a position of the log, as `kubectl get pods` would show them then. */
export async function podsAt(log: EventLog, position: number): Promise<string[]> {
  const state = await foldLog(log, simulatedClusterName, { until: position });
  const { columnDefinitions, rows } = printTable(
    kindsOf(state).kindOf('pods'),
    [...state.list('pods', 'default')],
    {},
    { now: state.time, includeObject: 'None' },
  );
  const shown = (columnDefinitions ?? []).map(({ priority }) => priority === 0);
  const header = (columnDefinitions ?? []).map(({ name }) => name.toUpperCase());
  const ofShown = (cells: readonly unknown[]): string[] => cells.filter((_, column) => shown[column]).map(String);
  return table([ofShown(header), ...rows.map(({ cells }) => ofShown(cells))]);
}
