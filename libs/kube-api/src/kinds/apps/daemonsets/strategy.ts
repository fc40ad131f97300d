import { isObject, type JsonObject, type KubeObject } from '#libs/kernel';
import { objectIn, setAbsent } from '../../../defaults/draft';
import { goQuote } from '../../../status';
import { semanticEqual } from '../../../strategy/equality';
import { withStatus } from '../../../strategy/status-update';
import type { KindStrategy } from '../../behaviour';

/** The template's own generation, which the served version has in an annotation. The server counts it; what a client sends is nothing but a beginning. */
const annotation = 'deprecated.daemonset.template.generation';

export function templateGeneration(set: KubeObject): number {
  return Number.parseInt(set.metadata.annotations?.[annotation] ?? '0', 10) || 0;
}

/** The annotation is read as a number (Go's strconv.ParseInt). */
export function unreadableGeneration({ metadata }: JsonObject): string | undefined {
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  const text = isObject(annotations) ? annotations[annotation] : undefined;
  if (typeof text !== 'string') return undefined;
  const why = !/^[+-]?\d+$/.test(text) ? 'invalid syntax' : isInt64(BigInt(text.replace(/^\+/, ''))) ? undefined : 'value out of range';
  return why && `strconv.ParseInt: parsing ${goQuote(text)}: ${why}`;
}

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

function withTemplateGeneration(set: KubeObject, generation: number): KubeObject {
  const annotations = { ...set.metadata.annotations, [annotation]: String(generation) };
  return { ...set, metadata: { ...set.metadata, annotations } };
}

/** The field is always there in the served version, so that whoever writes a set writes it too. */
export function setTemplateGeneration(set: JsonObject): void {
  const metadata = objectIn(set, 'metadata') ?? {};
  const annotations = objectIn(metadata, 'annotations') ?? {};
  setAbsent(annotations, annotation, '0');
  metadata['annotations'] = annotations;
  set['metadata'] = metadata;
}

export const daemonSetStrategy: KindStrategy = {
  versionedAnnotations: [annotation],
  create: (set) => ({ ...withTemplateGeneration(set, Math.max(1, templateGeneration(set))), status: { ...zeroStatus } }),
  update: (updated, old) => {
    const isChanged = !semanticEqual(updated.spec?.template, old.spec?.template);
    return withStatus(withTemplateGeneration(updated, templateGeneration(old) + (isChanged ? 1 : 0)), old.status);
  },
};

const zeroStatus = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
