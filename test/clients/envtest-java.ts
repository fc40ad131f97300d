import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubereel } from '../e2e/running-cluster';
import type { Missing } from './client';
import type { SuiteRun } from './envtest';
import { compileJava } from './java';
import { here, namesIn } from './program';
import { onPath, runGently } from './toolchain';

const className = 'ShelfTest';
/** The tests of a class that has an API server by an annotation, as kube-api-test offers it. */
export const shelfTests = namesIn(`java/suite/src/main/java/kubereel/${className}.java`, /@Test\n {2}void (\w+)\(/g);

/** kube-api-test finds binaries in a folder of their version and machine. */
const binaries = `1.34.4-${platform()}-${arch() === 'x64' ? 'amd64' : arch()}`;

/** Runs a suite of JUnit as its author does: unchanged, with the folder of binaries that kube-api-test looks into. */
export class JavaSuite {
  readonly folder = mkdtempSync(join(tmpdir(), 'kubereel-envtest-java-'));
  private command: readonly string[] = [];

  async prepare(): Promise<Missing | undefined> {
    // kube-api-test asks by kubectl whether its server is there.
    if (!onPath('kubectl')) return { missing: 'kubectl is not on PATH' };
    const made = await compileJava(join(here, 'java', 'suite'), className);
    if ('missing' in made) return made;
    this.command = made.command;
    mkdirSync(join(this.folder, 'k8s'));
    const { code, stderr } = await kubereel(['envtest-assets', join(this.folder, 'k8s', binaries)]);
    if (code !== 0) throw new Error(stderr);
    return undefined;
  }

  async run(): Promise<SuiteRun> {
    const keep = join(this.folder, 'kept');
    mkdirSync(keep);
    const told = await runGently(
      [
        ...this.command,
        'org.junit.platform.console.ConsoleLauncher',
        'execute',
        `--select-class=kubereel.${className}`,
        '--details=testfeed',
        '--disable-banner',
        '--disable-ansi-colors',
      ],
      {
        env: { KUBE_API_TEST_DIR: this.folder, KUBEREEL_KEEP: keep, HOME: this.folder },
        timeoutMs: 180_000,
        hasClaim: true,
      },
    );
    const ended = told.stdout.matchAll(/> (\w+)\(\) :: (SUCCESSFUL|FAILED|ABORTED)/g);
    return {
      ...told,
      verdicts: new Map([...ended].map(([, name = '', verdict = '']) => [name, verdict])),
      kept: readdirSync(keep).map((name) => join(keep, name)),
    };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
