import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeObject } from '../decode';
import { releaseKinds } from '../kinds';
import { goldenPath, goldenPresent, goldenSteps } from '../status/golden-sessions.fixture';
import { applyDefaults } from './apply-defaults';

const folder = goldenPath('.');
const sessions = goldenPresent
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl') && !/^(kubectl|protobuf|gone|webhooks)/.test(name))
      .map((name) => name.slice(0, -6))
  : [];

type Loose = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any

/** A LimitRange is in force there: container resources are admission's. */
const limited = new Set(['quota']);
const systemTolerations = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);

/** What admission and creation add to an object, which defaulting does not. */
function withoutAdmission(object: Loose, session: string): Loose {
  const { metadata: _, status: __, kind, apiVersion, ...rest } = structuredClone(object);
  if (kind === 'Pod') {
    const { spec } = rest as { spec: Loose };
    for (const key of ['serviceAccountName', 'serviceAccount', 'priority', 'preemptionPolicy', 'priorityClassName', 'nodeName'])
      delete spec[key];
    const outside = (name: string): boolean => !name.startsWith('kube-api-access');
    spec['volumes'] = (spec['volumes'] ?? []).filter((volume: Loose) => outside(volume['name']));
    for (const container of [...(spec['containers'] ?? []), ...(spec['initContainers'] ?? [])]) {
      container.volumeMounts = (container.volumeMounts ?? []).filter((mount: Loose) => outside(mount['name']));
      if (limited.has(session)) delete container.resources;
      if (container.volumeMounts.length === 0) delete container.volumeMounts;
    }
    spec['tolerations'] = (spec['tolerations'] ?? []).filter((toleration: Loose) => !systemTolerations.has(toleration['key']));
    for (const key of ['volumes', 'tolerations']) if (spec[key].length === 0) delete spec[key];
  }
  if (kind === 'Service')
    for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'healthCheckNodePort']) delete rest['spec'][key];
  if (kind === 'Service') for (const port of rest['spec']['ports'] ?? []) delete port['nodePort'];
  if (kind === 'Job') {
    delete rest['spec'].selector;
    const labels = rest['spec'].template.metadata?.labels ?? {};
    for (const key of Object.keys(labels)) if (/(controller-uid|job-name)$/.test(key)) delete labels[key];
  }
  if (kind === 'Namespace') delete rest['spec'];
  if (kind === 'Node') delete rest['spec']['taints'];
  return { apiVersion, kind, ...rest };
}

describe.skipIf(!goldenPresent)('recorded creations', () => {
  it.each(sessions)('%s: are defaulted as the API server did', (session) => {
    for (const { request, response, step } of goldenSteps(session)) {
      const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/[^/]+\/)?([a-z]+)$/.exec(request.path);
      const kind = match && releaseKinds.findResource(match[1] ?? '', match[2] as string, match[3] as string);
      if (request.method !== 'POST' || response.status !== 201 || !kind || !kind.served || !request.body?.kind) continue;
      if (response.body?.kind !== kind.kind) continue;
      // Its answer leaves the question out.
      if (kind.kind === 'SelfSubjectRulesReview') continue;
      const time = (text: string): string =>
        text.replaceAll(/<microtime>/g, '2026-01-01T00:00:00.000000Z').replaceAll(/<time[^>]*>/g, '2026-01-01T00:00:00Z');
      const decoded = decodeObject(kind, time(JSON.stringify(request.body)));
      const where = `${session} ${step}`;
      expect(decoded.ok, where).toBe(true);
      if (!decoded.ok) continue;
      const made = applyDefaults(kind, decoded.object);
      const expected = JSON.parse(time(JSON.stringify(response.body))) as Loose;
      expect(JSON.stringify(withoutAdmission(made, session)), where).toBe(JSON.stringify(withoutAdmission(expected, session)));
      expect(JSON.stringify(applyDefaults(kind, made)), where).toBe(JSON.stringify(made));
    }
  });
});
