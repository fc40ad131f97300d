import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client';
import { here, namesIn, playProgram } from './program';
import { build, cacheFolder, onPath } from './toolchain';

const pom = join(here, 'java', 'pom.xml');
const source = 'java/src/main/java/kubereel/Checks.java';
const version = /<fabric8\.version>(.+)<\/fabric8\.version>/.exec(readFileSync(pom, 'utf8'))?.[1] ?? '';

/** A folder of what is compiled of this source, with these libraries. */
function compiledFolder(): string {
  const key = createHash('sha256')
    .update(readFileSync(pom))
    .update(readFileSync(join(here, source)));
  return cacheFolder(`java-${key.digest('hex').slice(0, 16)}`);
}

export const java: Client = {
  name: 'java',
  command: 'java',
  title: 'Java: fabric8 kubernetes-client',
  version,
  needs: 'a JDK from 11 on, Maven, Maven Central',
  checks: namesIn(source, /^ +CHECKS\.put\("(.+)", Checks::/gm),
  async prepare() {
    const [program, mvn] = [onPath('java'), onPath('mvn')];
    if (!program || !mvn) return { missing: `${program ? 'mvn' : 'java'} is not on PATH` };
    const folder = compiledFolder();
    const goals = ['dependency:copy-dependencies', 'compile'];
    const isMade = existsSync(join(folder, 'classes', 'kubereel', 'Checks.class'));
    const command = [
      mvn,
      '--quiet',
      '--batch-mode',
      '--file',
      pom,
      `-Dfolder=${folder}`,
      `-Dmaven.repo.local=${cacheFolder('maven')}`,
      ...goals,
    ];
    const failed = isMade ? undefined : await build('the Java client', command);
    if (failed) return failed;
    const classPath = [join(folder, 'classes'), join(folder, 'dependency', '*')].join(':');
    const run = [program, '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', classPath, 'kubereel.Checks'];
    return { version, play: (surroundings) => playProgram(run, surroundings) };
  },
};
