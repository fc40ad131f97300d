// `npm run golden -- KIND DIR [recording …]`: plays recordings of a real control plane against ours and names every difference.
import { join } from 'node:path';
import type { Outcome } from './command';
import { parseArguments, printResults, sumUp, totalLine } from './command';
import type { Player, PlayOptions } from './play-result';

interface Kind {
  what: string;
  options?: readonly (readonly [string, string])[];
  play: (dir: string, names: readonly string[], options: PlayOptions) => Promise<Outcome>;
}

/** Loaded only when asked for, so that one kind of player never needs what another one needs. */
function load(module: string, name: string): unknown {
  try {
    return (require(join(__dirname, module)) as Record<string, unknown>)[name];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new Error(`no player of this kind is built (${module})`, { cause: error });
  }
}

/** A player that answers results of sessions, which are printed here. */
const ofSessions =
  (module: string, name: string): Kind['play'] =>
  async (dir, names, options) => {
    const results = await (load(module, name) as Player)(dir, names, options);
    const outcome = sumUp(results);
    printResults(results, outcome, options);
    return outcome;
  };

/** A player that prints as it goes and answers its counts. */
const ofCounts =
  (module: string, name: string): Kind['play'] =>
  async (dir, names, options) => {
    const play = load(module, name) as (dir: string, names: readonly string[], out: PlayOptions['out']) => Promise<Outcome>;
    const outcome = await play(dir, names, options.out);
    options.out(totalLine(outcome));
    return outcome;
  };

const kinds: Readonly<Record<string, Kind>> = {
  api: {
    what: 'API sessions, each against a fresh server',
    options: [
      ['--server URL', 'play against this server instead of starting one (with --token, and --ca FILE for HTTPS)'],
      ['--token T', "the administrator's bearer token, with --server"],
      ['--ca FILE', 'the certificate authority of --server, PEM'],
      ['--jobs N', 'how many servers at a time (default 2)'],
      ['--patience SECONDS', 'how long a set-up condition may take to hold (default 10)'],
      ['--no-pauses', 'leave out the pauses that the recordings made'],
      ['--verify', 'verify the log that each of our servers leaves'],
    ],
    play: ofSessions('api/main', 'playApi'),
  },
  scheduler: { what: 'decisions of the scheduler', play: ofCounts('scheduler/main', 'playScheduler') },
  'scheduler-in-cluster': {
    what: 'decisions of the scheduler, applied to a cluster through the API',
    options: [['--count N', 'how many scenarios, the same ones each time (default 100)']],
    play: async (dir, _names, options) => {
      const play = load('scheduler/through-the-cluster/main', 'tellThroughTheCluster') as (
        dir: string,
        count: number,
        out: PlayOptions['out'],
      ) => Promise<Outcome>;
      const outcome = await play(dir, Number(options.values['count'] ?? 100), options.out);
      options.out(totalLine(outcome));
      return outcome;
    },
  },
  'event-store': {
    what: 'sequences of calls to an EventStoreDB node, played to our event store',
    options: [
      ['--server HOST:PORT', 'play to this server instead of starting ours'],
      ['--store KIND', 'memory (default) or disk'],
      ['--jobs N', 'servers side by side for sequences that must be alone (default 1)'],
      ['--silence MS', 'how long nothing must come from a subscription before it counts as silent (default 300, as recorded)'],
    ],
    play: async (dir, names, options) => {
      const play = load('event-store/main', 'playEventStore') as (
        dir: string,
        names: readonly string[],
        options: PlayOptions,
      ) => Promise<Outcome>;
      const outcome = await play(dir, names, options);
      options.out(totalLine(outcome));
      return outcome;
    },
  },
  validation: {
    what: 'rules of validation, defaulting and update, of the kinds that are served',
    options: [['--every N', 'one case in N (default 1)']],
    play: ofSessions('validation/main', 'playValidation'),
  },
  kubectl: {
    what: 'stories of kubectl commands, each against a fresh cluster',
    options: [
      ['--no-pauses', 'leave out the pauses that the recordings made'],
      ['--verify', 'verify the log that each of our servers leaves'],
    ],
    play: ofSessions('kubectl/main', 'playStories'),
  },
  patch: {
    what: 'patches of stored objects, of the kinds that are served',
    options: [['--every N', 'one patch in N (default 1)']],
    play: ofSessions('patch/main', 'playPatches'),
  },
  apply: {
    what: 'sequences of server-side applies and other writes, with the owners of fields after each, of the kinds that are served',
    options: [['--every N', 'one sequence in N (default 1)']],
    play: ofSessions('apply/main', 'playApplies'),
  },
  crd: {
    what: 'definitions of custom kinds, their objects, and rules on them in the expression language',
    options: [
      ['--every N', 'every Nth definition or rule only'],
      ['--verify', 'verify the logs that custom objects leave'],
    ],
    play: ofSessions('crd/main', 'playCustomResources'),
  },
  rbac: {
    what: 'who may do what, admission policies and quotas: parts bootstrap, reviews, aggregated, requests, policies, quota, or cases by their ids',
    options: [
      ['--jobs N', 'how many servers at a time, of cases that each have their own (default 2)'],
      ['--verify', 'verify the log that each of our servers leaves'],
    ],
    play: ofSessions('rbac/main', 'playRbac'),
  },
  kubelet: {
    what: 'lives of pods on a kubelet, in virtual time: groups, or lives by their ids',
    options: [['--jobs N', 'how many processes at a time (default 1)']],
    play: ofSessions('kubelet/main', 'playKubelet'),
  },
  controllers: {
    what: 'sessions of a controller manager, in virtual time: areas, or sessions by their names',
    options: [['--jobs N', 'how many processes at a time (default 1)']],
    play: ofSessions('controllers/main', 'playControllers'),
  },
  tables: {
    what: 'tables, partial metadata, selectors, pages and versions of lists',
    options: [['--every N', 'one line in N (default 1)']],
    play: ofSessions('tables/main', 'playAllTables'),
  },
  incident: { what: 'incidents, in virtual time', play: ofSessions('incident/main', 'playIncidents') },
  'incident-decisions': {
    what: 'every preemption of incidents, from the recorded state before it',
    play: ofSessions('incident/before-each/main', 'playDecisions'),
  },
};

function help(): string {
  const lines = ['Usage: npm run golden -- KIND DIR [recording …] [--all] [--json]', '', 'Kinds:'];
  for (const [name, { what, options = [] }] of Object.entries(kinds)) {
    lines.push(`  ${name.padEnd(22)}${what}`);
    for (const [flag, meaning] of options) lines.push(`    ${flag.padEnd(20)}${meaning}`);
  }
  lines.push('', '  --all   every difference instead of the first twenty of a recording', '  --json  the results as JSON');
  lines.push('', 'The last line is `N passed, N failed`, counted in steps; the exit code is 1 when something failed.');
  return lines.join('\n');
}

/** The exit code: 0 only without a failure, 2 for a wrong command line. */
async function main(args: readonly string[], out: (line: string) => void): Promise<number> {
  const { positional, flags } = parseArguments(args);
  const [kindName, dir, ...names] = positional;
  if (flags['help'] !== undefined || kindName === undefined) {
    out(help());
    return flags['help'] === undefined ? 2 : 0;
  }
  const kind = Object.hasOwn(kinds, kindName) ? kinds[kindName] : undefined;
  if (kind === undefined) throw new Error(`no kind of recording is called ${kindName}; there are ${Object.keys(kinds).join(', ')}`);
  if (dir === undefined) throw new Error(`name the folder of the recordings: npm run golden -- ${kindName} DIR`);
  const outcome = await kind.play(dir, names, { out, all: flags['all'] !== undefined, json: flags['json'] !== undefined, values: flags });
  return outcome.failed > 0 ? 1 : 0;
}

main(process.argv.slice(2), (line) => process.stdout.write(`${line}\n`)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
  },
);
