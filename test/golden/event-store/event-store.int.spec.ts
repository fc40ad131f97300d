import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import { agreementByArea, playEventStore, playSequences } from './main';
import { readSequences, type Message, type Sequence, type Step } from './recording';

const sample = join(__dirname, 'sample');
/** What comes late of ours comes within a few turns: nothing is asked over a network here. */
const options = { silenceMs: 100, jobs: 4 };

async function told(dir: string, silence: number): Promise<{ passed: number; failed: number; lines: string[] }> {
  const lines: string[] = [];
  const outcome = await playEventStore(dir, [], {
    out: (line) => lines.push(line),
    all: true,
    values: { silence: String(silence), jobs: '4' },
  });
  return { ...outcome, lines };
}

describe('calls recorded from EventStoreDB 23.10', () => {
  it('are answered alike, in the sample of the repository', { timeout: 120_000 }, async () => {
    const { passed, failed, lines } = await told(sample, 100);
    expect(lines.filter((line) => line.startsWith('    step'))).toEqual([]);
    expect([passed, failed]).toEqual([179, 0]);
  });

  it('are answered alike by a store on disk', { timeout: 120_000 }, async () => {
    const sequences = (await readSequences(sample, [])).filter(({ area }) => ['append', 'delete', 'metadata', 'read'].includes(area));
    const areas = agreementByArea(await playSequences(sequences, { ...options, onDisk: true }));
    expect(areas.map(({ passed, sequences: all }) => passed - all)).toEqual([0, 0, 0, 0]);
  });

  const recordings = goldenFolder('event-store');
  it.skipIf(recordings === undefined)('are answered alike, in all recordings', { timeout: 600_000 }, async () => {
    const { passed, failed, lines } = await told(recordings as string, 100);
    expect(lines.filter((line) => line.startsWith('    step'))).toEqual([]);
    expect(failed).toBe(0);
    expect(passed).toBeGreaterThan(700);
  });
});

describe('the comparison', () => {
  /** The area's first sequence with such a step, the step changed in it. */
  async function changed(area: string, fits: (step: Step) => boolean, change: (step: Step) => void): Promise<string[]> {
    const sequences = await readSequences(sample, [area]);
    const sequence = structuredClone(sequences.find(({ steps }) => steps.some(fits))) as Sequence;
    change(sequence.steps.find(fits)!);
    const [played] = await playSequences([sequence], options);
    return played!.steps.flatMap(({ differences, exception }) => (exception ? [] : differences.map(({ path }) => path)));
  }
  const hasEvents = ({ call, responses = [] }: Step): boolean =>
    call === 'Streams.Read' && responses.filter(({ event }) => event).length > 1;
  const event = (step: Step, i: number): Record<string, Message> =>
    (step.responses![i]!['event'] as Message)['event'] as Record<string, Message>;

  it('finds other contents, another order, one answer less or more', async () => {
    expect(await changed('read', hasEvents, (step) => (event(step, 0)['data'] = 'other' as never))).toEqual([
      'responses[0].event.event.data',
    ]);
    expect(await changed('read', hasEvents, (step) => step.responses!.reverse())).not.toEqual([]);
    expect(await changed('read', hasEvents, (step) => step.responses!.pop())).toEqual(['responses']);
    expect(await changed('read', hasEvents, (step) => step.responses!.push(step.responses![0]!))).toEqual(['responses']);
  });

  it('finds fields that are missing or too many', async () => {
    expect(await changed('read', hasEvents, (step) => delete event(step, 1)['prepare_position'])).toEqual([
      'responses[1].event.event.prepare_position',
    ]);
    expect(await changed('read', hasEvents, (step) => (event(step, 0)['odd'] = 1 as never))).toEqual(['responses[0].event.event.odd']);
  });

  it('finds another status, text or trailer', async () => {
    const refused = ({ status }: Step): boolean => status?.trailers?.['exception'] === 'wrong-expected-version';
    expect(await changed('delete', refused, ({ status }) => (status!.code = 5))).toEqual(['status']);
    expect(await changed('delete', refused, ({ status }) => (status!.details += '.'))).toEqual(['status.details']);
    expect(await changed('delete', refused, ({ status }) => (status!.trailers!['actual-version'] = '7'))).toEqual([
      'status.trailers.actual-version',
    ]);
    expect(await changed('delete', refused, ({ status }) => delete status!.trailers!['stream-name'])).toEqual([
      'status.trailers.stream-name',
    ]);
  });

  it('finds positions that are not the same, or not in order', async () => {
    const position = (step: Step, name: string): void => {
      for (const key of ['commit_position', 'prepare_position']) event(step, 1)[key] = name as never;
    };
    const first = (step: Step): string => event(step, 0)['commit_position'] as never;
    expect(await changed('read', hasEvents, (step) => position(step, first(step)))).toHaveLength(2);
    const late = ({ call, responses = [] }: Step): boolean => call === 'Streams.Append' && responses.some(({ success }) => success);
    const sequences = await readSequences(sample, ['append']);
    const swapped = structuredClone(sequences.find(({ steps }) => steps.filter(late).length > 2)) as Sequence;
    const [one, two] = swapped.steps.filter(late).map(({ responses }) => (responses![0]!['success'] as Message)['position'] as Message);
    swapped.order = [String(two!['commit_position']), String(one!['commit_position'])];
    const [played] = await playSequences([swapped], options);
    expect(played!.steps.flatMap(({ differences }) => differences.map(({ path }) => path))).toContain('positions');
  });
});
