import type { RunningCluster } from '../e2e/running-cluster';
import type { BreakableLine } from './breakable-line';

/** What a client's program is given: a cluster of its own. */
export interface Surroundings {
  cluster: RunningCluster;
  line: BreakableLine;
  /** A folder for files of the run; gone afterwards. */
  folder: string;
}

/** What came of one check: undefined when it holds, else why it does not. */
export type Outcomes = Map<string, string | undefined>;

/** A client that can run here. */
export interface Ready {
  /** Its version, as it tells itself or as it is pinned. */
  version: string;
  play(surroundings: Surroundings): Promise<Outcomes>;
}

/** A client that cannot, and why. */
export interface Missing {
  missing: string;
}

/** An unmodified client of Kubernetes, and what is tried with it. */
export interface Client {
  /** Its own, among all. */
  name: string;
  /** As `npm run clients -- NAME` names it, or those like it. */
  command: string;
  title: string;
  /** The title of all versions that are tried, where there are several. */
  family?: string;
  /** The version that is tried. */
  version: string;
  /** What has to be on the machine. */
  needs: string;
  /** What a user of the client relies on: one test each. */
  checks: readonly string[];
  /** Runs only when it is named. */
  onlyByName?: string;
  /** Flags of `kubereel up` for its cluster. */
  up?: readonly string[];
  /** Finds the toolchain, and builds or downloads what the client is made of. @throws Error when that fails for another reason than the network */
  prepare(): Promise<Ready | Missing>;
}
