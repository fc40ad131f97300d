/** What `kubereel simulate` was asked for, as written on the command line. */
export interface SimulateFlags {
  live?: boolean;
  seed?: string;
  why: string[];
}
