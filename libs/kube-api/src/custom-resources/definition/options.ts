import type { KubeObject } from '#libs/kernel';
import { heldEqual } from './held-equal';
import { bundleProblem } from './ca-bundle';
import { isEstablished } from './conditions';
import { schemaHas, type GivenSchema } from './given-schema';
import { heldSpec, schemaOfVersion, schemasOf, type HeldSpec } from './held-spec';
import { keysProblems, nonAtomicSetField } from './list-schemas';
import { hasUnknownInDefaults } from './defaults-check';
import { structuralProblem } from './structural-form';
import { validateStructural } from './structural';
import type { DefinitionSpec } from './types';

/** The kinds of values that schemas can tell. */
export const schemaTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** What is held against a definition. What an older one already got wrong is not held against its update. */
export interface DefinitionRules {
  readonly recognizedReviewVersion: boolean;
  readonly schemas: boolean;
  readonly knownTypes: boolean;
  readonly structural: boolean;
  readonly prunedDefaults: boolean;
  readonly atomicSets: boolean;
  readonly usableListKeys: boolean;
  readonly validBundle: boolean;
  /** Versions whose schemas are as they were: the costs of their rules are not looked at one by one. */
  readonly unchangedVersions: ReadonlySet<string>;
}

export const rulesForNew: DefinitionRules = {
  recognizedReviewVersion: true,
  schemas: true,
  knownTypes: true,
  structural: true,
  prunedDefaults: true,
  atomicSets: true,
  usableListKeys: true,
  // It is looked at when the definition is established.
  validBundle: false,
  unchangedVersions: new Set(),
};

export const reviewVersions = ['v1', 'v1beta1'];

export function rulesForUpdate(updated: HeldSpec, oldDefinition: KubeObject): DefinitionRules {
  const old = heldSpec(oldDefinition.spec as DefinitionSpec);
  const schemas = schemasOf(old);
  const none = (isSo: (schema: GivenSchema) => boolean): boolean => !schemas.some((schema) => schemaHas(schema, isSo));
  const isStructural = (schema: GivenSchema): boolean =>
    structuralProblem(schema) === undefined && validateStructural(schema, '').length === 0;
  const versions = old.conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    recognizedReviewVersion: versions.length === 0 || versions.some((version) => reviewVersions.includes(version)),
    schemas: Boolean(old.validation?.openAPIV3Schema) || (old.versions ?? []).every(({ schema }) => schema?.openAPIV3Schema),
    knownTypes: none(({ type }) => Boolean(type) && !schemaTypes.includes(type as string)),
    structural: schemas.every(isStructural),
    prunedDefaults: !schemas.some((schema) => isStructural(schema) && hasUnknownInDefaults(schema)),
    atomicSets: none((schema) => nonAtomicSetField(schema) !== undefined),
    usableListKeys: none((schema) => keysProblems(schema, '').length > 0),
    validBundle: isEstablished(oldDefinition) && !isInvalidBundle(old),
    unchangedVersions: unchangedVersions(updated, old),
  };
}

function isInvalidBundle({ conversion }: HeldSpec): boolean {
  const bundle = conversion?.webhook?.clientConfig?.caBundle;
  return Boolean(bundle) && bundleProblem(bundle as string) !== undefined;
}

function unchangedVersions(updated: HeldSpec, old: HeldSpec): Set<string> {
  const names = (updated.versions ?? []).map(({ name }) => name);
  const known = new Set((old.versions ?? []).map(({ name }) => name));
  return new Set(names.filter((name) => known.has(name) && heldEqual(schemaOfVersion(updated, name), schemaOfVersion(old, name))));
}
