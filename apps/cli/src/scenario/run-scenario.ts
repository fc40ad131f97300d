import { isObject, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Target } from '#libs/kube-api';
import { parseObjectName } from '../log/object-name';
import type { Scenario, ScenarioStep } from './scenario-file';
import type { Answer, ScenarioTarget } from './target';

export interface ScenarioResult {
  steps: number;
  checks: number;
  failures: string[];
}

export interface ScenarioRun {
  target: ScenarioTarget;
  say: (line: string) => void;
  /** A live cluster needs time: an expectation is awaited this long before it counts as failed; 0 in virtual time. */
  patienceMs: number;
}

/** Plays a scenario step by step and checks what it expects. */
export async function runScenario(scenario: Scenario, run: ScenarioRun): Promise<ScenarioResult> {
  const result: ScenarioResult = { steps: 0, checks: 0, failures: [] };
  run.say(`${scenario.name}\n`);
  if (scenario.tells) run.say(`${scenario.tells}\n`);
  for (const step of scenario.steps) {
    result.steps++;
    if (step.say) run.say(`${stamp(run.target)} ${step.say}`);
    await perform(step, run, result);
  }
  run.say(`\n${result.checks} expectations, ${result.failures.length} failed`);
  return result;
}

function stamp(target: ScenarioTarget): string {
  return `+${(target.elapsed() / 1000).toFixed(1)}s`.padStart(8);
}

async function perform(step: ScenarioStep, run: ScenarioRun, result: ScenarioResult): Promise<void> {
  const { target, say } = run;
  const told = (what: string, answer: Answer): void => {
    say(`${stamp(target)}   ${what}: ${answer.code}${answer.message ? ` ${answer.message}` : ''}`);
    const wanted = step.refused;
    if (wanted === undefined ? answer.code >= 400 : answer.code !== wanted) result.failures.push(`${what}: answered ${answer.code}${wanted === undefined ? '' : `, not ${wanted}`}`);
  };
  if ('apply' in step) for (const manifest of step.apply) told(`apply ${nameOf(manifest)}`, await target.apply(manifest));
  else if ('delete' in step) told(`delete ${step.delete}`, await target.delete(await targetOf(step.delete), step.gracePeriodSeconds));
  else if ('patch' in step) told(`patch ${step.patch}`, await target.patch(await targetOf(step.patch), step.with));
  else if ('scale' in step) told(`scale ${step.scale} to ${step.replicas}`, await target.scale(await targetOf(step.scale), step.replicas));
  else if ('evict' in step) told(`evict ${step.evict}`, await target.evict(await targetOf(step.evict)));
  else if ('uncordon' in step) told(`uncordon ${step.uncordon}`, await target.patch({ resource: 'nodes', name: step.uncordon }, { spec: { unschedulable: null } }));
  else if ('wait' in step) await target.wait(step.wait);
  else if ('drain' in step) await drain(step.drain, step.timeoutMs, run, result, step.refused);
  else await expectAll(step.expect, run, result);
}

async function drain(node: string, timeoutMs: number | undefined, run: ScenarioRun, result: ScenarioResult, refused: number | undefined): Promise<void> {
  const answers = new Map<string, number[]>();
  const finished = await run.target.drain(node, timeoutMs, (pod, code) => answers.set(pod, [...(answers.get(pod) ?? []), code]));
  for (const [pod, codes] of answers) run.say(`${stamp(run.target)}   evict ${pod}: ${codes.join(', ')}`);
  run.say(`${stamp(run.target)}   drain ${node}: ${finished ? 'done' : 'not done in time'}`);
  if (finished === (refused !== undefined)) result.failures.push(`drain ${node}: ${finished ? 'came to an end' : 'did not come to an end'}`);
}

function nameOf(manifest: JsonObject): string {
  const metadata = isObject(manifest.metadata) ? manifest.metadata : {};
  return `${String(manifest.kind)}/${String(metadata.name ?? metadata.generateName ?? '?')}`;
}

function targetOf(text: string): Promise<Target> {
  return parseObjectName(text);
}

async function expectAll(expected: JsonObject, run: ScenarioRun, result: ScenarioResult): Promise<void> {
  for (const [object, wanted] of Object.entries(expected)) {
    const fields = isObject(wanted) ? wanted : { '': wanted ?? null };
    for (const [path, value] of Object.entries(fields)) {
      result.checks++;
      const found = await awaitField(object, path, value ?? null, run);
      const what = `${object}${path ? ` ${path}` : ''}`;
      if (found.ok) run.say(`${stamp(run.target)}   ✓ ${what} is ${show(value ?? null)}`);
      else {
        run.say(`${stamp(run.target)}   ✗ ${what} is ${show(found.value)}, not ${show(value ?? null)}`);
        result.failures.push(`${what} is ${show(found.value)}, not ${show(value ?? null)}`);
      }
    }
  }
}

const pollMs = 200;

async function awaitField(object: string, path: string, wanted: Json, run: ScenarioRun): Promise<{ ok: boolean; value: Json }> {
  const deadline = run.target.elapsed() + run.patienceMs;
  for (;;) {
    const value = await readField(object, path, run.target);
    const ok = matches(value, wanted);
    if (ok || run.target.elapsed() >= deadline) return { ok, value };
    await run.target.wait(pollMs);
  }
}

/** `exists`, `condition.TYPE` (its status), `reason.TYPE`, `message.TYPE`; `count` and `bound` of a list; else a path into the object. */
async function readField(object: string, path: string, target: ScenarioTarget): Promise<Json> {
  if (object.startsWith('list ')) return readList(object.slice('list '.length), path, target);
  const found = await target.get(await targetOf(object));
  if (path === '' || path === 'exists') return found !== undefined;
  if (!found) return null;
  const [head = '', ...rest] = path.split('.');
  const conditionField = { condition: 'status', reason: 'reason', message: 'message' }[head];
  if (conditionField) {
    const condition = (found.status?.conditions as JsonObject[] | undefined)?.find(({ type }) => type === rest.join('.'));
    return condition?.[conditionField] ?? null;
  }
  return at(found, path.split('.'));
}

async function readList(selector: string, path: string, target: ScenarioTarget): Promise<Json> {
  const [resource = '', ...labels] = selector.split(' ');
  const wanted = labels.map((label) => label.split('='));
  const objects = (await target.list(resource)).filter(({ metadata }) => wanted.every(([key = '', value]) => metadata.labels?.[key] === value));
  if (path === 'count') return objects.length;
  if (path === 'running') return objects.filter(({ status, metadata }) => status?.phase === 'Running' && !metadata.deletionTimestamp).length;
  if (path === 'bound') return objects.filter(({ spec }) => spec?.nodeName).length;
  if (path === 'pending') return objects.filter(({ spec }) => !spec?.nodeName).length;
  return objects.map((found) => at(found, path.split('.')));
}

function at(object: KubeObject, path: readonly string[]): Json {
  let value: unknown = object;
  for (const key of path) value = isObject(value) || Array.isArray(value) ? (value as Record<string, unknown>)[key] : undefined;
  return (value ?? null) as Json;
}

/** A text beginning with `~` is looked for inside; anything else has to be equal. */
function matches(value: Json, wanted: Json): boolean {
  if (typeof wanted === 'string' && wanted.startsWith('~')) return typeof value === 'string' && value.includes(wanted.slice(1).trim());
  return JSON.stringify(value) === JSON.stringify(wanted);
}

function show(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
