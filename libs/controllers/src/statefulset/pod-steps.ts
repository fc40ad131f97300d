import type { ClusterState } from '#libs/cluster-state';
import type { Step } from '#libs/control-loop';
import type { Fact } from '#libs/events';
import type { JsonObject, KubeObject, OwnerReference } from '#libs/kernel';
import { report } from '../loop/report';
import { claimName, claims, claimsOfPod, claimTemplates, volumesOf } from './claims-of-pod';
import { identityLabels, statefulSets } from './identity';
import { claimOwners, isStaleClaim } from './retention';

export const component = 'statefulset-controller';

/** What a look does about the pods of a set, in order, and what it tells beside what the log will say of that. */
export class PodSteps {
  readonly steps: Step[] = [];
  readonly reports: Fact[] = [];

  constructor(
    private readonly cluster: ClusterState,
    private readonly set: KubeObject,
  ) {}

  /** Its claims first, as far as they are not there. Gives whether the pod is created too. */
  create(pod: KubeObject, ordinal: number): boolean {
    const { name, namespace } = pod.metadata;
    const wanted = claimsOfPod(this.set, ordinal);
    if (wanted.some(({ metadata }) => isStaleClaim(this.claim(metadata.name), this.set, name))) return false;
    const going = wanted.find(({ metadata }) => this.claim(metadata.name)?.metadata.deletionTimestamp);
    if (going) {
      this.tell(
        'Warning',
        'FailedCreate',
        `create Pod ${name} in StatefulSet ${this.set.metadata.name} failed error: pvc ${going.metadata.name} is being deleted`,
      );
      return false;
    }
    this.createClaims(ordinal);
    this.steps.push({ step: `create/${name}`, request: { verb: 'create', resource: 'pods', namespace, object: pod } });
    return true;
  }

  /** Those of the pod's claims that are not there. */
  createClaims(ordinal: number): void {
    for (const object of claimsOfPod(this.set, ordinal)) {
      const { name, namespace } = object.metadata;
      if (this.claim(name)) continue;
      this.steps.push({ step: `claim/${name}`, request: { verb: 'create', resource: claims, namespace, object } });
    }
  }

  delete({ metadata: { namespace, name, uid } }: KubeObject): void {
    const target = { resource: 'pods', namespace, name };
    this.steps.push({ step: `delete/${name}`, request: { verb: 'delete', target, options: { preconditions: { uid } } } });
  }

  /** Lets the pod be named and its claims be owned as its set says. */
  conform(pod: KubeObject, ordinal: number): void {
    const before = this.steps.length;
    this.nameAsMember(pod, ordinal);
    this.own(pod, ordinal);
    if (this.steps.length === before) return;
    this.tell('Normal', 'SuccessfulUpdate', `update Pod ${pod.metadata.name} in StatefulSet ${this.set.metadata.name} successful`);
  }

  /** Lets the pod's claims be owned as its set says. */
  own(pod: KubeObject, ordinal: number): void {
    for (const template of claimTemplates(this.set)) {
      const claim = this.claim(claimName(this.set, template, ordinal));
      if (!claim) continue;
      const { owners, isForeign } = claimOwners(claim, this.set, pod);
      if (!owners) continue;
      const { namespace, name, uid, resourceVersion } = claim.metadata;
      const text = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      if (isForeign) this.tell('Warning', 'ConflictingController', text);
      this.steps.push(
        merge(`own/${name}`, claims, { namespace, name }, { metadata: { uid, resourceVersion, ownerReferences: asJson(owners) } }),
      );
    }
  }

  private nameAsMember(pod: KubeObject, ordinal: number): void {
    const { namespace, name, uid, labels, resourceVersion } = pod.metadata;
    const wanted = identityLabels(this.set, ordinal);
    const isNamed = labels?.['statefulset.kubernetes.io/pod-name'] === name;
    const volumes = (pod.spec?.volumes ?? []) as JsonObject[];
    const isStored = claimTemplates(this.set).every((template) => {
      const volume = volumes.find((one) => one.name === template.metadata.name);
      return (volume?.persistentVolumeClaim as JsonObject | undefined)?.claimName === claimName(this.set, template, ordinal);
    });
    if (isNamed && isStored) return;
    const spec = isStored ? {} : { spec: { volumes: volumesOf(this.set, ordinal, volumes) } };
    const patch = { metadata: { uid, resourceVersion: resourceVersion as string, ...(isNamed ? {} : { labels: wanted }) }, ...spec };
    if (!isStored) this.createClaims(ordinal);
    this.steps.push(merge(`update/${name}`, 'pods', { namespace, name }, patch));
  }

  private claim(name: string): KubeObject | undefined {
    return this.cluster.get(claims, this.set.metadata.namespace, name);
  }

  tell(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.reports.push(report(component, statefulSets, this.set, { type, reason, message }));
  }
}

function merge(step: string, resource: string, { namespace, name }: { namespace?: string; name: string }, patch: object): Step {
  return { step, request: { verb: 'patch', target: { resource, namespace, name }, patchType: 'merge', patch: patch as JsonObject } };
}

function asJson(owners: readonly OwnerReference[]): JsonObject[] | null {
  return owners.length === 0 ? null : (owners as unknown as JsonObject[]);
}
