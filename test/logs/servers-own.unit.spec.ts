import { expect, it } from 'vitest';
import { isServersOwn, serversOwn } from '#libs/audit';
import { policyObjects } from '#libs/kube-api';
import { defaultObjects } from '../../apps/apiserver/src/bootstrap/default-objects';
import { registered } from '../../apps/apiserver/src/metrics-server/register-metrics-server';

it('verify knows each object that the API server makes of itself, and no other', () => {
  const made = defaultObjects(0, { host: 'a', address: '192.0.2.1' }).map(
    ({ resource, object: { metadata } }) => `${resource}/${metadata.namespace ?? ''}/${metadata.name}`,
  );
  expect(made.filter((place) => !isServersOwn(place))).toEqual([]);
  const ofPolicy = policyObjects().map(({ resource, object: { metadata } }) => `${resource}/${metadata.namespace ?? ''}/${metadata.name}`);
  expect(ofPolicy).toHaveLength(131);
  expect(ofPolicy.filter((place) => !isServersOwn(place))).toEqual([]);
  const ofMetrics = registered.map(({ resource, object }) => {
    const { namespace = '', name } = (object as { metadata: { namespace?: string; name: string } }).metadata;
    return `${resource}/${namespace}/${name}`;
  });
  expect(ofMetrics.filter((place) => !isServersOwn(place))).toEqual([]);
  expect(isServersOwn('clusterroles.rbac.authorization.k8s.io//anything-else')).toBe(false);
  expect([...serversOwn].filter((place) => !made.includes(place))).toEqual([]);
});
