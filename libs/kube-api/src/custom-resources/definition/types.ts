import type { JsonObject } from '#libs/kernel';

/** `spec.names` of a definition, and what of them the server has accepted (`status.acceptedNames`). */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[] | null;
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[] | null;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface Subresources {
  readonly status?: JsonObject | null;
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string } | null;
}

/** One version of a custom kind, as it is written in `spec.versions`. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string | null;
  readonly schema?: { readonly openAPIV3Schema?: JsonObject | null } | null;
  readonly subresources?: Subresources | null;
  readonly additionalPrinterColumns?: readonly PrinterColumn[] | null;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | null;
}

export interface WebhookClientConfig {
  readonly url?: string | null;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string | null;
    readonly port?: number | null;
  } | null;
  readonly caBundle?: string | null;
}

export interface DefinitionConversion {
  readonly strategy: string;
  readonly webhook?: {
    readonly clientConfig?: WebhookClientConfig | null;
    readonly conversionReviewVersions?: readonly string[] | null;
  } | null;
}

/** `spec` of a CustomResourceDefinition, decoded. */
export interface DefinitionSpec {
  readonly group: string;
  readonly names: DefinitionNames;
  readonly scope: string;
  readonly versions: readonly DefinitionVersion[] | null;
  readonly conversion?: DefinitionConversion | null;
  readonly preserveUnknownFields?: boolean;
}

export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface DefinitionStatus {
  readonly conditions: readonly DefinitionCondition[] | null;
  readonly acceptedNames: DefinitionNames;
  readonly storedVersions: readonly string[] | null;
}
