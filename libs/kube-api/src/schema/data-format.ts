/**
 * The data file of one Kubernetes release (libs/kube-api/data), made by scripts/update-schemas.mjs from recorded documents.
 * Facts only. Definitions carry short names: package and type (`core.v1.Pod`).
 */
export interface SchemaData {
  readonly release: string;
  readonly sources: {
    readonly openApi: { readonly documents: number; readonly sha256: string };
    readonly protobuf: { readonly release: string; readonly sha256: string };
    readonly structs: string;
  };
  /** Over everything below, as JSON. */
  readonly sha256: string;
  /** Names of definitions in OpenAPI where they are not `io.k8s.api.` + short name. */
  readonly openApiNames: Readonly<Record<string, string>>;
  /** Structs that are one value to server-side apply. */
  readonly atomic: readonly string[];
  /** `apiVersion/Kind` → definition; an apiVersion of `*` is every one. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly resources: readonly ResourceFacts[];
  /** Definition → its fields in the order of the Go struct, one line each (see notation.ts). */
  readonly definitions: Readonly<Record<string, readonly string[]>>;
}

/** A resource as discovery shows it. */
export interface ResourceFacts {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly subresources?: readonly SubresourceFacts[];
}

export interface SubresourceFacts {
  readonly name: string;
  readonly kind: string;
  /** Present where they are not those of the resource itself. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}
