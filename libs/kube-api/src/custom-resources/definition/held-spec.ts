import { heldEqual } from './held-equal';
import { listOf } from '../../validation/values';
import type { GivenSchema } from './given-schema';
import type { DefinitionSpec, DefinitionVersion, PrinterColumn, Subresources } from './types';

/** A schema of a version, or of all. */
export interface HeldSchema {
  readonly openAPIV3Schema?: GivenSchema | null;
}

type Shared = Pick<DefinitionVersion, 'subresources' | 'schema' | 'additionalPrinterColumns' | 'selectableFields'>;
const sharedFields = ['subresources', 'schema', 'additionalPrinterColumns', 'selectableFields'] as const satisfies (keyof Shared)[];

/**
 * A definition as the server holds it, which is how its findings name fields: what is the same in all versions stands once, above them
 * (`spec.validation` rather than `spec.versions[0].schema`).
 */
export interface HeldSpec extends Omit<DefinitionSpec, 'versions'> {
  /** The name of the first version. */
  readonly version: string;
  /** Null: none are given at all. */
  readonly versions: readonly DefinitionVersion[] | null;
  readonly validation: HeldSchema | undefined;
  readonly subresources: Subresources | undefined;
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly { readonly jsonPath: string }[];
}

export function heldSpec(spec: DefinitionSpec): HeldSpec {
  const given = listOf(spec.versions) as DefinitionVersion[];
  const [first] = given;
  const shared = new Set(sharedFields.filter((field) => first && given.every((version) => heldEqual(version[field], first[field]))));
  const shownOnce = <F extends keyof Shared>(field: F): Shared[F] | undefined =>
    first && shared.has(field) ? (first[field] ?? undefined) : undefined;
  const versions = given.map((version) => {
    const own = { ...version };
    for (const field of shared) delete own[field];
    return own;
  });
  return {
    ...spec,
    version: first?.name ?? '',
    versions: spec.versions ? versions : null,
    validation: shownOnce('schema') as HeldSchema | undefined,
    subresources: shownOnce('subresources') ?? undefined,
    additionalPrinterColumns: shownOnce('additionalPrinterColumns') ?? [],
    selectableFields: shownOnce('selectableFields') ?? [],
  };
}

/** Every schema of a definition, where it stands. */
export function schemasOf({ validation, versions }: HeldSpec): GivenSchema[] {
  const own = (versions ?? []).map(({ schema }) => (schema as HeldSchema | undefined)?.openAPIV3Schema);
  return [validation?.openAPIV3Schema, ...own].filter((schema) => schema !== undefined && schema !== null);
}

/** The schema of a version, be it its own or that of all. */
export function schemaOfVersion(spec: HeldSpec, name: string): HeldSchema | undefined {
  const versions = spec.versions ?? [];
  if (!versions.some(({ schema }) => schema)) return spec.validation;
  return versions.find((version) => version.name === name)?.schema as HeldSchema | undefined;
}
