import type { GroupResource } from '#libs/kernel';
import type { Definition, GroupVersionKind } from '../schema';
import { apiVersionOf } from './names';
import type { SchemaLookup } from './define-kind';
import { compareVersions } from './version-order';
import type { ResourceKind } from './resource-kind';

/**
 * The kinds of one cluster. A catalogue begins with the kinds of the release; others come and go while the cluster lives, and are
 * no kinds of any other cluster.
 */
export class KindCatalogue {
  private readonly byPath = new Map<string, ResourceKind>();
  private readonly byName = new Map<GroupResource, ResourceKind>();
  private readonly byKind = new Map<string, ResourceKind>();
  private changes = 0;
  private list: readonly ResourceKind[] | undefined;
  private forms: Map<GroupResource, ResourceKind[]> | undefined;

  /** @param otherSchemas of kinds that are no resources (lists, Scale, DeleteOptions). */
  constructor(
    kinds: Iterable<ResourceKind>,
    private readonly otherSchemas: SchemaLookup = () => undefined,
  ) {
    for (const kind of kinds) this.put(kind);
  }

  /** Counts what has come and gone: whatever was made from the catalogue holds as long as this stays the same. */
  get version(): number {
    return this.changes;
  }

  /** In the order of discovery; custom kinds behind those of the release, by group and version. */
  get all(): readonly ResourceKind[] {
    return (this.list ??= inOrder([...this.byPath.values()]));
  }

  /** Adds a kind; one that is there at the same path is replaced. */
  add(kind: ResourceKind): void {
    this.changed();
    this.put(kind);
  }

  /** A catalogue with these in the place of those that are there by the same names; this one stays as it is. */
  replacing(kinds: Iterable<ResourceKind>): KindCatalogue {
    const copy = new KindCatalogue([], this.otherSchemas);
    for (const [path, kind] of this.byPath) copy.byPath.set(path, kind);
    for (const [name, kind] of this.byName) copy.byName.set(name, kind);
    for (const [path, kind] of this.byKind) copy.byKind.set(path, kind);
    for (const kind of kinds) copy.put(kind);
    return copy;
  }

  /** All versions of a custom resource; kinds of the release stay. */
  removeCustom(name: GroupResource): void {
    if (this.byName.get(name)?.form) this.remove(name);
  }

  /** All versions of a resource. */
  remove(name: GroupResource): void {
    this.changed();
    this.byName.delete(name);
    for (const [path, kind] of this.byPath) if (kind.groupResource === name) this.byPath.delete(path);
    for (const [path, kind] of this.byKind) if (kind.groupResource === name) this.byKind.delete(path);
  }

  hasGroup(group: string): boolean {
    return this.all.some((kind) => kind.group === group);
  }

  /** By group (`` for core), version and plural name, as a path gives them. */
  findResource(group: string, version: string, resource: string): ResourceKind | undefined {
    return this.byPath.get(`${group}/${version}/${resource}`);
  }

  /** By `pods`, `deployments.apps`; of several versions the one that objects are stored in. */
  findGroupResource(name: GroupResource): ResourceKind | undefined {
    return this.byName.get(name);
  }

  /** As `findGroupResource`, for a name that is known to exist. @throws Error */
  kindOf(name: GroupResource): ResourceKind {
    const found = this.byName.get(name);
    if (!found) throw new Error(`no resource ${name}`);
    return found;
  }

  /** All forms in which the objects of a resource are shown, in any group and version: by the name that they are stored under. */
  formsOf(storage: GroupResource): readonly ResourceKind[] {
    this.forms ??= new Map();
    let forms = this.forms.get(storage);
    if (!forms) this.forms.set(storage, (forms = this.all.filter((kind) => kind.storage === storage)));
    return forms;
  }

  /** By `apps/v1` and `Deployment`. Subresource kinds (Scale, Eviction …) are no resources and not found here. */
  findKind(apiVersion: string, kind: string): ResourceKind | undefined {
    return this.byKind.get(`${apiVersion}/${kind}`);
  }

  /** How objects of a kind look, be it a resource, a list of its objects, or neither. */
  schemaOf(gvk: GroupVersionKind): Definition | undefined {
    const { group, version, kind } = gvk;
    const apiVersion = apiVersionOf(group, version);
    const own = this.findKind(apiVersion, kind);
    if (own) return own.schema;
    return this.otherSchemas(gvk) ?? (kind.endsWith('List') ? this.findKind(apiVersion, kind.slice(0, -4))?.listSchema : undefined);
  }

  private changed(): void {
    this.changes++;
    this.list = undefined;
    this.forms = undefined;
  }

  private put(kind: ResourceKind): void {
    const known = this.byName.get(kind.groupResource);
    if (!known || known.version === kind.version || (!isStored(known) && isStored(kind))) this.byName.set(kind.groupResource, kind);
    // A custom kind may be stored in a version that nobody can ask for.
    if (kind.form && !kind.served) return;
    this.byPath.set(`${kind.group}/${kind.version}/${kind.resource}`, kind);
    this.byKind.set(`${kind.apiVersion}/${kind.kind}`, kind);
  }
}

const isStored = ({ form, conversion }: ResourceKind): boolean => (form ? form.isStored : !conversion);

/** Groups of custom kinds come by name, and what is in them by version and name. */
function inOrder(kinds: ResourceKind[]): readonly ResourceKind[] {
  const custom = kinds.filter(({ form }) => form);
  if (custom.length === 0) return kinds;
  const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  custom.sort((a, b) => byName(a.group, b.group) || compareVersions(a.version, b.version) || byName(a.resource, b.resource));
  return [...kinds.filter(({ form }) => !form), ...custom];
}
