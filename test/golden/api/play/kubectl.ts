// Commands of recorded transcripts, run by a real kubectl in a folder of their own.
import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { CompareContext } from '../compare/context';
import { report } from '../compare/context';
import { administratorUid } from '../compare/left-open';
import {
  chosenNode,
  cutsItsOutput,
  foldBlanks,
  isExplanation,
  isProgressLine,
  withAddressOnce,
  withManagersInOrder,
  withoutBuild,
  withoutDescriptions,
  withoutRefusedNames,
} from '../compare/left-open-transcripts';
import { describe, mismatch } from '../compare/match';
import type { CommandStep } from '../recording';
import type { Server } from './server';
import { writeKubeconfig, type KubeconfigNames } from './kubeconfig';

/** The release the transcripts were recorded with. */
const recordedRelease = 'v1.33.';
const commandWithin = 120_000;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isRecordedRelease(binary: string): boolean {
  try {
    const version = execFileSync(binary, ['version', '--client', '-o', 'json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return version.includes(`"gitVersion": "${recordedRelease}`);
  } catch {
    return false;
  }
}

/** The folders of PATH, and those that a kubectl on it really lies in: several releases may lie side by side there. */
function foldersWithKubectl(): string[] {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const linked = onPath
    .map((folder) => join(folder, 'kubectl'))
    .filter(isExecutable)
    .map((file) => dirname(realpathSync(file)));
  return [...new Set([...onPath, ...linked])];
}

let found: string | undefined | null = null;

/** $KUBEREEL_KUBECTL, or the first kubectl of the recorded release on PATH or beside one on PATH. */
export function findKubectl(): string | undefined {
  if (found !== null) return found;
  const named = process.env['KUBEREEL_KUBECTL'];
  const folders = foldersWithKubectl();
  const candidates = ['kubectl.1.33', 'kubectl-1.33', 'kubectl'].flatMap((name) => folders.map((folder) => join(folder, name)));
  found = named !== undefined && named !== '' ? resolve(named) : candidates.find((file) => isExecutable(file) && isRecordedRelease(file));
  return found;
}

export interface Ran {
  exit: number;
  stdout: string;
  stderr: string;
}

/** How a recorded shell differed from that of the API sessions. */
export interface ShellOptions {
  /** The kubeconfig is written anew, with these names in it. */
  names?: KubeconfigNames;
  /** The command that edits (default: one that changes nothing). */
  editor?: string;
  /** The folder of the commands is their home too. */
  worksAtHome?: boolean;
}

/** The folder, home and kubeconfig in which a chain of transcripts runs. */
export class KubectlShell {
  private readonly dir = mkdtempSync(join(tmpdir(), 'kubereel-kubectl-'));
  private readonly env: NodeJS.ProcessEnv;

  constructor(binary: string, server: Server, { names, editor = 'true', worksAtHome = false }: ShellOptions = {}) {
    for (const folder of ['bin', 'home', 'work', 'tmp']) mkdirSync(join(this.dir, folder));
    symlinkSync(binary, join(this.dir, 'bin', 'kubectl'));
    const own = (): string => writeKubeconfig(join(this.dir, 'kubeconfig'), server.target, names);
    const kubeconfig = names ? own() : (server.kubeconfig ?? own());
    this.env = {
      PATH: `${join(this.dir, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: join(this.dir, worksAtHome ? 'work' : 'home'),
      EDITOR: editor,
      TMPDIR: join(this.dir, 'tmp'),
      KUBECONFIG: kubeconfig,
      TZ: 'UTC',
      LC_ALL: 'C',
    };
  }

  close(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  async run(command: string, files: Record<string, string> = {}, stdin = ''): Promise<Ran> {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.dir, 'work', name), text);
    const child = spawn('sh', ['-c', command], { cwd: join(this.dir, 'work'), env: this.env, stdio: 'pipe', detached: true });
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, commandWithin);
    const text = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    const exit = await new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)));
    clearTimeout(timer);
    return { exit, ...text };
  }
}

/** Exit code and both outputs, blanks folded. */
export function compareTranscript(context: CompareContext, recorded: CommandStep, ran: Ran): void {
  if (ran.exit !== recorded.exit) report(context, 'exit', describe(recorded.exit, ran.exit));
  compareText(context, recorded.command, 'stdout', recorded.stdout, ran.stdout);
  compareText(context, recorded.command, 'stderr', recorded.stderr, ran.stderr);
}

function compareText(context: CompareContext, command: string, path: string, expected: string, actual: string): void {
  const told = (text: string): string => (isExplanation(command) ? withoutDescriptions(text) : withManagersInOrder(withoutBuild(text)));
  const open = (text: string): string =>
    withoutRefusedNames(withAddressOnce(context.header, chosenNode(context.header, command, foldBlanks(told(text)))));
  let theirs = open(administratorUid(expected)).split('\n');
  let ours = open(administratorUid(actual)).split('\n');
  if (isExplanation(command) && cutsItsOutput(command)) {
    const shorter = Math.min(theirs.length, ours.length) - 1;
    [theirs, ours] = [theirs.slice(0, shorter), ours.slice(0, shorter)];
  }
  const fixed = (lines: string[]) => lines.filter((line) => !isProgressLine(command, line));
  compareLines(context, path, fixed(theirs), fixed(ours));
  const progress = (lines: string[]) => [...new Set(lines.filter((line) => isProgressLine(command, line)))];
  if (!/\bdrain\b/.test(command)) return;
  const kinds = (lines: string[]) => new Set(progress(lines).map(kindOfProgress));
  const [wanted, got] = [kinds(theirs), kinds(ours)];
  for (const kind of wanted) if (!got.has(kind)) report(context, path, `no line like ${JSON.stringify(kind)}`);
  for (const kind of got) if (!wanted.has(kind)) report(context, path, `unexpected line like ${JSON.stringify(kind)}`);
}

/** A progress line of a drain without the pod's generated name. */
const kindOfProgress = (line: string): string =>
  line
    .replace(/-(?:<hash>|[a-z0-9]{1,10})-(?:<rand>|[a-z0-9]{5})(?=["\s]|$)/g, '-*')
    .replace(/will retry after (?:<age>|\d+s)/, 'will retry')
    .replace(/timeout reached: (?:<age>|\d+s)$/, 'timeout reached');

function compareLines(context: CompareContext, path: string, expected: readonly string[], actual: readonly string[]): void {
  for (let index = 0; index < Math.max(expected.length, actual.length); index += 1) {
    const [theirs, ours] = [expected[index], actual[index]];
    const at = `${path}:${index + 1}`;
    if (theirs === undefined) report(context, at, `unexpected ${JSON.stringify(ours)}`);
    else if (ours === undefined) report(context, at, `missing, expected ${JSON.stringify(theirs)}`);
    else {
      const reason = mismatch(context, theirs, ours, { transcript: true, listVersion: true });
      if (reason !== undefined) report(context, at, reason);
    }
  }
}
