import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clients } from '../clients/clients';

it('the tables of docs/clients.md are what the tests of clients try; else run: npm run update:clients', async () => {
  const { clientParts } = await import('../../scripts/docs/clients-page.mjs');
  const { withPart } = await import('../../scripts/docs/generated-page.mjs');
  const page = readFileSync(join(__dirname, '../../docs/clients.md'), 'utf8');
  for (const [name, part] of Object.entries(clientParts(clients))) expect(withPart(page, name, part), name).toBe(page);
  expect(new Set(clients.map(({ name }) => name)).size).toBe(clients.length);
  for (const { checks, version } of clients)
    expect([checks.length > 0, version !== '', new Set(checks).size]).toEqual([true, true, checks.length]);
});
