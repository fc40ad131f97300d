/** What `kubereel seal` was asked for, as written on the command line. */
export interface SealFlags {
  data?: string;
  eventStore?: string;
  eventStoreFile?: string;
  whole?: boolean;
  /** File of a private key. */
  key?: string;
  signature: boolean;
  publicKey?: boolean;
}
