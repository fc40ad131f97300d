/** What `kubereel simulate` was asked for, as written on the command line. */
export interface SimulateFlags {
  live?: boolean;
  seed?: string;
  why: string[];
  /** File for the events, one JSON a line. */
  events?: string;
}
