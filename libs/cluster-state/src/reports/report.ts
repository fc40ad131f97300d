import type { GroupResource } from '#libs/kernel';

/** The object that a report is about, as an Event names it. */
export interface Reference {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  uid: string;
  resourceVersion?: string;
  /** `spec.containers{app}` */
  fieldPath?: string;
}

/** What one of our own controllers would have told its users through an Event object. */
export interface Report {
  regarding: Reference;
  related?: Reference;
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** Who reports: `default-scheduler`, `kubelet`, `replicaset-controller`. */
  component: string;
  /** The node that a kubelet reports from. */
  host?: string;
  /** Set for reporters that write events.k8s.io (the scheduler): what was being done. Others write core events. */
  action?: string;
  /** How often it has happened in all, where that is not once more than was told. */
  count?: number;
  annotations?: Record<string, string>;
}

/** What reports need to know beside the event. */
export interface ReportContext {
  /** `apiVersion` and `kind` of a resource's objects. */
  kindOf(resource: GroupResource): { apiVersion: string; kind: string } | undefined;
}
