import { fullPath } from '../files';
import type { Deed, Part, Process } from '../process';
import { Stdin } from '../stdin';
import { expandText } from './expand';
import type { Shell } from './shell';
import type { Redirect } from './syntax';

/** Where a descriptor leads to. */
type Route = 'out' | 'err' | { path: string };

const standard: Readonly<Record<string, Route>> = {
  '/dev/stdout': 'out',
  '/dev/stderr': 'err',
  '/proc/1/fd/1': 'out',
  '/proc/1/fd/2': 'err',
  '/proc/self/fd/1': 'out',
  '/proc/self/fd/2': 'err',
};

/** Runs with other descriptors. */
export function* redirected(shell: Shell, redirects: readonly Redirect[], stdin: Stdin, run: (stdin: Stdin) => Process): Process {
  const routes: Record<number, Route> = { 1: 'out', 2: 'err' };
  let input = stdin;
  for (const redirect of redirects) {
    const opened = yield* open(shell, redirect, stdin, routes);
    if (typeof opened === 'string') {
      yield { err: `sh: ${opened}\n` };
      return 1;
    }
    if (opened) input = opened;
  }
  const process = run(input);
  let given;
  for (;;) {
    const { done, value } = process.next(given);
    given = undefined;
    if (done) return value;
    const deed =
      'out' in value ? routed(shell, value.out, routes[1] as Route) : 'err' in value ? routed(shell, value.err, routes[2] as Route) : value;
    if (deed) given = yield deed;
  }
}

/** The new input, what is wrong, or nothing to say. */
function* open(
  shell: Shell,
  { descriptor, operation, target }: Redirect,
  stdin: Stdin,
  routes: Record<number, Route>,
): Part<Stdin | string | undefined> {
  const text = yield* expandText(target, shell.expansion(stdin));
  if (operation === '<<') return Stdin.of(text);
  const { files } = shell.machine;
  const path = fullPath(shell.scope.folder, text);
  if (operation === '<') {
    const content = files.read(path);
    return content === undefined ? `can't open ${text}: no such file` : Stdin.of(content);
  }
  if (operation === '>&' && /^[12]$/.test(text)) {
    routes[descriptor] = routes[Number(text)] as Route;
    return undefined;
  }
  const known = standard[text];
  if (!known) {
    const problem = files.write(path, '', operation === '>>');
    if (problem !== undefined) return `can't create ${text}: ${problem}`;
  }
  routes[descriptor] = known ?? { path };
  if (operation === '&>' || operation === '>&') routes[1] = routes[2] = routes[descriptor];
  return undefined;
}

function routed(shell: Shell, text: string | Buffer, route: Route): Deed | undefined {
  if (route === 'out') return { out: text };
  if (route === 'err') return { err: text.toString() };
  shell.machine.steps.take();
  const problem = shell.machine.files.write(route.path, text, true);
  return problem === undefined ? undefined : { err: `write error: ${problem}\n` };
}
