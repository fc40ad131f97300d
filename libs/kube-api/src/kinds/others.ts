import type { KindDescription } from './behaviour';

/** What is known of kinds that are not served yet. One that comes to be served gets a folder of its own group. */
const inGroup = (group: string, ...descriptions: KindDescription[]): KindDescription[] =>
  descriptions.map((description) => ({ ...description, name: `${description.name}.${group}` }));

export const otherKinds: readonly KindDescription[] = [
  ...inGroup('apiextensions.k8s.io', { name: 'customresourcedefinitions', generation: 'managed' }),
];
