import type { AdmissionFlags } from './admission-option';
import type { AuditFlags } from './audit-option';
import type { ControllerManagerFlags } from './controller-manager-option';

/** What `kubereel up` was asked for, as written on the command line. */
export interface UpFlags extends AdmissionFlags, AuditFlags, ControllerManagerFlags {
  data?: string;
  ephemeral?: boolean;
  keepRequests?: boolean;
  history?: string;
  compactAfter?: string;
  port?: string;
  host: string;
  nodes?: string;
  heartbeats?: boolean;
  apps?: string;
  seed?: string;
  split?: boolean;
  eventStore?: string;
  eventStoreFile?: string;
  kubeconfig?: string;
  readyFile?: string;
  durability: string;
  clock: string;
  kubeletConfig?: string;
  schedulerConfig?: string;
  schedulerPlugins?: string[];
  serviceAccountIssuer?: string;
  kwokFiles?: string;
  maxRequestsInflight?: string;
  maxMutatingRequestsInflight?: string;
  metricsServer: boolean;
  snapshots: boolean;
}
