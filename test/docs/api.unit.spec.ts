import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isSubresourceServed, releaseKinds } from '#libs/kube-api';

it('the tables of docs/api.md are what the code says; else run: npm run update:api', async () => {
  const { apiParts } = await import('../../scripts/docs/api-tables.mjs');
  const { withPart } = await import('../../scripts/docs/generated-page.mjs');
  const page = readFileSync(join(__dirname, '../../docs/api.md'), 'utf8');
  const parts = apiParts({ releaseKinds, isSubresourceServed });
  for (const [name, part] of Object.entries(parts)) expect(withPart(page, name, part), name).toBe(page);
  expect(Object.keys(parts)).toHaveLength(3);
});
