import { derivedUid, type KubeObject } from '#libs/kernel';
import { isPrivileged, type User } from '#libs/kube-api';

const probe = /^\/(healthz|livez|readyz)(\/|$)/;

export interface FairnessHeaders {
  'X-Kubernetes-Pf-Flowschema-Uid': string;
  'X-Kubernetes-Pf-Prioritylevel-Uid': string;
}

/** Flow schemas and priority levels, as they are now. */
export interface FlowControl {
  schema(name: string): KubeObject | undefined;
  level(name: string): KubeObject | undefined;
}

/** What requests of one flow schema are told, made again when one of the two objects is another one. */
class Flow {
  private uids: readonly [string, string] | undefined;
  private headers: FairnessHeaders | undefined;

  constructor(
    private readonly schema: string,
    private readonly level: string,
  ) {}

  headersBy(flowControl: FlowControl): FairnessHeaders {
    // Deleted ones are made again at once; until then they have the uid that nobody else has.
    const schema = flowControl.schema(this.schema)?.metadata.uid ?? derivedUid(`flowschemas/${this.schema}`);
    const level = flowControl.level(this.level)?.metadata.uid ?? derivedUid(`prioritylevelconfigurations/${this.level}`);
    if (!this.headers || this.uids?.[0] !== schema || this.uids[1] !== level) {
      this.uids = [schema, level];
      this.headers = { 'X-Kubernetes-Pf-Flowschema-Uid': schema, 'X-Kubernetes-Pf-Prioritylevel-Uid': level };
    }
    return this.headers;
  }
}

/** Which of the flow schemas that a server makes for itself a request falls under. Nothing is held back: the headers only say it. */
export class Fairness {
  private readonly exempt = new Flow('exempt', 'exempt');
  private readonly probes = new Flow('probes', 'exempt');
  private readonly nodes = new Flow('system-nodes', 'system');
  private readonly accounts = new Flow('service-accounts', 'workload-low');
  private readonly others = new Flow('global-default', 'global-default');
  private readonly catchAll = new Flow('catch-all', 'catch-all');

  constructor(private readonly flowControl: FlowControl) {}

  headersOf(user: User, path: string): FairnessHeaders {
    return this.flowOf(user, path).headersBy(this.flowControl);
  }

  private flowOf(user: User, path: string): Flow {
    if (isPrivileged(user)) return this.exempt;
    if (probe.test(path)) return this.probes;
    const { groups } = user;
    if (!groups.includes('system:authenticated')) return this.catchAll;
    if (groups.includes('system:nodes')) return this.nodes;
    return groups.includes('system:serviceaccounts') ? this.accounts : this.others;
  }
}
