import { parseQuantity, quantityValue, type KubeObject } from '#libs/kernel';
import { linesOf, refusalOf } from './answer-annotations';
import { partsOf, Words } from './grammar';
import type { ImageBehaviour, PodBehaviour } from './pod-behaviour';

/** Keys that are about no container. */
export const podKeys = ['images', 'sandbox-fails', 'sandbox-fails-times', 'admission-error'] as const;

const nothingSpecial: PodBehaviour = { images: new Map() };

/** By the annotations, which a change of the pod leaves as they are. */
const known = new WeakMap<object, PodBehaviour>();

/** Reads the annotations that are about no container: `kubereel.dev/images`, `sandbox-fails` (`-times`), `admission-error`. */
export function podBehaviourOf({ metadata: { annotations } }: KubeObject): PodBehaviour {
  if (!annotations) return nothingSpecial;
  const found = known.get(annotations) ?? readPodBehaviour(annotations);
  known.set(annotations, found);
  return found;
}

function readPodBehaviour(annotations: Readonly<Record<string, string>>): PodBehaviour {
  const value = (key: string): string | undefined => annotations[`kubereel.dev/${key}`];
  const images = value('images');
  const sandboxFails = refusalOf(value('sandbox-fails'), value('sandbox-fails-times'));
  const admissionError = value('admission-error');
  if (images === undefined && !sandboxFails && admissionError === undefined) return nothingSpecial;
  return {
    images: imagesOf(images ?? ''),
    ...(sandboxFails ? { sandboxFails } : {}),
    ...(admissionError === undefined ? {} : { admissionError }),
  };
}

/** A line for each image: `busybox:1 takes 3s; size 4Mi; fails NotFound "no such image"`. */
function imagesOf(value: string): Map<string, ImageBehaviour> {
  const images = new Map<string, ImageBehaviour>();
  for (const line of linesOf(value)) {
    const [, name = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(line) ?? [];
    const image = readImage(rest);
    if (image) images.set(name, image);
  }
  return images;
}

function readImage(text: string): ImageBehaviour | undefined {
  const image: ImageBehaviour = { delayMs: 0, errors: [], repeats: false, code: 'Unknown' };
  for (const part of text.trim() === '' ? [] : (partsOf(text) ?? [[]])) {
    const words = new Words(part);
    if (!readPart(words, image) || !words.isOver) return undefined;
  }
  return image;
}

/** `present`, `absent`, `takes 3s`, `size 4Mi`, `user 1000`, `fails NotFound "first time" "second time"`, `always fails …`. */
function readPart(words: Words, image: ImageBehaviour): boolean {
  if (words.take('present')) image.present = true;
  else if (words.take('absent')) image.present = false;
  else if (words.take('takes')) {
    const delayMs = words.duration();
    if (delayMs === undefined) return false;
    image.delayMs = delayMs;
  } else if (words.take('size')) {
    const size = words.next()?.text;
    if (!parseQuantity(size)) return false;
    image.sizeBytes = quantityValue(size);
  } else if (words.take('user')) {
    const user = words.next()?.text ?? '';
    if (!/^\d{1,10}$/.test(user)) return false;
    image.user = Number(user);
  } else return readFailures(words, image);
  return true;
}

function readFailures(words: Words, image: ImageBehaviour): boolean {
  image.repeats = words.take('always');
  if (!words.take('fails')) return false;
  if (words.peek()?.isQuoted === false) image.code = words.next()?.text ?? image.code;
  const errors: string[] = [];
  for (let word = words.next(); word !== undefined; word = words.next()) {
    if (!word.isQuoted) return false;
    errors.push(word.text);
  }
  image.errors = errors.length > 0 ? errors : ['the registry refuses'];
  return true;
}
