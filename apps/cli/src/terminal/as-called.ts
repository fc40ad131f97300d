import { basename } from 'node:path';

/** Commands that a line tells the reader to type, as this program was called: outside a PATH that has it, through npx. */
export function asCalled(line: string, { argv, env }: { argv: readonly string[]; env: NodeJS.ProcessEnv } = process): string {
  const onPath = basename(argv[1] ?? '') === 'kubereel' && env.npm_command === undefined;
  return onPath
    ? line
    : line.replace(
        /(?<!npx )\bkubereel (?=(?:up|log|why|verify|reset|tour|simulate|event-store|envtest-assets|completion|--help|--version)\b|--)/g,
        'npx kubereel ',
      );
}
