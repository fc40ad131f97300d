import type { Answer, RunningCluster } from '../e2e/running-cluster';

export type Verb = 'create' | 'delete' | 'patch' | 'get';

/** One request of a client and its answer, with its place among all that the clients sent and received. */
export interface Operation {
  verb: Verb;
  /** Resource and name: `pods/p-1`. */
  key: string;
  /** A value that this request alone writes (annotation `torture/op`), so that it can be found in the object's history. */
  mark: string;
  /** Places in the one order of sendings and answers as the clients saw them. */
  sent: number;
  /** Infinity: no answer came. */
  answered: number;
  /** 0: no answer came, so nobody knows what became of it. */
  code: number;
  /** Real time from sending to answer. */
  tookMs: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  /** Finalizers that the patch leaves on the object; undefined: it does not say. */
  finalizers?: string[];
}

/** Before a client goes on after a failure. */
const patienceMs = 200;

export const markAnnotation = 'torture/op';

const paths: Record<string, string> = { pods: '/api/v1/namespaces/default/pods', configmaps: '/api/v1/namespaces/default/configmaps' };

/** The clients' side: sends requests and keeps what was sent and answered, in order. */
export class Recorder {
  readonly operations: Operation[] = [];
  private place = 0;

  constructor(private readonly cluster: () => Pick<RunningCluster, 'call'>) {}

  create(resource: string, name: string, object: (mark: string) => object): Promise<Operation> {
    return this.send('create', resource, name, (mark) => this.cluster().call('POST', pathOf(resource), object(mark)));
  }

  delete(resource: string, name: string): Promise<Operation> {
    return this.send('delete', resource, name, () => this.cluster().call('DELETE', `${pathOf(resource)}/${name}`));
  }

  get(resource: string, name: string): Promise<Operation> {
    return this.send('get', resource, name, () => this.cluster().call('GET', `${pathOf(resource)}/${name}`));
  }

  /** A merge patch that leaves its mark, and the finalizers if some are given. */
  patch(resource: string, name: string, finalizers?: string[]): Promise<Operation> {
    return this.send(
      'patch',
      resource,
      name,
      (mark) => {
        const metadata = { annotations: { [markAnnotation]: mark }, ...(finalizers ? { finalizers } : {}) };
        const headers = { 'content-type': 'application/merge-patch+json' };
        return this.cluster().call('PATCH', `${pathOf(resource)}/${name}`, { metadata }, headers);
      },
      finalizers,
    );
  }

  private async send(
    verb: Verb,
    resource: string,
    name: string,
    call: (mark: string) => Promise<Answer>,
    finalizers?: string[],
  ): Promise<Operation> {
    const sent = ++this.place;
    const mark = `${verb}-${sent}`;
    const operation: Operation = {
      verb,
      key: `${resource}/${name}`,
      mark,
      sent,
      answered: Infinity,
      code: 0,
      body: undefined,
      tookMs: 0,
      finalizers,
    };
    this.operations.push(operation);
    const began = performance.now();
    try {
      const { code, body } = await call(mark);
      operation.code = code;
      operation.body = body;
      operation.answered = ++this.place;
    } catch {
      // No answer: whether it was done shows in the history, or never.
    }
    operation.tookMs = performance.now() - began;
    // Clients do not storm a server that is in trouble.
    if (operation.code === 0 || operation.code >= 500) await new Promise((resolve) => setTimeout(resolve, patienceMs));
    return operation;
  }
}

function pathOf(resource: string): string {
  return paths[resource] as string;
}
