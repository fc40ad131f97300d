import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventClasses, parseStream } from '#libs/events';
import { runScenario } from '../../apps/cli/src/scenario/run-scenario';
import { readScenario } from '../../apps/cli/src/scenario/scenario-file';
import { SimulatedTarget } from '../../apps/cli/src/scenario/simulated-target';

const root = join(__dirname, '../..');
const catalogue = async () => (await import('../../scripts/docs/event-catalogue.mjs')).eventCatalogue();

describe('docs/events.md', () => {
  it('is what the event classes say; else run: npm run update:events', async () => {
    expect(readFileSync(join(root, 'docs/events.md'), 'utf8')).toBe((await catalogue()).text);
  });

  it('has every event, and no other', async () => {
    expect((await catalogue()).names.sort()).toEqual([...eventClasses.keys()].sort());
  });

  it.each(['preemption', 'drain', 'graceful-gap-preempted'])(
    'names the streams on which the events of the scenario %s stand',
    async (name) => {
      const { ownStreams, streamOfEvent } = await import('../../scripts/docs/event-streams.mjs');
      const own = new Set(Object.values(ownStreams));
      const scenario = readScenario(join(root, `scenarios/${name}.yaml`));
      const target = await SimulatedTarget.create(scenario);
      await runScenario(scenario, { target, say: () => undefined, patienceMs: 0 });
      const elsewhere = new Set<string>();
      for await (const page of target.cluster.log.readAll()) {
        for (const { type, stream } of page) {
          const subject = parseStream('local', stream);
          const said = streamOfEvent[type]?.[0] ?? 'no stream';
          const fits = subject?.kind === 'object' ? own.has(said) : type === 'Reported' || said === subject?.stream;
          if (!fits) elsewhere.add(`${type} on ${stream}, not on ${said}`);
        }
      }
      await target.close();
      expect([...elsewhere]).toEqual([]);
    },
  );
});
