import type { KubeObject } from '#libs/kernel';

/** What listens on a port, for one connection. */
export interface Listener {
  /** What the bytes of a client are answered with; `isOver`: then the connection is closed. */
  input(bytes: Buffer): { bytes: Buffer; isOver: boolean };
}

/** Bytes of a request that is not ended. */
const requestMax = 64 * 1024;
const nothing = Buffer.alloc(0);

interface Container {
  name: string;
  ports?: { containerPort?: number; protocol?: string }[];
}

/** What is answered over HTTP at a port of a pod, by a container that names it. Undefined: nobody listens there. */
export function answerOf(pod: KubeObject, port: number): string | undefined {
  const containers = (pod.spec?.containers as Container[] | undefined) ?? [];
  const owner = containers.find(({ ports }) =>
    ports?.some(({ containerPort, protocol = 'TCP' }) => containerPort === port && protocol === 'TCP'),
  );
  if (!owner) return undefined;
  const { namespace, name } = pod.metadata;
  return `container ${owner.name} of pod ${namespace}/${name} is simulated: this is all that its port ${port} answers\n`;
}

/** Who listens on a port of a pod: a container that names it, with a small answer in HTTP. Undefined: nobody. */
export function listenerOf(pod: KubeObject, port: number): Listener | undefined {
  const body = answerOf(pod, port);
  if (body === undefined) return undefined;
  let request = '';
  return {
    input(bytes) {
      request += bytes.toString('latin1');
      if (request.length > requestMax) return { bytes: nothing, isOver: true };
      if (!request.includes('\r\n\r\n')) return { bytes: nothing, isOver: false };
      const isHttp = /^[A-Z]+ \S+ HTTP\/1\.[01]\r\n/.test(request);
      return { bytes: isHttp ? answer(request.startsWith('HEAD ') ? '' : body, body) : nothing, isOver: true };
    },
  };
}

function answer(sent: string, body: string): Buffer {
  const head = [
    'HTTP/1.1 200 OK',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${sent}`);
}
