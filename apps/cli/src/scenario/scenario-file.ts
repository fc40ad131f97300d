import { readFileSync } from 'node:fs';
import { isMap, isNode, isScalar, isSeq, type Document, LineCounter, parseDocument } from 'yaml';
import { isObject, parseQuantity, type Json, type JsonObject } from '#libs/kernel';
import { CliError } from '../cli-error';
import { checkSchedulerConfig } from '../up/check-scheduler-config';
import type { SimulatedNodes } from '../simulation/nodes';
import { readStep, type Fail } from './read-step';
import type { Scenario } from './scenario';

const topKeys = ['name', 'tells', 'nodes', 'scheduler', 'steps'];
const nodeKeys = ['count', 'cpu', 'memory', 'pods', 'zones'];
const nodesMax = 1_000;

/** @throws CliError naming file, place and what is allowed. */
export function readScenario(path: string): Scenario {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(
      `${path}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message}`,
      'Scenarios that come along are in scenarios/.',
      2,
    );
  }
  return parseScenario(text, path);
}

/** Where a place such as `steps[0].wait` begins in the text: at its key, else at what is nearest above it. */
function offsetOf(document: Document, place: string): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const part of place.match(/[^.[\]]+/g) ?? []) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part) : undefined;
    const next: unknown = pair ? pair.value : isSeq(node) ? node.items[Number(part)] : undefined;
    const at = pair ? pair.key : next;
    if (!isNode(at)) break;
    offset = at.range?.[0] ?? offset;
    node = next;
  }
  return offset;
}

/** @throws CliError as `readScenario`. */
export function parseScenario(text: string, path: string): Scenario {
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.1', lineCounter: lines });
  const broken = document.errors[0];
  if (broken) throw new CliError(`${path}:${lines.linePos(broken.pos[0]).line}: ${broken.message.split('\n')[0]}`, undefined, 2);
  const content = document.toJS({ maxAliasCount: 1_000 }) as unknown;
  const fail: Fail = (place, problem, remedy) => {
    throw new CliError(`${path}:${lines.linePos(offsetOf(document, place)).line}: ${place}: ${problem}`, remedy, 2);
  };
  if (!isObject(content)) return fail('file', 'is no map', 'A scenario is a map with name, tells, nodes and steps.');
  for (const key of Object.keys(content)) {
    if (!topKeys.includes(key) && !key.startsWith('x-'))
      fail(key, 'is not known', `A scenario has ${topKeys.join(', ')}; keys that begin with x- are for anchors.`);
  }
  if (!Array.isArray(content.steps) || content.steps.length === 0)
    return fail('steps', 'missing', 'A list of steps; see docs/scenarios.md.');
  return {
    name: String(content.name ?? path),
    tells: String(content.tells ?? '').trim(),
    nodes: content.nodes === undefined ? undefined : readNodes(content.nodes, fail),
    ...(content.scheduler === undefined ? {} : { scheduler: checkSchedulerConfig(content.scheduler, `${path}: scheduler`).config }),
    steps: content.steps.map((step, index) => readStep(step as Json, `steps[${index}]`, fail)),
  };
}

function readNodes(nodes: Json, fail: Fail): SimulatedNodes {
  if (!isObject(nodes)) return fail('nodes', 'is no map', '{count: 3, cpu: "4", memory: 8Gi}');
  for (const key of Object.keys(nodes)) if (!nodeKeys.includes(key)) fail(`nodes.${key}`, 'is not known', `Known: ${nodeKeys.join(', ')}`);
  const { cpu = '4', memory = '8Gi' } = nodes;
  for (const [key, value] of Object.entries({ cpu, memory }))
    if (!parseQuantity(String(value))) fail(`nodes.${key}`, `"${String(value)}" is no quantity`);
  const zones = nodes.zones === undefined ? {} : { zones: count(nodes, 'zones', 1, fail) };
  return {
    count: count(nodes, 'count', 3, fail),
    cpu: String(cpu),
    memory: String(memory),
    pods: count(nodes, 'pods', 110, fail),
    ...zones,
  };
}

function count(nodes: JsonObject, key: string, otherwise: number, fail: Fail): number {
  const value = nodes[key] ?? otherwise;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > nodesMax)
    return fail(`nodes.${key}`, `${JSON.stringify(value)} is no number from 1 to ${nodesMax}`);
  return value;
}
