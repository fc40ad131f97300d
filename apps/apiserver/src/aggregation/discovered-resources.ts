import type { JsonObject } from '#libs/kernel';

/** A resource as aggregated discovery has it (`apidiscovery.k8s.io/v2`). */
export interface DiscoveredResource {
  resource: string;
  responseKind: JsonObject;
  scope: string;
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { subresource: string; responseKind: JsonObject; verbs: string[] }[];
}

type Loose = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
const some = (value: unknown): string[] | undefined => (texts(value).length > 0 ? texts(value) : undefined);
const items = (value: unknown): Loose[] =>
  Array.isArray(value) ? value.filter((each): each is Loose => typeof each === 'object' && each !== null) : [];

function kindOf(value: unknown): JsonObject {
  const { group, version, kind } = (typeof value === 'object' && value !== null ? value : {}) as Loose;
  return { group: text(group), version: text(version), kind: text(kind) };
}

/** By `GROUP/VERSION`, what an `APIGroupDiscoveryList` of another server says; what is not of its form is left out. */
export function fromAggregated(list: Loose): Map<string, DiscoveredResource[]> {
  const found = new Map<string, DiscoveredResource[]>();
  for (const { metadata, versions } of items(list.items)) {
    const { name } = (metadata ?? {}) as Loose;
    for (const { version, resources } of items(versions)) found.set(`${text(name)}/${text(version)}`, items(resources).map(read));
  }
  return found;
}

function read(said: Loose): DiscoveredResource {
  const subresources = items(said.subresources).map(({ subresource, responseKind, verbs }) => ({
    subresource: text(subresource),
    responseKind: kindOf(responseKind),
    verbs: texts(verbs),
  }));
  return {
    resource: text(said.resource),
    responseKind: kindOf(said.responseKind),
    scope: text(said.scope),
    singularResource: text(said.singularResource),
    verbs: texts(said.verbs),
    shortNames: some(said.shortNames),
    categories: some(said.categories),
    subresources: subresources.length > 0 ? subresources : undefined,
  };
}

const scopeOf = ({ namespaced }: Loose): string => (namespaced === true ? 'Namespaced' : 'Cluster');

/** What an `APIResourceList` says, in the aggregated form (upstream: `ConvertGroupVersionIntoToDiscovery`). Undefined: it contradicts itself. */
export function fromResourceList(list: Loose): DiscoveredResource[] | undefined {
  const said = items(list.resources);
  const found = new Map<string, DiscoveredResource>();
  for (const each of said) {
    const name = text(each.name);
    if (name.includes('/')) continue;
    found.set(name, {
      resource: name,
      responseKind: kindOf(each),
      scope: scopeOf(each),
      singularResource: text(each.singularName),
      verbs: texts(each.verbs),
      shortNames: some(each.shortNames),
      categories: some(each.categories),
    });
  }
  for (const each of said) {
    const [name = '', ...rest] = text(each.name).split('/');
    if (rest.length === 0) continue;
    const scope = scopeOf(each);
    const parent = found.get(name) ?? { resource: name, responseKind: kindOf(undefined), scope, singularResource: '', verbs: [] };
    found.set(name, parent);
    if (parent.scope !== scope) return undefined;
    const responseKind = each.kind ? kindOf(each) : kindOf(undefined);
    (parent.subresources ??= []).push({ subresource: rest.join('/'), responseKind, verbs: texts(each.verbs) });
  }
  return [...found.values()];
}
