import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client';
import { checks } from './node-checks';
import { runChecks } from './outcomes';

const { version } = JSON.parse(readFileSync(join(__dirname, '../../node_modules/@kubernetes/client-node/package.json'), 'utf8')) as {
  version: string;
};

export const node: Client = {
  name: 'node',
  command: 'node',
  title: 'JavaScript: @kubernetes/client-node',
  version,
  needs: 'nothing: it is a development dependency',
  checks: Object.keys(checks),
  prepare: async () => ({ version, play: (surroundings) => runChecks(checks, surroundings) }),
};
