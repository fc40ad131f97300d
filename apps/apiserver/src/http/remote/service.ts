import type { BareStatus } from './bare-status';

/** Which streams a client asked for (`PodExecOptions`, `PodAttachOptions`). */
export interface CommandOptions {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** The streams of one exec or attach, whatever carries them. What was not asked for is dropped. */
export interface CommandStreams {
  /** How an exit code is told: to clients of v5 the API server tells it, to others the node. */
  readonly isTranslated: boolean;
  write(stream: 'stdout' | 'stderr', bytes: Buffer): void;
  /** Resolves when the client has taken what was written, or has gone. */
  whenTaken(): Promise<void>;
  /** Called with what comes in; the next only comes once the promise is settled. */
  onInput(callback: (bytes: Buffer) => Promise<void>): void;
  onInputEnd(callback: () => void): void;
  /** Called once, when the client has gone, or after `end`. */
  onClosed(callback: () => void): void;
  /** Tells how it ended, and closes. */
  end(status: BareStatus): void;
}

/** Nothing answers where the node's kubelet should be. */
export interface Unreachable {
  /** `dial tcp 10.0.0.7:10250: i/o timeout` */
  dialError: string;
  /** The same with the request that was to be sent: `Post "https://…": dial tcp …`. */
  request: string;
}

/** exec and attach. */
export interface CommandService {
  kind: 'command';
  unreachable?: Unreachable;
  options: CommandOptions;
  /** Why the node refuses: it does so once the API server has passed the request on. */
  refusal: string | undefined;
  begin(streams: CommandStreams): void;
}

/** A connection to a port of a pod: what listens there answers with bytes, until it is over. */
export interface PortConnection {
  input(bytes: Buffer): { bytes: Buffer; isOver: boolean };
}

/** port-forward. */
export interface PortService {
  kind: 'ports';
  unreachable?: Unreachable;
  refusal: string | undefined;
  /** Ports named in the query, for clients that cannot name them later. */
  ports: readonly number[] | { error: string };
  /** Connects to a port; the text of an error when nothing listens there. */
  connect(port: number): PortConnection | string;
}

export type RemoteService = CommandService | PortService;
