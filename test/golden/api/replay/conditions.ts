// Answers under which the conditions of the recorded set-ups hold, for the replay server.
import type { Condition } from './server';

const ok = (body: unknown): Condition => ({ status: 200, body });

export const conditions: ReadonlyMap<string, Condition> = new Map<string, Condition>([
  ['status==200', ok({})],
  ["len(j['items'])==1", ok({ items: [1] })],
  ["j.get('code') == 404", { status: 404, body: { code: 404 } }],
  ["j['kind'] == 'ConfigMap'", ok({ kind: 'ConfigMap' })],
  ["j['kind'] == 'ServiceAccount'", ok({ kind: 'ServiceAccount' })],
  ["not j['spec'].get('taints')", ok({ spec: {} })],
  ["j['status'].get('conditions')", ok({ status: { conditions: [1] } })],
  ["j['status'].get('nominatedNodeName')", ok({ status: { nominatedNodeName: 'n' } })],
  ["j['spec'].get('nodeName')", ok({ spec: { nodeName: 'n' } })],
  ["'hard' in j['status']", ok({ status: { hard: 1 } })],
  ["j['status']['used']['pods'] == '1'", ok({ status: { used: { pods: '1' } } })],
  ["j['status'].get('availableReplicas') == 3", ok({ status: { availableReplicas: 3 } })],
  ["j['status'].get('currentHealthy') == 3", ok({ status: { currentHealthy: 3 } })],
  ["j['status'].get('disruptionsAllowed') == 1 and (not j['status'].get('disruptedPods'))", ok({ status: { disruptionsAllowed: 1 } })],
  [
    "len(j['items']) == 3 and all((p['spec'].get('nodeName') for p in j['items']))",
    ok({ items: [1, 2, 3].map(() => ({ spec: { nodeName: 'n' } })) }),
  ],
  [
    "sum((1 for p in j['items'] if not p['metadata'].get('deletionTimestamp'))) == 1",
    ok({ items: [{ metadata: {} }, { metadata: { deletionTimestamp: 'x' } }] }),
  ],
  [
    "any((c['type'] == 'NamespaceFinalizersRemaining' and c['status'] == 'True' for c in j['status'].get('conditions', [])))",
    ok({ status: { conditions: [{ type: 'NamespaceFinalizersRemaining', status: 'True' }] } }),
  ],
]);
