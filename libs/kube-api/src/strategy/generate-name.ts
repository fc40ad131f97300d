import type { KubeObject } from '#libs/kernel';

/** The longest part of `generateName` that is used: five characters follow, and 63 is a label's limit. */
const baseMax = 58;

/** `name` as the server makes it from `generateName`; a name that is given wins. */
export function withGeneratedName(object: KubeObject, suffix: string): KubeObject {
  const { name, generateName } = object.metadata;
  if (name || !generateName) return object;
  return { ...object, metadata: { ...object.metadata, name: `${generateName.slice(0, baseMax)}${suffix}` } };
}
