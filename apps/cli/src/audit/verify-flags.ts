/** What `kubereel verify` was asked for, as written on the command line. */
export interface VerifyFlags {
  data?: string;
  eventStore?: string;
  eventStoreFile?: string;
  schedulerPlugins?: string[];
  /** `WHAT=NAME` of what the user knows of. */
  accept?: string[];
  output: string;
}
