import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubereel } from '../e2e/running-cluster';
import type { Missing } from './client';
import { here, namesIn } from './program';
import { build, cacheFolder, onPath, runGently, type Told } from './toolchain';

const operator = join(here, 'go', 'operator');

/** The tests of a small operator, written for envtest as any other. */
export const operatorTests = namesIn('go/operator/operator_test.go', /^func (Test\w+)\(/gm);

/** What a run of the suite left behind. */
export interface SuiteRun extends Told {
  /** What the runner of its language says of each test. */
  verdicts: ReadonlyMap<string, string>;
  /** Data folders of the API servers that it started. */
  kept: readonly string[];
}

/** Runs the operator's suite as its author does: unchanged, with KUBEBUILDER_ASSETS. */
export class EnvtestSuite {
  readonly folder = mkdtempSync(join(tmpdir(), 'kubereel-envtest-'));
  readonly assets = join(this.folder, 'assets');
  private binary = '';

  /** Writes the assets, and compiles the suite. */
  async prepare(): Promise<Missing | undefined> {
    const go = onPath('go');
    if (!go) return { missing: 'go is not on PATH' };
    this.binary = join(cacheFolder('envtest'), 'operator.test');
    const missing = await build('the suite of the operator', [go, 'test', '-c', '-o', this.binary, '.'], { cwd: operator });
    if (missing) return missing;
    const { code, stderr } = await kubereel(['envtest-assets', this.assets]);
    if (code !== 0) throw new Error(stderr);
    return undefined;
  }

  async run(env: Record<string, string> = {}): Promise<SuiteRun> {
    const keep = join(this.folder, 'kept');
    mkdirSync(keep, { recursive: true });
    const told = await runGently([this.binary, '-test.v'], {
      cwd: operator,
      env: { KUBEBUILDER_ASSETS: this.assets, KUBEREEL_KEEP: keep, HOME: this.folder, ...env },
      timeoutMs: 120_000,
      hasClaim: true,
    });
    const verdicts = new Map(
      [...told.stdout.matchAll(/^--- (PASS|FAIL|SKIP): (\w+)/gm)].map(([, verdict, name]) => [name, verdict] as [string, string]),
    );
    return { ...told, verdicts, kept: readdirSync(keep).map((name) => join(keep, name)) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
