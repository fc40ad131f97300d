/** What `kubereel verify` was asked for, as written on the command line. */
export interface VerifyFlags {
  data?: string;
  eventStore?: string;
  eventStoreFile?: string;
  schedulerPlugins?: string[];
  output: string;
}
