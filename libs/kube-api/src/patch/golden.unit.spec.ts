import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { applyDefaults } from '../defaults';
import { releaseKinds } from '../kinds';
import { goldenPresent, goldenQuery, goldenSteps } from '../status/golden-sessions.fixture';
import type { FieldValidation } from '../decode';
import { applyPatch, patchFormatOf, readPatch } from './index';

type Loose = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any

/** What patching decides; versions, generations and the like are somebody else's. */
function content(object: Loose): string {
  const { metadata, ...rest } = object;
  const { labels, annotations, finalizers } = metadata as Loose;
  return JSON.stringify({ ...rest, metadata: { labels, annotations, finalizers } }).replaceAll('<time>', '');
}

/** Long quotations of the whole object (with fields that the recordings leave out) are compared up to their start and end. */
function shortened(status: Loose): string {
  const cut = (text: string): string => text.replace(/Invalid value: "\{.*\}": /s, 'Invalid value: "{…}": ');
  return JSON.stringify({ ...status, message: cut(status['message']), details: undefined });
}

describe.skipIf(!goldenPresent)('recorded patches', () => {
  it.each(['patch-types', 'field-validation', 'pod-update', 'node-crud', 'lease-events'])('%s', (session) => {
    const objects = new Map<string, KubeObject>();
    let checked = 0;
    for (const { step, request, response } of goldenSteps(session)) {
      const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/[^/]+\/)?([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(request.path);
      const kind = match && releaseKinds.findResource(match[1] ?? '', match[2] as string, match[3] as string);
      if (!kind?.served) continue;
      const name = match?.[4] ?? response.body?.metadata?.name;
      const key = `${kind.groupResource}/${name}`;
      const format = patchFormatOf(request.headers?.['Content-Type']);
      const current = objects.get(key);
      // A resize takes nothing but resources: not a matter of patching.
      if (
        request.method === 'PATCH' &&
        current &&
        match?.[5] !== 'resize' &&
        (format === 'json' || format === 'merge' || format === 'strategic')
      ) {
        const where = `${session} ${step}`;
        const text = typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
        const read = readPatch(format, text.replaceAll(/<time>/g, '2026-01-01T00:00:00Z'));
        const validation = goldenQuery({ request } as never)['fieldValidation'] as FieldValidation;
        const result = read.ok ? applyPatch(kind, format, timed(current), read.patch, validation) : read;
        if (!result.ok) {
          expect(shortened(result.status), where).toBe(shortened(response.body));
          checked++;
        } else if (response.status === 200) {
          expect(content(applyDefaults(kind, status(result.object, match?.[5], timed(current)))), where).toBe(
            content(timed(response.body)),
          );
          const warned = [response.headers?.['Warning'] ?? []].flat().filter((line: string) => line.includes('field'));
          expect(
            result.warnings.map((line) => `299 - ${JSON.stringify(line)}`),
            where,
          ).toEqual(warned);
          checked++;
        } else {
          // Refused later: by name, version, immutability, validation.
          expect(response.body.message, where).not.toMatch(/strict decoding|json: |unrecognized type|merge key|patch type/);
        }
      }
      if (response.status < 300 && response.body?.kind === kind.kind) objects.set(key, response.body as KubeObject);
    }
    expect(checked).toBeGreaterThan(0);
  });
});

function timed<T>(object: T): T {
  return JSON.parse(JSON.stringify(object).replaceAll(/<(?:micro)?time[^>]*>/g, '2026-01-01T00:00:00Z')) as T;
}

/** The main resource and `/status` each keep their half. */
function status(patched: KubeObject, subresource: string | undefined, current: KubeObject): KubeObject {
  if (current.status === undefined) return patched;
  if (subresource === 'status')
    return { ...patched, spec: current.spec, metadata: patched.kind === 'Deployment' ? current.metadata : patched.metadata };
  return { ...patched, status: current.status };
}
