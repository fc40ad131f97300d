import type {
  Availability,
  EventLog,
  Position,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  SubscribeOptions,
  Subscription,
  SubscriptionHandlers,
} from '#libs/event-log';
import { CliError } from '../cli-error';
import type { ApiClient } from '../live/api-client';

interface LogPage {
  cluster: string;
  seed: string;
  events: RecordedEvent[];
  next?: number;
  forgotten?: number;
}

/** Later than every event. */
const farthest = Number.MAX_SAFE_INTEGER;
/** How often a follower asks for what is new. */
const followMs = 300;

/** The log of a running cluster, read through its API server: for questions about a cluster whose folder is not at hand. */
export class RemoteLog implements EventLog {
  readonly readsAnywhere = true;

  /** @param secrets hidden: only for showing, since nothing can be checked or decided again by it */
  constructor(
    private readonly api: ApiClient,
    private readonly secrets: 'shown' | 'hidden' = 'shown',
  ) {}

  /** Whose log it is. @throws CliError when the server is no kubereel. */
  async identity(): Promise<{ cluster: string; seed: string; forgotten?: number }> {
    return this.page('forwards', 0, 1);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncIterable<readonly RecordedEvent[]> {
    const { direction = 'forwards', limit = Infinity, filter } = options;
    let next: number | undefined = typeof options.from === 'number' ? options.from : direction === 'forwards' ? 0 : farthest;
    let left = limit;
    while (next !== undefined && left > 0) {
      const page: LogPage = await this.page(direction, next, left);
      const wanted = page.events.filter((event) => matches(event, filter?.streamPrefixes)).slice(0, left);
      left -= wanted.length;
      if (wanted.length > 0) yield wanted;
      next = page.next;
    }
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<readonly RecordedEvent[]> {
    if (options.direction === 'backwards') throw new CliError('a remote log is read forwards only');
    for await (const page of this.readAll()) {
      const wanted = page.filter((event) => event.stream === stream);
      if (wanted.length > 0) yield wanted;
    }
  }

  async head(): Promise<Position | undefined> {
    for await (const [last] of this.readAll({ direction: 'backwards', limit: 1 })) return last?.position;
    return undefined;
  }

  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription {
    let closed = false;
    let after = typeof options.after === 'number' ? options.after : 0;
    const follow = async (): Promise<void> => {
      if (options.after === 'end') after = (await this.head()) ?? 0;
      for (;;) {
        for await (const page of this.readAll({ from: after + 1, filter: options.filter })) {
          if (closed) return;
          await handlers.events(page);
          after = page[page.length - 1]?.position ?? after;
        }
        handlers.caughtUp();
        await new Promise((resolve) => setTimeout(resolve, followMs));
        if (closed) return;
      }
    };
    follow().catch((error: Error) => handlers.failed(error));
    return {
      close: () => {
        closed = true;
        return Promise.resolve();
      },
    };
  }

  append(): Promise<never> {
    return Promise.reject(new CliError('a remote log is only read'));
  }

  check(): Promise<Availability> {
    return Promise.resolve({ available: true });
  }

  onAvailability(): () => void {
    return () => undefined;
  }

  close(): Promise<void> {
    this.api.close();
    return Promise.resolve();
  }

  private async page(direction: 'forwards' | 'backwards', from: number, limit: number): Promise<LogPage> {
    const query = [
      direction === 'forwards' ? `from=${from}` : `before=${from}`,
      ...(limit < Infinity ? [`limit=${limit}`] : []),
      ...(this.secrets === 'shown' ? ['secrets=shown'] : []),
    ];
    const { code, body } = await this.api.call('GET', `/kubereel/log?${query.join('&')}`);
    if (code === 200 && Array.isArray(body.events)) return body as unknown as LogPage;
    throw new CliError(
      `the server in $KUBECONFIG does not answer as kubereel does (${code})`,
      'Name the folder of the cluster with --data.',
    );
  }
}

function matches(event: RecordedEvent, prefixes: readonly string[] | undefined): boolean {
  return !prefixes || prefixes.some((prefix) => event.stream.startsWith(prefix));
}
