interface Agreement {
  agreed: number;
  compared: number;
}

export interface FileResult {
  file: string;
  passed: number;
  failed: number;
  aspects: [string, Agreement][];
}

export interface InClusterResult {
  files: Map<string, { agreed: number; played: number }>;
  left: Map<string, number>;
  verified: { agreed: number; differ: number; notDerivable: number };
}

export interface IncidentResult {
  name: string;
  decisions: {
    preemption: { preemptor: string; node: string };
    difference: string | undefined;
    agreesAtMs: number | undefined;
  }[];
}

export interface SessionResult {
  session: string;
  total: number;
  steps: { differences: unknown[]; waitsFor?: string }[];
  skipped?: string;
}

export function schedulerPart(release: string, files: readonly FileResult[]): string;
export function inClusterPart(release: string, result: InClusterResult): string;
export function incidentDecisionsPart(release: string, incidents: readonly IncidentResult[]): string;
export interface AreaResult {
  area: string;
  passed: number;
  sequences: number;
  steps: number;
  agreed: number;
  exceptions: Record<string, number>;
}

export function eventStorePart(release: string, areas: readonly AreaResult[], exceptions: Readonly<Record<string, string>>): string;
export function sessionsPart(release: string, sessions: readonly SessionResult[], words: { what: string; unit: string }): string;
export function exceptionsPart(exceptions: readonly { what: string; why: string }[]): string;
export function kindsPart(release: string, recordings: readonly { what: string; results: readonly SessionResult[] }[]): string;
