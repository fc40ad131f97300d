import { expect, it } from 'vitest';
import { serversOwn } from '#libs/audit';
import { defaultObjects } from '../../apps/apiserver/src/bootstrap/default-objects';

it('verify knows each object that the API server makes of itself, and no other', () => {
  const made = defaultObjects(0, {}).map(
    ({ resource, object: { metadata } }) => `${resource}/${metadata.namespace ?? ''}/${metadata.name}`,
  );
  expect([...serversOwn].sort()).toEqual(made.sort());
});
