/** What `kubereel why` was asked for, as written on the command line. */
export interface WhyFlags {
  data?: string;
  eventStore?: string;
  eventStoreFile?: string;
  schedulerPlugins?: string[];
  output: string;
  namespace: string;
  /** A node: why the pod is not there. */
  not?: string;
  /** With `not`: every attempt instead of the last one. */
  every?: boolean;
}
