import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client';
import { Operator, withOperator } from './operator';
import { checks } from './operator-checks';
import { runChecks } from './outcomes';
import { here } from './program';
import { pythonMinorMin, pythonWith } from './python';

const folder = join(here, 'python', 'operator');
const requirements = join(folder, 'requirements.txt');
const version = /^kopf==(.+)$/m.exec(readFileSync(requirements, 'utf8'))?.[1] ?? '';
/** What kopf writes of a handler that failed for good, of a status that was pruned, of a kind that is not there. */
const complaint = /\[ERROR(?!.* failed temporarily)|Traceback|inconsistencies|Unresolved resources/;

/** A Python operator, run as its users run it. */
export const kopf: Client = {
  name: 'kopf',
  command: 'kopf',
  title: 'An operator in Python: kopf',
  version,
  needs: `python3 (3.${pythonMinorMin} or later) with venv, PyPI`,
  checks: Object.keys(checks),
  async prepare() {
    const found = await pythonWith(requirements);
    if ('missing' in found) return found;
    const command = [found.interpreter, '-m', 'kopf', 'run', '--standalone', '--namespace=default', join(folder, 'shelves.py')];
    return {
      version,
      async play(surroundings) {
        const operator = new Operator(command, surroundings, complaint);
        return withOperator(operator, () => runChecks(checks, operator));
      },
    };
  },
};
