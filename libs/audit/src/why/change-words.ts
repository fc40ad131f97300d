import { isObject, type Json, type KubeObject } from '#libs/kernel';
import { differences, type Difference } from './differences';
import { taintWords } from './words';

/** Values longer than this are told by their first characters. */
const valueMax = 60;
const differencesShownMax = 5;

/**
 * What a write changed, in words with the values before and after: `image of app: shop:1 → shop:2`, `scaled from 3 to 1`, `cordoned`.
 * Undefined where nothing that a reader would name has changed. What a Secret holds is not told.
 */
export function changeWords(before: KubeObject, after: KubeObject, isSecret = false): string | undefined {
  const told: string[] = [];
  for (const difference of differences(before, after)) {
    const text = sentence(difference, isSecret);
    if (text !== undefined) told.push(text);
  }
  if (told.length === 0) return undefined;
  const rest = told.length - differencesShownMax;
  return rest > 0 ? `${told.slice(0, differencesShownMax).join('; ')}; and ${rest} more` : told.join('; ');
}

function sentence(difference: Difference, isSecret: boolean): string | undefined {
  const { path, before, after } = difference;
  const name = path.join('.');
  if (name === 'spec.unschedulable') return after === true ? 'cordoned' : 'uncordoned';
  if (name === 'spec.replicas') return `scaled from ${plain(before)} to ${plain(after)}`;
  if (name === 'spec.taints') return taints(before, after);
  if (isRestart(difference)) return 'restarted: its pods are made anew, one after the other';
  if (path[path.length - 1] === 'image' && path[path.length - 3] === 'containers')
    return `image of ${path[path.length - 2]}: ${plain(before)} → ${plain(after)}`;
  if (path[0] === 'metadata' && (path[1] === 'labels' || path[1] === 'annotations') && path.length >= 3)
    return labelled(path[1] === 'labels' ? 'label' : 'annotation', path.slice(2).join('.'), difference, isSecret);
  if (isSecret && path[0] !== 'metadata' && path[0] !== 'type') return `${name} ${verb(difference)}, its value is not shown`;
  if (before === undefined) return `${name} = ${plain(after)}`;
  if (after === undefined) return `${name} removed (was ${plain(before)})`;
  return `${name}: ${plain(before)} → ${plain(after)}`;
}

const restartedAt = 'kubectl.kubernetes.io/restartedAt';

/** `kubectl rollout restart` puts the time into the template's annotations, which are told whole where there were none. */
function isRestart({ path, after }: Difference): boolean {
  if (path.slice(0, 4).join('.') !== 'spec.template.metadata.annotations' || after === undefined) return false;
  if (path.length > 4) return path.slice(4).join('.') === restartedAt;
  return isObject(after) && Object.keys(after).join() === restartedAt;
}

/** Kept by clients and controllers for themselves: the object once more, and the number of a rollout. */
const unsaid = new Set(['kubectl.kubernetes.io/last-applied-configuration', 'deployment.kubernetes.io/revision']);

function labelled(what: string, name: string, { before, after }: Difference, isSecret: boolean): string | undefined {
  if (unsaid.has(name)) return undefined;
  if (isSecret) return `${what} ${name} ${verb({ path: [], before, after })}`;
  if (before === undefined) return `${what} ${name}=${plain(after)}`;
  if (after === undefined) return `${what} ${name} removed`;
  return `${what} ${name}: ${plain(before)} → ${plain(after)}`;
}

function verb({ before, after }: Difference): string {
  return before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
}

function taints(before: Json | undefined, after: Json | undefined): string | undefined {
  const were = wordsOfTaints(before);
  const are = wordsOfTaints(after);
  const added = are.filter((taint) => !were.includes(taint)).map((taint) => `taint ${taint} added`);
  const removed = were.filter((taint) => !are.includes(taint)).map((taint) => `taint ${taint} removed`);
  return [...added, ...removed].join('; ') || undefined;
}

function wordsOfTaints(list: Json | undefined): string[] {
  return ((list as unknown as Parameters<typeof taintWords>[0][] | undefined) ?? []).map(taintWords);
}

function plain(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value || '""' : isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
  return text.length > valueMax ? `${text.slice(0, valueMax - 1)}…` : text;
}
