// `npm run golden -- patch DIR [KIND …]`: recorded patches of stored objects, played against an API server in this process. Bases, set-up and
// comparison are those of `validation`.
import { join } from 'node:path';
import { ApiUnderTest } from '../../api-under-test.fixture';
import type { PlayOptions, SessionResult, StepResult } from '../play-result';
import { differencesOf } from '../validation/compare';
import { inOurRange } from '../validation/left-open';
import { isServed, namesKind, played } from '../validation/of-kinds';
import { prepareBase, setUp } from '../validation/prepare';
import { basesOf, casesOf, type Base, type Case } from '../validation/recording';
import { filledIn } from '../validation/stored-values';

interface PatchCase extends Case {
  base: string;
  contentType: string;
}

/** Plays the patches of all kinds that are served, or of those named (`v1 Pod`, or `Pod` for short). */
export async function playPatches(
  dir: string,
  names: readonly string[],
  { values }: Pick<PlayOptions, 'values'>,
): Promise<SessionResult[]> {
  const every = Number(values['every'] ?? 1);
  const isWanted = namesKind(names);
  const cases = (casesOf(join(dir, 'patch.jsonl')) as PatchCase[]).filter((example, index) => index % every === 0 && isWanted(example));
  const api = await ApiUnderTest.start();
  try {
    await setUp(api, dir);
    const bases = new Map<string, Base>();
    for (const base of basesOf(join(dir, 'bases.jsonl'))) {
      if (!isWanted(base) || !isServed(base.kind)) continue;
      bases.set(base.base, base);
      await prepareBase(api, base);
    }
    return await played(
      cases,
      (kind) => `${kind} patch`,
      (example) => playPatch(api, example, bases.get(example.base)),
    );
  } finally {
    await api.close();
  }
}

/** Versions that bases had when they were recorded: operations of JSON patches name them as they were, where other bodies have placeholders. */
const recordedVersions: Readonly<Record<string, string>> = { secret: '231', svc: '223', pdb: '272', mwc: '250' };

interface Operation {
  path?: unknown;
  value?: unknown;
}

function withOurVersion(bodyText: string, base: string, version: string): string {
  const recorded = recordedVersions[base];
  if (recorded === undefined || !bodyText.includes(`"${recorded}"`)) return bodyText;
  const operations = JSON.parse(bodyText) as Operation[];
  const named = ({ path, value }: Operation): boolean => path === '/metadata/resourceVersion' && value === recorded;
  return JSON.stringify(operations.map((operation) => (named(operation) ? { ...operation, value: version } : operation)));
}

async function playPatch(api: ApiUnderTest, example: PatchCase, base: Base | undefined): Promise<StepResult> {
  const step = example.case;
  if (!base) return { step, differences: [{ path: '', text: `there is no base ${example.base}` }] };
  const { status, body } = await api.send({ method: 'GET', path: `${base.path}/${base.name}` });
  if (status !== 200) return { step, differences: [{ path: '', text: `the base ${base.base} is not there: ${body}` }] };
  const stored = JSON.parse(body) as { metadata: { uid: string; resourceVersion: string } };
  const startedAt = Date.now();
  const received = await api.send({
    method: 'PATCH',
    path: `${example.path}?${example.query ?? ''}`,
    headers: { 'user-agent': 'golden/1.0', accept: 'application/json', 'content-type': example.contentType },
    body: filledIn(withOurVersion(inOurRange(example.bodyText), base.base, stored.metadata.resourceVersion), stored),
  });
  return { step, differences: differencesOf(example, received, startedAt, stored.metadata) };
}
