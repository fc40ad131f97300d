/** Certificates of the cluster's own making. A door of its own: only a new cluster, and whoever signs, loads it. */
export * from './certificates';
export * from './sign-request';
