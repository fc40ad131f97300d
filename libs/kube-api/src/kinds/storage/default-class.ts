import type { KubeObject } from '#libs/kernel';
import { parseTime } from '#libs/kernel';

const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Claims that name no class get this one. */
export function isDefaultClass({ metadata }: KubeObject): boolean {
  return marks.some((mark) => metadata.annotations?.[mark] === 'true');
}

/** Of several default classes, of storage or of ingresses, the newest; of those of one second the first by name. */
export function defaultClassOf(classes: Iterable<KubeObject>, isDefault: (candidate: KubeObject) => boolean): KubeObject | undefined {
  let best: KubeObject | undefined;
  for (const candidate of classes) {
    if (isDefault(candidate) && (best === undefined || goesBefore(candidate, best))) best = candidate;
  }
  return best;
}

function goesBefore(a: KubeObject, b: KubeObject): boolean {
  const [madeA, madeB] = [a, b].map(({ metadata }) => parseTime(metadata.creationTimestamp ?? '') ?? 0) as [number, number];
  return madeA === madeB ? a.metadata.name < b.metadata.name : madeA > madeB;
}
