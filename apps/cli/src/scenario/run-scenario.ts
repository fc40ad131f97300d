import { isObject, type JsonObject } from '#libs/kernel';
import { parseObjectName } from '../log/object-name';
import { expectationsOf, matches, readField, shown, shownMet, type Expectation } from './expectation';
import { nodeLayout, podTable } from './layout';
import type { Scenario, ScenarioStep } from './scenario';
import type { Answer, Happening, ScenarioTarget } from './target';
import { Teller, type WriteLine } from './teller';

export interface ScenarioResult {
  steps: number;
  checks: number;
  failures: string[];
}

export interface ScenarioRun {
  target: ScenarioTarget;
  say: WriteLine;
  /** A live cluster needs time: an expectation is awaited this long before it counts as failed; 0 in virtual time. */
  patienceMs: number;
  /** Columns of the reader's terminal; absent where it is none. */
  columns?: number;
}

/** Plays a scenario step by step and checks what it expects. */
export async function runScenario(scenario: Scenario, run: ScenarioRun): Promise<ScenarioResult> {
  return new Player(scenario, run).play();
}

/** How often an unmet expectation is looked at again. */
const pollMs = 200;
/** A drain without a time-out of its own is given up after this much of the target's time. */
const drainMaxMs = 3_600_000;

class Player {
  private readonly result: ScenarioResult = { steps: 0, checks: 0, failures: [] };
  private readonly target: ScenarioTarget;
  private readonly teller: Teller;
  /** Drains under way, by node. */
  private readonly drains = new Map<string, Promise<boolean>>();
  private evictions: Happening[] = [];
  /** The last answer by pod: kubectl asks again every 5 s, and is told the same. */
  private readonly lastAnswers = new Map<string, number>();

  constructor(
    private readonly scenario: Scenario,
    private readonly run: ScenarioRun,
  ) {
    this.target = run.target;
    this.teller = new Teller(run.say, () => this.target.elapsed(), run.columns);
  }

  async play(): Promise<ScenarioResult> {
    const { teller, result, scenario } = this;
    teller.plain(scenario.name);
    if (scenario.tells) teller.plain(`\n${scenario.tells.replace(/\s*\n\s*/g, ' ')}`);
    teller.plain();
    for (const step of scenario.steps) {
      result.steps++;
      if (step.say) teller.story(step.say);
      await this.perform(step);
      this.tellNews();
    }
    const { checks, failures } = result;
    teller.plain(failures.length === 0 ? `\n${checks} expectations, all met` : `\n${checks} expectations; ${failures.length} failed:`);
    for (const failure of failures) teller.plain(`  ✗ ${failure}`);
    return result;
  }

  private tellNews(): void {
    const news = [...this.evictions, ...this.target.news()].sort((a, b) => a.at - b.at);
    this.evictions = [];
    this.teller.happened(news);
  }

  private async perform(step: ScenarioStep): Promise<void> {
    const { target } = this;
    if ('apply' in step) await this.apply(step);
    else if ('delete' in step)
      await this.act(step, `delete ${step.delete}`, async () => target.delete(await parseObjectName(step.delete), step.gracePeriodSeconds));
    else if ('patch' in step)
      await this.act(step, `patch ${step.patch} ${JSON.stringify(step.with)}`, async () =>
        target.patch(await parseObjectName(step.patch), step.with),
      );
    else if ('scale' in step)
      await this.act(step, `scale ${step.scale} to ${step.replicas}`, async () =>
        target.scale(await parseObjectName(step.scale), step.replicas),
      );
    else if ('evict' in step) await this.act(step, `evict ${step.evict}`, async () => target.evict(await parseObjectName(step.evict)));
    else if ('uncordon' in step)
      await this.act(step, `uncordon ${step.uncordon}`, () =>
        target.patch({ resource: 'nodes', name: step.uncordon }, { spec: { unschedulable: null } }),
      );
    else if ('wait' in step) await target.wait(step.wait);
    else if ('show' in step) await this.show(step.show);
    else if ('drain' in step) await this.drain(step);
    else if ('finish' in step) await this.finish(step.finish, step.withinMs, step.refused !== undefined);
    else if ('expect' in step) await this.expect(step.expect);
  }

  private async apply(step: ScenarioStep & { apply: JsonObject[] }): Promise<void> {
    const accepted: string[] = [];
    const refusals: string[] = [];
    for (const manifest of step.apply) {
      const what = nameOf(manifest);
      const answer = await this.target.apply(manifest);
      if (this.judge(step, `apply ${what}`, answer)) refusals.push(`apply ${what}: refused, ${answer.code}: ${answer.message ?? ''}`);
      else accepted.push(what);
    }
    if (accepted.length > 0) this.teller.action(`apply ${accepted.join(', ')}`);
    for (const refusal of refusals) this.teller.action(refusal);
  }

  private async act(step: ScenarioStep, what: string, perform: () => Promise<Answer>): Promise<void> {
    const answer = await perform();
    const refused = this.judge(step, what, answer);
    this.teller.action(refused ? `${what}: refused, ${answer.code}: ${answer.message ?? ''}` : what);
  }

  /** Whether it was refused; a failure is noted when that is not what the step meant. */
  private judge(step: ScenarioStep, what: string, { code, message }: Answer): boolean {
    const refused = code >= 400;
    const { refused: wanted } = step;
    if (wanted !== undefined) this.result.checks++;
    if (wanted === undefined && refused) this.result.failures.push(`${what}: refused with ${code}: ${message ?? ''}`);
    else if (wanted !== undefined && !(refused && (wanted === 0 || wanted === code)))
      this.result.failures.push(`${what}: answered ${code}, not ${wanted === 0 ? 'refused' : wanted}`);
    return refused;
  }

  private async show(what: 'nodes' | 'pods'): Promise<void> {
    this.tellNews();
    const pods = await this.target.list('pods', 'default');
    this.teller.block(what === 'nodes' ? nodeLayout(await this.target.list('nodes', undefined), pods) : podTable(pods));
  }

  private async drain(
    step: ScenarioStep & { drain: string; timeoutMs?: number; podSelector?: Record<string, string>; background: boolean },
  ): Promise<void> {
    const { drain: node, timeoutMs, podSelector, background } = step;
    const options = [
      ...(timeoutMs === undefined ? [] : [`--timeout=${timeoutMs / 1000}s`]),
      ...(podSelector
        ? [
            `--pod-selector=${Object.entries(podSelector)
              .map((pair) => pair.join('='))
              .join(',')}`,
          ]
        : []),
    ];
    this.teller.action(['drain', node, ...options].join(' '));
    this.lastAnswers.clear();
    this.drains.set(node, this.target.drain(node, { timeoutMs, podSelector, tell: (eviction) => this.evicted(eviction) }));
    if (background) await this.target.wait(0);
    else await this.finish(node, drainMaxMs, step.refused !== undefined);
  }

  private evicted({ pod, code, message }: { pod: string; code: number; message?: string }): void {
    if (this.lastAnswers.get(pod) === code) return;
    this.lastAnswers.set(pod, code);
    const name = pod.replace(/^default\//, '');
    const at = this.target.elapsed();
    if (code < 300) this.evictions.push({ at, group: { before: 'eviction granted:' }, text: name });
    else if (code === 429)
      this.evictions.push({ at, text: `eviction of ${name} refused (429): ${message ?? ''} It is tried again every 5 s.` });
    else if (code !== 404) this.evictions.push({ at, text: `eviction of ${name} failed (${code}): ${message ?? ''}` });
  }

  private async finish(node: string, withinMs: number, refused: boolean): Promise<void> {
    const drain = this.drains.get(node);
    if (!drain) {
      this.result.failures.push(`no drain of ${node} is under way`);
      return;
    }
    const done = (await this.target.until(drain, withinMs)) ?? false;
    this.tellNews();
    this.result.checks++;
    const met = done !== refused;
    const text = done ? `the drain of ${node} is done` : `the drain of ${node} does not come to its end`;
    this.teller.check(met, text);
    if (!met) this.result.failures.push(text);
  }

  /** One line for each object: its fields together. */
  private async expect(expected: JsonObject): Promise<void> {
    this.tellNews();
    for (const { subject, expectations } of expectationsOf(expected)) {
      const met: string[] = [];
      for (const expectation of expectations) {
        this.result.checks++;
        const { ok, value } = await this.awaitField(expectation);
        if (ok) met.push(shownMet(expectation, value));
        else this.miss(expectation, `${shown(expectation, value)}, not ${shown(expectation, expectation.wanted)}`);
      }
      if (met.length > 0) this.teller.check(true, `${subject.replace(/^list /, '')}: ${met.join(', ')}`);
    }
  }

  private miss({ subject }: Expectation, text: string): void {
    const failure = `${subject.replace(/^list /, '')}: ${text}`;
    this.teller.check(false, failure);
    this.result.failures.push(failure);
  }

  private async awaitField(expectation: Expectation) {
    const deadline = this.target.elapsed() + this.run.patienceMs;
    for (;;) {
      const value = await readField(expectation, this.target);
      const ok = matches(value, expectation.wanted);
      if (ok || this.target.elapsed() >= deadline) return { ok, value };
      await this.target.wait(pollMs);
    }
  }
}

function nameOf(manifest: JsonObject): string {
  const metadata = isObject(manifest.metadata) ? manifest.metadata : {};
  return `${String(manifest.kind)} ${String(metadata.name ?? metadata.generateName ?? '?')}`;
}
