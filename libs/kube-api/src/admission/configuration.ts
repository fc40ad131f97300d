import type { LimitedResource } from '../quota';
import type { SecurityPolicy } from './pod-security/policy';

/** What of pod security an operator has configured. */
export interface PodSecurityConfiguration {
  /** For namespaces that say nothing themselves. */
  readonly defaults: SecurityPolicy;
  /** Who and what is not looked at. */
  readonly exemptions: {
    readonly usernames: readonly string[];
    readonly namespaces: readonly string[];
    readonly runtimeClasses: readonly string[];
  };
}

/** What an operator sets of built-in admission. It is told in the log, so a write can be made again from that. */
export interface AdmissionConfiguration {
  /** Plug-ins beside those that are on by default. */
  readonly enabled: readonly string[];
  /** Plug-ins that are on by default, and not here. */
  readonly disabled: readonly string[];
  /** What may be used only where a quota covers it. */
  readonly limitedResources: readonly LimitedResource[];
  /** Absent: everything is allowed that no namespace forbids. */
  readonly podSecurity?: PodSecurityConfiguration;
}
