import { describe, expect, it } from 'vitest';
import { discoveryOf, localApiServices, releaseKinds } from '#libs/kube-api';
import type { KubeObject } from '#libs/kernel';
import { mergedDiscovery } from './merged-discovery';
import { remoteOf } from './remote-groups';

const local = discoveryOf(releaseKinds.all);
const registered = (group: string, version: string, groupPriorityMinimum: number, versionPriority: number): KubeObject =>
  ({
    metadata: { name: `${version}.${group}` },
    spec: { group, version, groupPriorityMinimum, versionPriority, service: { namespace: 'a', name: 'b' } },
  }) as unknown as KubeObject;

function merged(...services: KubeObject[]) {
  return mergedDiscovery({
    local,
    remotes: remoteOf(services).values(),
    find: (name) => localApiServices().find(({ metadata }) => metadata.name === name),
    discovered: () => ({ resources: [], freshness: 'Current' }),
  });
}

const versionsOf = (group: string, ...services: KubeObject[]): string[] =>
  (merged(...services).apiGroup(group) as { versions: { version: string }[] }).versions.map(({ version }) => version);

describe('what all servers together have to serve', () => {
  it('is what this server has where no other has anything, in the same order', () => {
    expect(merged().apiGroupList()).toEqual(local.apiGroupList());
    expect(merged().aggregated('/apis')).toEqual(local.aggregated('/apis'));
    expect(merged().rootPaths()).toEqual(local.rootPaths());
  });

  it('stands in the order of the priorities, groups of one priority in that of their names', () => {
    const { groups } = merged(
      registered('zeta.io', 'v1', 16_700, 1),
      registered('alpha.io', 'v1', 16_700, 1),
      registered('top.io', 'v1', 20_000, 1),
    );
    expect(groups.slice(0, 2)).toEqual(['apiregistration.k8s.io', 'top.io']);
    const from = groups.indexOf('admissionregistration.k8s.io');
    expect(groups.slice(from, from + 4)).toEqual(['admissionregistration.k8s.io', 'alpha.io', 'apiextensions.k8s.io', 'zeta.io']);
  });

  it('has versions by their priorities, those of one priority as Kubernetes orders versions', () => {
    const group = 'example.io';
    const services = [registered(group, 'v1beta1', 100, 10), registered(group, 'v2', 100, 10), registered(group, 'v1', 100, 20)];
    expect(versionsOf(group, ...services)).toEqual(['v1', 'v2', 'v1beta1']);
  });

  it('has a version from the other server where both have it', () => {
    const { items } = merged(registered('batch', 'v1', 17_400, 15)).aggregated('/apis') as {
      items: { metadata: { name: string }; versions: { version: string; resources: unknown[] }[] }[];
    };
    expect(items.find(({ metadata }) => metadata.name === 'batch')?.versions).toEqual([
      { version: 'v1', resources: [], freshness: 'Current' },
    ]);
  });
});
