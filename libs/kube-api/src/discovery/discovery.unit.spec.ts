import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { releaseKinds } from '../kinds';
import { goldenPath, goldenPresent, goldenSteps } from '../status/golden-sessions.fixture';
import { discoveryOf, versionInfo } from './index';

type Loose = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any

const recorded = (name: string): string => JSON.stringify(JSON.parse(readFileSync(goldenPath(`openapi/${name}`), 'utf8')));

describe.skipIf(!goldenPresent)('discovery of the whole release', () => {
  const discovery = discoveryOf(releaseKinds.all, { includeUnserved: true });

  it('is the recorded one, aggregated', () => {
    expect(JSON.stringify(discovery.aggregated('/api'))).toBe(recorded('discovery-api.json'));
    expect(JSON.stringify(discovery.aggregated('/apis'))).toBe(recorded('discovery-apis.json'));
  });

  it('is the recorded one, by group and version', () => {
    let checked = 0;
    for (const { request, response, step } of goldenSteps('discovery-legacy')) {
      const [, root, group = '', version = ''] = request.path.replace(/\/$/, '').split('/');
      const made =
        root === 'api'
          ? group === ''
            ? discovery.apiVersions('<server>')
            : discovery.apiResourceList('', group)
          : root !== 'apis'
            ? undefined
            : group === ''
              ? discovery.apiGroupList()
              : version === ''
                ? discovery.apiGroup(group)
                : discovery.apiResourceList(group, version);
      if (response.status === 200 && root !== undefined && root.startsWith('api')) {
        expect(JSON.stringify(made), `step ${step}`).toBe(JSON.stringify(response.body));
        checked++;
      } else expect(made, `step ${step}`).toBeUndefined();
      if (step === 22) break;
    }
    expect(checked).toBeGreaterThan(14);
  });

  it('tells the version in the recorded fields', () => {
    const [step] = goldenSteps('discovery-legacy');
    expect(Object.keys(versionInfo())).toEqual(Object.keys(step?.response.body as object));
    expect(versionInfo()).toMatchObject({ major: '1', minor: '34', gitVersion: 'v1.34.4', minCompatibilityMinor: '33' });
  });
});

describe('discovery of what is served', () => {
  const discovery = discoveryOf(releaseKinds.all);

  it('has no group, kind or subresource that is not', () => {
    const served = releaseKinds.all.filter((kind) => kind.served && kind.group !== '').map(({ group }) => group);
    expect(discovery.groups).toEqual([...new Set(served)]);
    expect(discovery.apiGroup('example.com')).toBeUndefined();
    expect(discovery.apiGroup('autoscaling')).toMatchObject({
      versions: [{ version: 'v2' }, { version: 'v1' }],
      preferredVersion: { version: 'v2' },
    });
    expect(discovery.apiGroup('')).toBeUndefined();
    expect(discovery.hasGroup('')).toBe(true);
    const names = (discovery.apiResourceList('', 'v1') as Loose)['resources'].map((resource: Loose) => resource['name']);
    expect(names).toContain('pods/eviction');
    expect(names).toContain('serviceaccounts/token');
    expect(names).toContain('pods/proxy');
    expect(names).toContain('persistentvolumes/status');
    expect(names).toContain('componentstatuses');
  });

  it('lists its paths sorted', () => {
    const { paths } = discovery.rootPaths(['/console']) as { paths: string[] };
    expect(paths).toContain('/apis/apps/v1');
    expect(paths).toContain('/console');
    expect(paths).toEqual([...paths].sort());
  });
});
