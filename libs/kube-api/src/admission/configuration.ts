import type { LimitedResource } from '../quota';

/** What an operator sets of built-in admission. It is told in the log, so a write can be made again from that. */
export interface AdmissionConfiguration {
  /** Plug-ins beside those that are on by default. */
  readonly enabled: readonly string[];
  /** Plug-ins that are on by default, and not here. */
  readonly disabled: readonly string[];
  /** What may be used only where a quota covers it. */
  readonly limitedResources: readonly LimitedResource[];
}
