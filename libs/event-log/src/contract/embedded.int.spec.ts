import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openEmbeddedLog } from '../embedded/embedded-log';
import { describeEventLog } from './event-log-contract';

const root = mkdtempSync(join(tmpdir(), 'kubereel-log-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let opened = 0;

for (const durability of ['default', 'full'] as const) {
  describeEventLog({
    name: `embedded, durability ${durability}`,
    open: () => openEmbeddedLog({ folder: join(root, String(opened++)), durability }),
  });
}
