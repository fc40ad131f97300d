import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Missing } from './client';
import { here, namesIn, playProgram } from './program';
import { build, cacheFolder, onPath } from './toolchain';

const folder = join(here, 'java');
const source = 'java/src/main/java/kubereel/Checks.java';
export const javaNeeds = 'a JDK from 11 on, Maven, Maven Central';

/** The version of fabric8 that a project has. */
export function fabric8Version(pom: string): string {
  return /<fabric8\.version>(.+)<\/fabric8\.version>/.exec(readFileSync(pom, 'utf8'))?.[1] ?? '';
}

const version = fabric8Version(join(folder, 'pom.xml'));

/** The one class of a Maven project, compiled, and how a program of it begins: `java -cp …`. */
export async function compileJava(project: string, className: string): Promise<{ command: string[] } | Missing> {
  const [program, mvn] = [onPath('java'), onPath('mvn')];
  if (!program || !mvn) return { missing: `${program ? 'mvn' : 'java'} is not on PATH` };
  const pom = join(project, 'pom.xml');
  // Another source, or other libraries, are another folder.
  const key = createHash('sha256')
    .update(readFileSync(pom))
    .update(readFileSync(join(project, `src/main/java/kubereel/${className}.java`)));
  const made = cacheFolder(`java-${key.digest('hex').slice(0, 16)}`);
  const command = [
    mvn,
    '--quiet',
    '--batch-mode',
    '--file',
    pom,
    `-Dfolder=${made}`,
    `-Dmaven.repo.local=${cacheFolder('maven')}`,
    'dependency:copy-dependencies',
    'compile',
  ];
  const isMade = existsSync(join(made, 'classes', 'kubereel', `${className}.class`));
  const failed = isMade ? undefined : await build(`${className} in Java`, command);
  const classPath = [join(made, 'classes'), join(made, 'dependency', '*')].join(':');
  return failed ?? { command: [program, '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', classPath] };
}

export const java: Client = {
  name: 'java',
  command: 'java',
  title: 'Java: fabric8 kubernetes-client',
  version,
  needs: javaNeeds,
  checks: namesIn(source, /^ +CHECKS\.put\("(.+)", Checks::/gm),
  async prepare() {
    const made = await compileJava(folder, 'Checks');
    if ('missing' in made) return made;
    return { version, play: (surroundings) => playProgram([...made.command, 'kubereel.Checks'], surroundings) };
  },
};
