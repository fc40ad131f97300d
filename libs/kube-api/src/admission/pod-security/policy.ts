import { invalidValue, type FieldError } from '../../status';

export type SecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** From the least strict to the strictest. */
export const securityLevels: readonly SecurityLevel[] = ['privileged', 'baseline', 'restricted'];

/** A level as it was in a minor version of Kubernetes; `latest` goes with the server. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  readonly version: number | 'latest';
}

/** How safe pods have to be (`enforce`), and what is told where they are less than that. */
export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

export const securityModes = ['enforce', 'audit', 'warn'] as const;
export type SecurityMode = (typeof securityModes)[number];

const privileged: LevelVersion = { level: 'privileged', version: 'latest' };
/** Upstream's, where nothing is configured: everything is allowed. */
export const privilegedPolicy: SecurityPolicy = { enforce: privileged, audit: privileged, warn: privileged };

const prefix = 'pod-security.kubernetes.io/';
type Labels = Readonly<Record<string, string>> | undefined;

export function levelText({ level, version }: LevelVersion): string {
  return `${level}:${version === 'latest' ? version : `v1.${version}`}`;
}

export function sameLevel(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version;
}

/** Above 0: the first is stricter. */
export function compareLevels(a: SecurityLevel, b: SecurityLevel): number {
  return securityLevels.indexOf(a) - securityLevels.indexOf(b);
}

export function isPrivileged(policy: SecurityPolicy): boolean {
  return securityModes.every((mode) => policy[mode].level === 'privileged');
}

function isLevel(text: string): text is SecurityLevel {
  return (securityLevels as readonly string[]).includes(text);
}

/** Undefined: it is no version. */
export function parseSecurityVersion(text: string): number | 'latest' | undefined {
  if (text === 'latest') return 'latest';
  const match = /^v1\.(\d|[1-9]\d*)$/.exec(text);
  return match ? Number(match[1]) : undefined;
}

function labelOf(labels: Labels, name: string): string | undefined {
  const key = `${prefix}${name}`;
  return labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** Whether the namespace itself says something of a mode. */
export function isModeLabelled(labels: Labels, mode: SecurityMode): boolean {
  return labelOf(labels, mode) !== undefined || labelOf(labels, `${mode}-version`) !== undefined;
}

/**
 * The policy that a namespace's labels ask for (upstream `PolicyToEvaluate`). A level that is none enforces the strictest, and neither warns nor
 * is noted; a version that is none is the latest.
 */
export function policyOf(labels: Labels, defaults: SecurityPolicy): SecurityPolicy {
  const read = (mode: SecurityMode): LevelVersion => {
    const [level, version] = [labelOf(labels, mode), labelOf(labels, `${mode}-version`)];
    const fallback = mode === 'enforce' ? 'restricted' : 'privileged';
    return {
      level: level === undefined ? defaults[mode].level : isLevel(level) ? level : fallback,
      version: version === undefined ? defaults[mode].version : (parseSecurityVersion(version) ?? 'latest'),
    };
  };
  const [enforce, audit, warn] = [read('enforce'), read('audit'), read('warn')];
  return { enforce, audit, warn: warnedOf(labels, enforce, warn) };
}

/** What a namespace enforces it warns of too, unless it says otherwise. */
function warnedOf(labels: Labels, enforce: LevelVersion, warn: LevelVersion): LevelVersion {
  const level = labelOf(labels, 'enforce');
  const isAsked = labelOf(labels, 'warn') === undefined && level !== undefined && isLevel(level);
  if (!isAsked || compareLevels(enforce.level, warn.level) <= 0) return warn;
  return { level: enforce.level, version: labelOf(labels, 'warn-version') === undefined ? enforce.version : warn.version };
}

/** What is wrong with the labels by which a namespace says how safe its pods must be. */
export function podSecurityErrors(labels: Labels): FieldError[] {
  const errors: FieldError[] = [];
  for (const mode of securityModes) {
    const level = labelOf(labels, mode);
    if (level !== undefined && !isLevel(level)) errors.push(refusal(mode, level, `must be one of ${securityLevels.join(', ')}`));
    const version = labelOf(labels, `${mode}-version`);
    if (version !== undefined && parseSecurityVersion(version) === undefined)
      errors.push(refusal(`${mode}-version`, version, 'must be "latest" or "v1.x"'));
  }
  return errors;
}

function refusal(name: string, value: string, text: string): FieldError {
  return invalidValue(`metadata.labels[${prefix}${name}]`, value, text);
}
