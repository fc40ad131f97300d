import { join } from 'node:path';
import type { Client } from './client';
import { Operator, playOperator } from './operator';
import { checks } from './operator-checks';
import { here } from './program';
import { pinnedVersion, pythonNeeds, pythonWith } from './python';

const folder = join(here, 'python', 'operator');
const requirements = join(folder, 'requirements.txt');
const version = pinnedVersion(requirements, 'kopf');
/** What kopf writes of a handler that failed for good, of a status that was pruned, of a kind that is not there. */
const complaint = /\[ERROR(?!.* failed temporarily)|Traceback|inconsistencies|Unresolved resources/;

/** A Python operator, run as its users run it. */
export const kopf: Client = {
  name: 'kopf',
  command: 'kopf',
  title: 'An operator in Python: kopf',
  version,
  needs: pythonNeeds,
  checks: Object.keys(checks),
  async prepare() {
    const found = await pythonWith(requirements);
    if ('missing' in found) return found;
    const command = [found.interpreter, '-m', 'kopf', 'run', '--standalone', '--namespace=default', join(folder, 'shelves.py')];
    return { version, play: (surroundings) => playOperator(new Operator(command, surroundings, complaint), checks) };
  },
};
