// Makes docs/fidelity.md: plays the recordings of a real control plane and writes down what agrees.
//
//   node scripts/update-fidelity.mjs [--check] [--api RESULTS.json] [--kubectl RESULTS.json] [--only PART …] [--count N] [DIR …]
//
// DIR      a folder of recordings (with scheduler/, incidents/ and event-store/ in it), or one of these folders itself;
//          $KUBEREEL_GOLDEN or ../shared/golden when none is named. Parts without recordings stay as they are.
// --api    results of `npm run golden -- api DIR --json`; without it that part stays as it is
// --kubectl  the same of `npm run golden -- kubectl DIR --json`
// --only   the named parts alone; the others stay as they are
// --count  scenarios applied to a cluster (default 100)
// --check  writes nothing; exit 1 when the page is not what would be written
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  eventStorePart,
  exceptionsPart,
  incidentDecisionsPart,
  inClusterPart,
  kindsPart,
  schedulerPart,
  sessionsPart,
} from './docs/fidelity-page.mjs';
import { withPart, writeOrCheck } from './docs/generated-page.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values, positionals } = parseArgs({
  options: {
    check: { type: 'boolean' },
    api: { type: 'string' },
    kubectl: { type: 'string' },
    only: { type: 'string', multiple: true },
    count: { type: 'string', default: '100' },
  },
  allowPositionals: true,
});
const folders = positionals.length > 0 ? positionals : [process.env.KUBEREEL_GOLDEN ?? join(root, '../shared/golden')];
const page = join(root, 'docs/fidelity.md');

/** Folders that hold recordings of a kind: below what was named, or named themselves. */
function foldersOf(kind) {
  return folders.flatMap((folder) => {
    const below = join(folder, kind);
    if (existsSync(below)) return [below];
    return existsSync(folder) && basename(resolve(folder)) === kind ? [resolve(folder)] : [];
  });
}

/** The release that the recordings' README names. */
function releaseOf(folder) {
  for (const place of [folder, dirname(folder)]) {
    const path = join(place, 'README.md');
    const found = existsSync(path) && /\bv1\.\d+\.\d+\b/.exec(readFileSync(path, 'utf8'));
    if (found) return found[0];
  }
  return 'release not named';
}

/** The release of the event store's node that the recordings' README names. */
function nodeReleaseOf(folder) {
  const path = join(folder, 'README.md');
  const found = existsSync(path) && /\bEventStoreDB (\d+\.\d+)/.exec(readFileSync(path, 'utf8'));
  return found ? `EventStoreDB ${found[1]}` : 'release not named';
}

const silent = () => undefined;
const require = createRequire(import.meta.url);
const player = (name) => require(join(root, 'test/golden', `${name}.ts`));

/** Several folders of one kind are told one after the other. */
async function partsOf(kind, tell) {
  const parts = [];
  for (const folder of foldersOf(kind)) parts.push(await tell(folder, releaseOf(folder)));
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

async function playAll() {
  await import('./build.mjs');
  const { schedulerAgreement } = player('scheduler/main');
  const { playThroughTheCluster } = player('scheduler/through-the-cluster/main');
  const { decideAgain } = player('incident/before-each/main');
  const { playIncidents } = player('incident/main');
  const { eventStoreAgreement } = player('event-store/main');
  const { EXCEPTIONS } = player('event-store/compare/exceptions');
  const incidentsIn = (folder) =>
    readdirSync(folder)
      .filter((name) => existsSync(join(folder, name, 'actions.jsonl')))
      .sort();
  const { playValidation } = player('validation/main');
  const { playPatches } = player('patch/main');
  const { playApplies } = player('apply/main');
  const { playAllTables } = player('tables/main');
  const { exceptions } = player('api/compare/exceptions');
  const told = (file, what, unit) => file && resultsPart(file, what, unit);
  const makers = {
    scheduler: () => partsOf('scheduler', async (folder, release) => schedulerPart(release, await schedulerAgreement(folder, [], silent))),
    'scheduler in a cluster': () =>
      partsOf('scheduler', async (folder, release) => inClusterPart(release, await playThroughTheCluster(folder, Number(values.count)))),
    'incident decisions': () =>
      partsOf('incidents', (folder, release) =>
        incidentDecisionsPart(
          release,
          incidentsIn(folder).map((name) => ({ name, decisions: decideAgain(join(folder, name)) })),
        ),
      ),
    incidents: () =>
      partsOf('incidents', async (folder, release) =>
        sessionsPart(release, await playIncidents(folder, []), { what: 'incidents', unit: 'aspects' }),
      ),
    'event store': () =>
      partsOf('event-store', async (folder) =>
        eventStorePart(nodeReleaseOf(folder), await eventStoreAgreement(folder, [], { jobs: 4, silenceMs: 100 }), EXCEPTIONS),
      ),
    api: () => told(values.api, 'sessions', 'steps'),
    kubectl: () => told(values.kubectl, 'stories', 'commands'),
    'kinds of objects': () =>
      kindsOfObjects([
        ['validation', 'creations and updates', playValidation],
        ['patch', 'patches', playPatches],
        ['apply', 'server-side applies', playApplies],
        ['tables', 'tables, selectors, pages', playAllTables],
      ]),
    'exceptions of the API': () => exceptionsPart(exceptions.api),
    'exceptions of kubectl': () => exceptionsPart(exceptions.kubectl),
  };
  const parts = {};
  for (const [name, make] of Object.entries(makers))
    if (values.only === undefined || values.only.includes(name)) parts[name] = await make();
  return parts;
}

async function resultsPart(file, what, unit) {
  return sessionsPart(await apiRelease(), JSON.parse(readFileSync(file, 'utf8')).results, { what, unit });
}

/** Players that want an API server in this process. */
async function kindsOfObjects(recordings) {
  const played = [];
  for (const [kind, what, play] of recordings) {
    for (const folder of foldersOf(kind))
      played.push({ what, results: await play(folder, [], { values: {}, out: silent, all: false, json: false }) });
  }
  return played.length === 0 ? undefined : kindsPart(await apiRelease(), played);
}

async function apiRelease() {
  const [folder] = foldersOf('api');
  return folder === undefined ? 'release not named' : releaseOf(folder);
}

if (['scheduler', 'incidents', 'event-store'].every((kind) => foldersOf(kind).length === 0)) {
  console.error(
    `!!! NO RECORDINGS in ${folders.join(', ')} (name their folder, or set KUBEREEL_GOLDEN): docs/fidelity.md was NOT ${values.check ? 'checked' : 'written'}`,
  );
  process.exitCode = values.check ? 0 : 1;
} else {
  let text = readFileSync(page, 'utf8');
  const parts = await playAll();
  for (const [name, part] of Object.entries(parts)) if (part !== undefined) text = withPart(text, name, part);
  writeOrCheck(page, text, {
    check: values.check,
    command: 'npm run update:fidelity',
    what: `${Object.values(parts).filter((part) => part !== undefined).length} parts`,
  });
}
