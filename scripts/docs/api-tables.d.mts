interface Kind {
  readonly served: boolean;
  readonly apiVersion: string;
  readonly resource: string;
}
export function apiParts<K extends Kind>(api: {
  releaseKinds: { readonly all: readonly K[] };
  isSubresourceServed: (kind: K, name: string) => boolean;
}): Record<string, string>;
