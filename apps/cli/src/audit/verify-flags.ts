/** What `kubereel verify` was asked for, as written on the command line. */
export interface VerifyFlags {
  data?: string;
  eventStore?: string;
  eventStoreFile?: string;
  schedulerPlugins?: string[];
  /** `WHAT=NAME` of what the user knows of. */
  accept?: string[];
  /** Files of seals that were kept elsewhere. */
  seal?: string[];
  /** The public key that they are signed with. */
  sealKey?: string;
  output: string;
}
