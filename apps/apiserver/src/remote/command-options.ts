import type { CommandOptions } from '../http/remote/service';
import type { Query } from '../request-info/query';

/** The streams that exec and attach are asked for; behind a terminal there is no stderr of its own. */
export function readCommandOptions(query: Query): CommandOptions {
  const flag = (name: string): boolean => query.flag(name) ?? false;
  const tty = flag('tty');
  return { tty, stdin: flag('stdin'), stdout: flag('stdout'), stderr: flag('stderr') && !tty };
}
