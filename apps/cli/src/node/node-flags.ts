/** Flags of `kubereel node`, as typed. */
export interface NodeFlags {
  machine?: boolean;
  memory?: string;
  disk?: string;
  inodes?: string;
  pids?: string;
  runtime?: string;
  network?: string;
  grace?: string;
  critical?: string;
  cpu?: string;
  pods?: string;
  zone?: string;
  timeout?: string;
  file?: string;
  remove?: string;
}
