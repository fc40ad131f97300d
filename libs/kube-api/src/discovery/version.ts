import { schemaData } from '../schema';

export interface BuildFacts {
  /** RFC 3339 */
  buildDate?: string;
  gitCommit?: string;
  platform?: string;
}

/** `GET /version`: the release whose behaviour this is. kubectl and Helm read `gitVersion`. */
export function versionInfo({ buildDate = '1970-01-01T00:00:00Z', gitCommit = '', platform = 'linux/amd64' }: BuildFacts = {}): object {
  const [major = '', minor = ''] = schemaData.release.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: schemaData.release,
    gitCommit,
    gitTreeState: 'clean',
    buildDate,
    // Of the toolchain that built the recorded server: clients print it, and a few insist that it is there.
    goVersion: 'go1.26.8',
    compiler: 'gc',
    platform,
  };
}
