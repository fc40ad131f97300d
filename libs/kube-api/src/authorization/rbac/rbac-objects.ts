import { objectKey, type GroupResource, type KubeObject, type ObjectKey } from '#libs/kernel';

/** A table of objects, as ClusterState has it. */
interface Table {
  /** Counts what has come, gone and changed. */
  readonly changes: number;
  get(key: ObjectKey): KubeObject | undefined;
  list(namespace?: string): Iterable<KubeObject>;
}

const rbac = 'rbac.authorization.k8s.io';
const resources = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const;

/** The roles and bindings of a cluster, as they are at each moment. */
export class RbacObjects {
  constructor(private readonly tableOf: (resource: GroupResource) => Table) {}

  /** Another number after each change of any of them. */
  get version(): number {
    let version = 0;
    for (const resource of resources) version += this.table(resource).changes;
    return version;
  }

  clusterRole(name: string): KubeObject | undefined {
    return this.table('clusterroles').get(objectKey(undefined, name));
  }

  role(namespace: string, name: string): KubeObject | undefined {
    return this.table('roles').get(objectKey(namespace, name));
  }

  clusterRoleBindings(): Iterable<KubeObject> {
    return this.table('clusterrolebindings').list();
  }

  roleBindings(namespace: string): Iterable<KubeObject> {
    return this.table('rolebindings').list(namespace);
  }

  private table(resource: (typeof resources)[number]): Table {
    return this.tableOf(`${resource}.${rbac}`);
  }
}
