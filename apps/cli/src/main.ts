#!/usr/bin/env node
import { Command } from 'commander';
import { CliError } from './cli-error';
import { commands } from './commands';

/** `kubereel`: each command loads what it needs when it is called, so that `--help` and `up` start fast. */
async function main(argv: string[]): Promise<void> {
  const program = new Command('kubereel')
    .description('A Kubernetes control plane you can rewind: serves the real API, simulates the nodes, keeps every fact in an event stream.')
    .showHelpAfterError('(see kubereel --help)')
    .addHelpText('after', '\nFirst steps:\n  kubereel tour          a preemption, why it happened, and the cluster before it\n  kubereel up            a cluster on this machine; kubectl works against it\n');
  for (const command of commands) program.addCommand(command());
  await program.parseAsync(argv);
}

main(process.argv).catch((error: unknown) => {
  if (error instanceof CliError) {
    process.stderr.write(`kubereel: ${error.message}\n`);
    if (error.remedy) process.stderr.write(`  ${error.remedy}\n`);
    process.exit(error.exitCode);
  }
  process.stderr.write(`kubereel: ${error instanceof Error ? (process.env.KUBEREEL_DEBUG ? error.stack : error.message) : String(error)}\n`);
  process.exit(1);
});
