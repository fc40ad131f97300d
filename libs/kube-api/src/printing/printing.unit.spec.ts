import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../defaults';
import { releaseKinds } from '../kinds';
import { isFailure } from '../status';
import { goldenPresent, goldenQuery, goldenSteps } from '../status/golden-sessions.fixture';
import type { GoldenStep } from '../status/golden-sessions.fixture';
import { scaleOf } from '../strategy';
import { ageOf, humanDuration } from './age';
import { columnsOf } from './columns';
import { partialObject, partialObjectList, printObjectTable, printTable, readIncludeObject, scalePrinting } from './table';
import type { IncludeObject, PrintedKind, Table } from './table';

const kindOf = (name: string) => releaseKinds.kindOf(name);

const now = Date.parse('2026-01-01T00:00:00Z');
const created = '2026-01-01T00:00:00Z';

function object(name: string, fields: Partial<KubeObject> = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { ...fields, metadata: { name, namespace: 'n', uid: 'u', resourceVersion: '5', creationTimestamp: created, ...metadata } };
}

/** A resource by name, or `scale`. */
const printed = (resource: string): PrintedKind => (resource === 'scale' ? scalePrinting : kindOf(resource));

function cells(resource: string, of: KubeObject, at = now): unknown[] {
  return printObjectTable(printed(resource), of, { now: at, includeObject: 'None' }).rows[0]?.cells ?? [];
}

describe('ages', () => {
  it('grow coarser', () => {
    const second = 1000;
    const [minute, hour, day] = [60 * second, 3600 * second, 86400 * second];
    const cases: [number, string][] = [
      [-2 * second, '<invalid>'],
      [-second, '0s'],
      [119 * second, '119s'],
      [2 * minute, '2m'],
      [3 * minute + 5 * second, '3m5s'],
      [42 * minute, '42m'],
      [3 * hour, '3h'],
      [5 * hour + 12 * minute, '5h12m'],
      [30 * hour, '30h'],
      [3 * day + 4 * hour, '3d4h'],
      [3 * day, '3d'],
      [400 * day, '400d'],
      [3 * 365 * day + 12 * day, '3y12d'],
      [9 * 365 * day, '9y'],
    ];
    for (const [ms, text] of cases) expect(humanDuration(ms), text).toBe(text);
    expect(ageOf(undefined, now)).toBe('<unknown>');
    expect(ageOf('2025-12-31T23:59:50Z', now)).toBe('10s');
  });
});

describe('tables', () => {
  it('have as many cells as columns, also for an object that is all but empty', () => {
    const resources = [
      'pods',
      'nodes',
      'namespaces',
      'configmaps',
      'secrets',
      'services',
      'serviceaccounts',
      'events',
      'events.events.k8s.io',
    ];
    const grouped = [
      'deployments.apps',
      'replicasets.apps',
      'poddisruptionbudgets.policy',
      'priorityclasses.scheduling.k8s.io',
      'leases.coordination.k8s.io',
    ];
    for (const resource of [...resources, ...grouped, 'scale', 'roles.rbac.authorization.k8s.io']) {
      const table = printObjectTable(printed(resource), { metadata: {} } as KubeObject, { now });
      expect(table.rows[0]?.cells, resource).toHaveLength(table.columnDefinitions?.length ?? -1);
    }
  });

  it('of no kind have more columns than cells, or fewer', () => {
    for (const kind of releaseKinds.all) {
      const { columnDefinitions, rows } = printObjectTable(kind, { metadata: {} } as KubeObject, { now });
      // As the real one answers: the parent of an address is a cell without a column.
      const more = kind.groupResource === 'ipaddresses.networking.k8s.io' ? 1 : 0;
      expect(rows[0]?.cells, kind.groupResource).toHaveLength((columnDefinitions?.length ?? -1) + more);
    }
  });

  it('show a bookmark as a row of empty cells', () => {
    const bookmark = { metadata: { resourceVersion: '9' } } as KubeObject;
    expect(cells('pods', bookmark)).toEqual(['', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>']);
  });

  it('carry the header in the first frame only', () => {
    expect(printObjectTable(kindOf('pods'), object('p'), { now, header: false }).columnDefinitions).toBeNull();
    expect(printObjectTable(kindOf('pods'), object('p'), { now }).columnDefinitions).toBe(columnsOf('pods'));
  });

  it('carry as much of the object as is asked for', () => {
    const pod = object('p', { spec: {} });
    const shown = (includeObject?: IncludeObject) => printTable(kindOf('pods'), [pod], {}, { now, includeObject }).rows[0]?.object;
    expect(shown('None')).toBeNull();
    expect(shown()).toEqual(partialObject(pod));
    expect(Object.keys(shown('Object') ?? {})).toEqual(['kind', 'apiVersion', 'spec', 'metadata']);
    expect(readIncludeObject(undefined)).toBe('Metadata');
    expect(isFailure(readIncludeObject('Nope'))).toBe(true);
  });

  it('write an empty metadata list as null', () => {
    expect(partialObjectList([], { resourceVersion: '1' })).toMatchObject({ kind: 'PartialObjectMetadataList', items: null });
    expect(partialObjectList([object('a')], {}).items).toHaveLength(1);
  });
});

describe('rows', () => {
  it('of services name addresses and ports', () => {
    const service = (spec: object, status = {}) =>
      cells('services', object('s', { spec: { clusterIPs: ['10.0.0.1'], ...spec }, status })).slice(2, 5);
    expect(
      service({
        type: 'LoadBalancer',
        ports: [
          { port: 80, nodePort: 30080, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      }),
    ).toEqual(['10.0.0.1', '<pending>', '80:30080/TCP,53/UDP']);
    const ingress = { loadBalancer: { ingress: [{ ip: '2.2.2.2' }, { hostname: 'a.b' }] } };
    expect(service({ type: 'LoadBalancer', externalIPs: ['1.1.1.1'] }, ingress)).toEqual(['10.0.0.1', '2.2.2.2,a.b,1.1.1.1', '<none>']);
    expect(service({ type: 'ExternalName', externalName: 'x.y', clusterIPs: undefined })).toEqual(['<none>', 'x.y', '<none>']);
  });

  it('of kinds without columns name and date them', () => {
    expect(cells('roles.rbac.authorization.k8s.io', object('r'))).toEqual(['r', created]);
    expect(cells('scale', scaleOf(object('d', { spec: { replicas: 3 }, status: { replicas: 2 } })))).toEqual(['d', 3, 2, '0s']);
  });

  it('of pods count open readiness gates', () => {
    const pod = object('p', {
      spec: { containers: [{}], readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] },
      status: { phase: 'Running', conditions: [{ type: 'a', status: 'True' }] },
    });
    expect(cells('pods', pod).at(-1)).toBe('1/2');
  });

  it('of pods on a lost node are unknown', () => {
    const lost = object('p', { spec: {}, status: { phase: 'Running', reason: 'NodeLost' } }, { deletionTimestamp: created });
    expect(cells('pods', lost)[2]).toBe('Unknown');
  });
});

/** Ages and allocated addresses differ from recording to recording. */
function comparable(table: unknown): unknown {
  return JSON.parse(
    JSON.stringify(table)
      .replaceAll(/"\d+[smhdy](\d+[smhd])?"/g, '"<age>"')
      .replaceAll(/\(\d+[smhdy](\d+[smhd])? ago\)/g, '(<age> ago)')
      .replaceAll('<time>', created),
  );
}

function targetOf(path: string): { resource: string; name?: string; collection: boolean } | undefined {
  const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/([^/]+)\/)?([a-z]+)(?:\/([^/]+))?(\/scale)?$/.exec(path);
  const kind = match && releaseKinds.findResource(match[1] ?? '', match[2] ?? '', match[4] ?? '');
  if (!match || !kind?.served) return undefined;
  return { resource: match[6] ? 'scale' : kind.groupResource, name: match[5], collection: !match[5] };
}

describe.skipIf(!goldenPresent)('recorded tables', () => {
  it('of pods in every state have the same cells, columns and conditions', () => {
    let compared = 0;
    for (const step of goldenSteps('tables-pods')) {
      const recorded: Table = step.response.body;
      if (recorded.kind !== 'Table' || goldenQuery(step).includeObject !== 'Object') continue;
      const pods = recorded.rows.map((row) => JSON.parse(JSON.stringify(row.object).replaceAll('<time>', created)) as KubeObject);
      const includeObject = goldenQuery(step).includeObject as IncludeObject;
      expect(comparable(printTable(kindOf('pods'), pods, recorded.metadata, { now, includeObject })), `step ${step.step}`).toEqual(
        comparable(recorded),
      );
      compared += pods.length;
    }
    expect(compared).toBeGreaterThan(20);
  });

  it('of every served kind have the same columns', () => {
    let compared = 0;
    for (const session of ['tables-kinds', 'tables-pods', 'node-crud', 'deployment-live']) {
      for (const step of goldenSteps(session)) {
        const target = targetOf(step.request.path);
        if (step.response.body?.kind !== 'Table' || !target) continue;
        const table = printTable(printed(target.resource), [], {}, { now });
        expect(table.columnDefinitions, `${session} ${step.step}`).toEqual(step.response.body.columnDefinitions);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(30);
  });

  it('of what the set-up of tables-kinds made have the same cells', () => {
    const rows = (step: GoldenStep) => (step.response.body as Table).rows.map((row) => row.cells);
    const steps = new Map(goldenSteps('tables-kinds').map((step) => [targetOf(step.request.path)?.resource ?? '', step]));
    const same = (resource: string, ...objects: KubeObject[]) => {
      const step = steps.get(resource) as GoldenStep;
      expect(comparable(printTable(kindOf(resource), objects, {}, { now }).rows.map((row) => row.cells)), resource).toEqual(
        comparable(rows(step)),
      );
    };
    const template = {
      metadata: { labels: { app: 'shop' } },
      spec: {
        containers: [
          { name: 'a', image: 'x:1' },
          { name: 'b', image: 'y:2' },
        ],
      },
    };
    const selector = { matchLabels: { app: 'shop' } };
    same(
      'deployments.apps',
      object('shop', { spec: { replicas: 3, selector, template }, status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 } }),
    );
    same('replicasets.apps', object('shop', { spec: { replicas: 2, selector, template }, status: { replicas: 2, readyReplicas: 1 } }));
    same('poddisruptionbudgets.policy', object('shop', { spec: { minAvailable: '50%', selector }, status: { disruptionsAllowed: 1 } }));
    same('leases.coordination.k8s.io', object('shop', { spec: { holderIdentity: 'me' } }));
    same('secrets', object('shop', { type: 'Opaque', data: { k: 'eA==' } }));
    same('configmaps', object('shop', { data: { a: '1', b: '2' } }));
    same('serviceaccounts', object('default'));
    const kind = releaseKinds.findResource('', 'v1', 'nodes');
    const node = (name: string, metadata: object, spec: object, status: object) =>
      applyDefaults(kind as NonNullable<typeof kind>, object(name, { kind: 'Node', apiVersion: 'v1', spec, status }, metadata));
    const info = { kubeletVersion: 'v1.34.4' };
    const full = { ...info, osImage: 'TestOS', kernelVersion: '6.1', containerRuntimeVersion: 'fake://1' };
    const addresses = [
      { type: 'InternalIP', address: '10.9.0.1' },
      { type: 'ExternalIP', address: '8.8.8.8' },
    ];
    const roles = { 'node-role.kubernetes.io/control-plane': '', 'node-role.kubernetes.io/worker': '' };
    same(
      'nodes',
      node('shop-n0', { labels: roles }, {}, { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: full, addresses }),
      node('shop-n1', {}, { unschedulable: true }, { conditions: [{ type: 'Ready', status: 'False' }], nodeInfo: info }),
      node('shop-n2', { labels: { 'kubernetes.io/role': 'old' } }, {}, { nodeInfo: info }),
    );
    const event = {
      involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec.containers{c}' },
      reason: 'Pulled',
      message: ' done\n',
      type: 'Normal',
      source: { component: 'kubelet', host: 'n1' },
      count: 3,
      firstTimestamp: '2020-01-01T00:00:00Z',
      lastTimestamp: '2020-01-01T00:00:00Z',
    };
    const newer = {
      involvedObject: { kind: 'Node', name: 'n1' },
      reason: 'R',
      message: 'N',
      type: 'Warning',
      action: 'A',
      reportingComponent: 'example.com/c',
      reportingInstance: 'i-1',
      eventTime: '2026-01-01T00:00:00.000000Z',
    };
    same('events', object('e1', event), object('e2', newer));
    same(
      'priorityclasses.scheduling.k8s.io',
      ...[2000000000, 2000001000].map((value, index) =>
        object(index === 0 ? 'system-cluster-critical' : 'system-node-critical', { value, preemptionPolicy: 'PreemptLowerPriority' }),
      ),
    );
  });
});
