// Plays a session: its own requests are sent in virtual time, what the controllers do is theirs; each step is compared as it ends.
import { isObject, type JsonObject } from '#libs/kernel';
import type { Difference, StepResult } from '../play-result';
import { Bindings } from './bindings';
import { compareStep } from './compare-step';
import { EventCounts } from './events';
import { matchCreated, matchNamed, StepFrames } from './frames';
import { Moments } from './moments';
import { silencedBy } from './silence';
import type { RecordedRequest, Session, Step } from './recording';
import { writeOf } from './requests';
import { RecordedObjects } from './recorded-objects';
import { World } from './world';

/** So long before the first step is all that was there before, ms. */
const setupMs = 3_000;

export async function playSession(session: Session): Promise<StepResult[]> {
  const moments = new Moments(session);
  const world = await World.start(session, moments.begin(1) - setupMs);
  try {
    return await new Play(session, world, new Bindings(moments)).run();
  } finally {
    await world.simulation.close();
  }
}

class Play {
  private readonly recorded: RecordedObjects;
  private readonly events = new EventCounts();

  constructor(
    private readonly session: Session,
    private readonly world: World,
    private readonly bindings: Bindings,
  ) {
    this.recorded = new RecordedObjects(session.session);
  }

  async run(): Promise<StepResult[]> {
    const results: StepResult[] = [];
    const before: Difference[] = [];
    for (const request of this.session.setup) before.push(...(await this.request(request)));
    for (const step of this.session.steps) {
      const differences = await this.play(step);
      results.push({ step: step.step, differences: [...before.splice(0), ...differences] });
    }
    const { differ, notDerivable, differences } = await this.world.simulation.verify();
    if (differ + notDerivable > 0) {
      const text = `${differ} differ, ${notDerivable} not derivable: ${JSON.stringify(differences.slice(0, 3))}`;
      results.at(-1)?.differences.push({ path: 'verify', text });
    }
    return results;
  }

  private async play(step: Step): Promise<Difference[]> {
    const { world, bindings, session } = this;
    const { executive } = world.simulation;
    const begin = bindings.moments.begin(step.step);
    await executive.runUntil(begin);
    this.events.remember(world.events());
    const frames = new StepFrames(session.session, step, world.seen.length);
    const silenced = silencedBy(step.note ?? '', session, step.step);
    if (silenced) await world.silence(silenced.nodes, silenced.isSilent);
    const differences: Difference[] = [];
    for (const [index, request] of step.requests.entries()) {
      if (request.after) await executive.runUntil(begin + request.after * 1_000);
      for (const { path, text } of await this.request(request)) differences.push({ path: `requests[${index}].${path}`, text });
      matchCreated(frames, world, bindings);
    }
    await executive.runUntil(bindings.moments.end(step.step));
    matchCreated(frames, world, bindings);
    return [...differences, ...compareStep({ session, step, frames, world, bindings, recorded: this.recorded, events: this.events })];
  }

  private async request(recorded: RecordedRequest): Promise<Difference[]> {
    const { world, bindings } = this;
    const { simulation } = world;
    const path = `${recorded.method} ${recorded.path}`;
    if (recorded.method === 'METRICS') return [{ path, text: 'nothing here takes what pods use from outside' }];
    matchNamed(recorded.path, world, bindings, this.session.session);
    const resolved = bindings.resolve(recorded as unknown as JsonObject) as unknown as RecordedRequest;
    const write = writeOf(resolved, world.kinds);
    if (!write) return [{ path, text: 'a kind that is not there' }];
    if ('collection' in write) {
      for (const { metadata } of simulation.list(write.collection.resource, write.collection.namespace))
        await simulation.send({ verb: 'delete', target: { ...write.collection, name: metadata.name } });
      return [];
    }
    const result = await simulation.send(write);
    const refusal = result.kind === 'refused' ? result.status : undefined;
    const wanted = recorded.status ?? 200;
    if (refusal === undefined && wanted < 400) return [];
    if (refusal?.code !== (wanted < 400 ? undefined : wanted))
      return [{ path, text: `recorded ${wanted}, played ${refusal?.code ?? 'done'} ${refusal?.message ?? ''}`.trimEnd() }];
    const message = isObject(resolved.answer) ? resolved.answer.message : undefined;
    return message === undefined || message === refusal?.message
      ? []
      : [{ path, text: `recorded ${String(message)}, played ${String(refusal?.message)}` }];
  }
}
