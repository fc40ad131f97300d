/** What `kubereel why` was asked for, as written on the command line. */
export interface WhyFlags {
  data?: string;
  eventStore?: string;
  output: string;
  namespace: string;
}
