/** What `kubereel reset` was asked for, as written on the command line. */
export interface ResetFlags {
  data?: string;
  yes?: boolean;
}
