/** What `kubereel log` was asked for, as written on the command line. */
export interface LogFlags {
  data?: string;
  eventStore?: string;
  eventStoreFile?: string;
  follow?: boolean;
  output: string;
  type?: string[];
  actor?: string;
  since?: string;
  until?: string;
  limit?: string;
  showSecrets?: boolean;
}
