import type { Timeline } from './timeline';
import type { UsageStep } from './usage';

/**
 * What a simulated container does: nothing is executed. All of it counts from a moment that the log tells, mostly the start of a run, so what
 * holds at any later moment is computed from the behaviour and that moment: nothing is ticked and nothing stored. Times are ms of cluster time.
 */
export interface ContainerBehaviour {
  /** How long a start takes, ms. */
  startupMs: number;
  /** One per attempt (restart count); the last repeats. Never empty. See `runOf`. */
  runs: readonly RunBehaviour[];
  onTerm: TermResponse;
  /** What probes find, whatever it is that they ask; this goes before the answers below. */
  health: Health;
  /** Answers to commands, by the first word's last part: `pg_isready` for `/usr/bin/pg_isready -h localhost`. See `execAnswers`. */
  exec: ReadonlyMap<string, Timeline<ExecAnswer>>;
  /** A port that is not named answers everything with 200. */
  http: readonly HttpPath[];
  /** A port that is not named is open. */
  tcp: readonly TcpPort[];
  /** A service that is not named is SERVING. */
  grpc: readonly GrpcService[];
  /** The runtime refuses to create the container, to start it, or to give a running one other resources. */
  failCreate?: Refusal;
  failStart?: Refusal;
  resizeFails?: string;
  /** Millicores from ms since the run began; nothing before the first step. See `usageAt`. */
  cpu: readonly UsageStep[];
  /** After this time, ms, the use of the processor begins anew. */
  cpuCycleMs?: number;
  /** Bytes of memory, of the container's own layer with its logs. */
  memory: readonly UsageStep[];
  disk: readonly UsageStep[];
  /** Files that it makes, and processes that it has: numbers of them. */
  inodes: readonly UsageStep[];
  pids: readonly UsageStep[];
  writes: readonly VolumeWrite[];
  /** What chance there is in the behaviour comes from this: the same each time it is asked for. */
  seed: string;
}

/** One attempt, from its start to the end it comes to by itself. */
export interface RunBehaviour {
  /** How long the run lasts, ms; undefined: until it is stopped. */
  runForMs?: number;
  /** With `runForMs`: it lasts as long as that, or up to this, by chance. */
  runForMaxMs?: number;
  /** Code with which it ends by itself. */
  exitCode: number;
  /** It ends by itself because its memory has run out: 137, OOMKilled. */
  oomKilled?: boolean;
  /** What it leaves in its termination message file when it ends by itself. */
  message?: string;
  log?: readonly LogEntry[];
}

/** Something that a run writes to its log, ms after its start; `atEnd`: when it ends by itself, `everyMs`: again and again from then on. */
export interface LogEntry {
  atMs: number;
  everyMs?: number;
  atEnd?: boolean;
  /** Without the end of the line. */
  text: string;
}

/** What a container does on TERM. `afterMs` undefined: it takes no notice and has to be killed. */
export interface TermResponse {
  afterMs: number | undefined;
  exitCode: number;
}

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

export type Health = Partial<Record<ProbeKind, Timeline<{ ok: boolean }>>>;

export interface ExecAnswer {
  exitCode: number;
  takesMs: number;
  out?: string;
  err?: string;
}

export interface HttpAnswer {
  code: number;
  takesMs: number;
  body?: string;
  /** Where a redirection leads. */
  location?: string;
}

export interface HttpPath {
  port: number;
  path: string;
  answers: Timeline<HttpAnswer>;
}

export interface TcpPort {
  port: number;
  answers: Timeline<{ open: boolean }>;
}

export interface GrpcService {
  port: number;
  /** '' is the server as a whole. */
  service: string;
  answers: Timeline<GrpcAnswer>;
}

export interface GrpcAnswer {
  /** `SERVING`, `NOT_SERVING`, `UNKNOWN`, `SERVICE_UNKNOWN`. */
  status: string;
  takesMs: number;
}

/** The runtime's refusal: this often, then no more; without `times` for ever. */
export interface Refusal {
  message: string;
  times?: number;
}

/** Bytes that a run writes into a mounted volume, once. */
export interface VolumeWrite {
  /** Ms since the run began. */
  atMs: number;
  /** Where the container has the volume. */
  mountPath: string;
  bytes: number;
}

export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral';

/** What is said about no container in particular. */
export interface KubeletDefaults {
  /** Duration of a container's start, ms of cluster time. */
  startupMs: number;
  onTerm: 'exit' | 'ignore';
  /** How many images a node pulls at once; absent: as many as are asked for. */
  pullsAtOnce?: number;
}
