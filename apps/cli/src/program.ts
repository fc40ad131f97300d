import { Command, CommanderError } from 'commander';
import { CliError } from './cli-error';
import { commands } from './commands';
import { componentCommands } from './commands/envtest-assets.command';
import { programVersion } from './version';

/** Exit status of every mistake on the command line, as the shells have it. */
const usageExitCode = 2;

const firstSteps = `
First steps:
  kubereel tour          a preemption, why it happened, and the cluster before it
  kubereel up            a cluster on this machine; kubectl works against it

Exit status: 0 success, 1 failure, ${usageExitCode} a mistake on the command line.
`;

/** `kubereel` and its commands: each loads what it needs when it is called, so that `--help` and `up` start fast. */
export function createProgram(): Command {
  const program = new Command('kubereel')
    .description(
      'A Kubernetes control plane you can rewind: serves the Kubernetes API, simulates the nodes, keeps every change as an event in a log.',
    )
    .version(`kubereel ${programVersion()}`, '-V, --version', 'show the version')
    .configureHelp({ styleTitle: (text) => bold(text) })
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    .addHelpText('after', firstSteps);
  for (const command of commands) program.addCommand(command().copyInheritedSettings(program));
  for (const command of componentCommands()) program.addCommand(command, { hidden: true });
  return program;
}

/** Commander strips it where colours are not wanted. */
function bold(text: string): string {
  return `\x1b[1m${text}\x1b[22m`;
}

/**
 * Runs what the command line asks for.
 * @throws CliError for every mistake in it, with exit status 2.
 */
export async function runProgram(argv: readonly string[], program = createProgram()): Promise<void> {
  const [first, second] = argv.slice(2);
  if (first === undefined) return program.outputHelp();
  const wanted = first === 'help' ? second : first;
  if (wanted !== undefined && !wanted.startsWith('-') && !nameOf(program, wanted)) {
    throw new CliError(`there is no command "${wanted}"`, `${similar(wanted, program)}See them all: kubereel --help`, usageExitCode);
  }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    throw usageError(error, nameOf(program, first));
  }
}

function nameOf(program: Command, word: string): string | undefined {
  return program.commands.find((command) => command.name() === word)?.name();
}

/** `error: unknown option '--foo'\n(Did you mean --for?)` → `unknown option '--foo'`, with where to look. */
function usageError({ message }: CommanderError, command: string | undefined): CliError {
  const [what = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const hint = hints.map((line) => line.replace(/^\((.*)\)$/, '$1')).filter(Boolean);
  const where = `See: kubereel ${command ? `${command} ` : ''}--help`;
  return new CliError(`${command ? `${command}: ` : ''}${what.replaceAll("'", '"')}`, [...hint, where].join('  '), usageExitCode);
}

/** The command that was meant, as far as its beginning or its letters tell. */
function similar(word: string, program: Command): string {
  const found = program.commands.map((command) => command.name()).find((name) => name.startsWith(word) || distance(name, word) <= 2);
  return found === undefined ? '' : `Did you mean kubereel ${found}?  `;
}

/** Letters to change, add or leave out (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] as number;
}
