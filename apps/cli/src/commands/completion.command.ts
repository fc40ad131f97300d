import { Command } from 'commander';
import { CliError } from '../cli-error';

export function completionCommand(): Command {
  const command = new Command('completion')
    .description('Print a script that completes commands and options in your shell.')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      '\nExamples:\n  source <(kubereel completion bash)\n  source <(kubereel completion zsh)\n  kubereel completion fish | source\n',
    )
    .action(async (shell: string) => {
      const { completionScript, shells } = await import('../completion/completion-script.js');
      const known = shells.find((candidate) => candidate === shell);
      if (!known || !command.parent) throw new CliError(`completion: "${shell}" is no shell known here`, shells.join(', '), 2);
      process.stdout.write(completionScript(known, command.parent));
    });
  return command;
}
