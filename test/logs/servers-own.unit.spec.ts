import { expect, it } from 'vitest';
import { isServersOwn, serversOwn } from '#libs/audit';
import { defaultObjects } from '../../apps/apiserver/src/bootstrap/default-objects';

it('verify knows each object that the API server makes of itself, and no other', () => {
  const made = defaultObjects(0, { host: 'a', address: '192.0.2.1' }).map(
    ({ resource, object: { metadata } }) => `${resource}/${metadata.namespace ?? ''}/${metadata.name}`,
  );
  expect(made.filter((place) => !isServersOwn(place))).toEqual([]);
  expect([...serversOwn].filter((place) => !made.includes(place))).toEqual([]);
});
