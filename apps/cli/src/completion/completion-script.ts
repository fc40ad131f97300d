import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Word {
  word: string;
  description: string;
}

interface Completed extends Word {
  options: Word[];
}

/** What the program's own definitions say can be typed. */
function completedCommands(program: Command): Completed[] {
  const offered = program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => program.commands.includes(command));
  return offered.map((command) => ({
    word: command.name(),
    description: sentence(command.description()),
    options: [
      ...command.options.flatMap(({ long, description }) => (long ? [{ word: long, description: sentence(description) }] : [])),
      { word: '--help', description: 'display help for command' },
    ],
  }));
}

/** The first sentence, without what a shell could take for its own. */
function sentence(text: string): string {
  return (text.split(/\s\(|[.;:]\s/)[0] ?? '').replace(/[`'"$\\[\]]/g, '').replace(/\.$/, '');
}

/** A script that the shell evaluates; files are offered wherever no word of ours fits. */
export function completionScript(shell: Shell, program: Command): string {
  const commands = completedCommands(program);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

function bashScript(commands: readonly Completed[]): string {
  const cases = commands.map(({ word, options }) => `    ${word}) words="${options.map((option) => option.word).join(' ')}" ;;`);
  return `# kubereel, for bash: source <(kubereel completion bash)
_kubereel() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ word }) => word).join(' ')} --help --version"
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
    case "$current" in -*) ;; *) words="" ;; esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _kubereel kubereel
`;
}

function zshScript(commands: readonly Completed[]): string {
  const described = ({ word, description }: Word): string => `'${word}:${description.replaceAll(':', ' ')}'`;
  const cases = commands.map(({ word, options }) => `    ${word}) offered=(${options.map(described).join(' ')}) ;;`);
  return `#compdef kubereel
# kubereel, for zsh: source <(kubereel completion zsh)
_kubereel() {
  local -a offered
  if (( CURRENT == 2 )); then
    offered=(${commands.map(described).join(' ')})
    _describe command offered
    return
  fi
  case "\${words[2]}" in
${cases.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then _describe option offered; else _files; fi
}
compdef _kubereel kubereel
`;
}

function fishScript(commands: readonly Completed[]): string {
  const names = commands.map(({ word }) => word).join(' ');
  const lines = commands.flatMap(({ word, description, options }) => [
    `complete -c kubereel -n "not __fish_seen_subcommand_from ${names}" -f -a ${word} -d '${description}'`,
    ...options.map(
      (option) => `complete -c kubereel -n "__fish_seen_subcommand_from ${word}" -l ${option.word.slice(2)} -d '${option.description}'`,
    ),
  ]);
  return `# kubereel, for fish: kubereel completion fish | source\n${lines.join('\n')}\n`;
}
