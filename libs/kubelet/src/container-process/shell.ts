import { programs, type RunProgram } from './programs';
import type { Deed, Finished, Reading, Surroundings, Turn } from './process';

/** Names under which the shell is there. */
export const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', '/bin/sh', '/bin/bash', '/bin/ash']);

/** Commands of one script that are looked at; bounds what a long one costs. */
const commandsMax = 1_000;
/** Characters of a line that is not ended. */
const lineMax = 64 * 1024;

/** A simple command of a list, and when it runs: always, after success, or after failure. */
interface Command {
  when: ';' | '&&' | '||';
  words: Word[];
}

/** A word in its pieces; what stands in single quotes is taken as it is. */
type Word = { text: string; isLiteral: boolean }[];

/** `sh`, `sh -c SCRIPT` (also `-ec`, `-lc` and the like). `undefined` where the script does what is not simulated. */
export const runShell: RunProgram = (args, surroundings) => {
  const [option, script] = args;
  if (option === undefined) return interactive(surroundings);
  if (!/^-[elux]*c$/.test(option) || script === undefined) return undefined;
  return runScript(script, surroundings);
};

/** Lists of simple commands with `;`, `&&`, `||`, quotes and `$NAME`. Undefined: the script asks for more than that. */
export function runScript(script: string, surroundings: Surroundings, before = 0): Finished | undefined {
  const commands = parse(script);
  if (!commands) return undefined;
  const deeds: Deed[] = [];
  let exitCode = before;
  for (const { when, words } of commands) {
    if ((when === '&&' && exitCode !== 0) || (when === '||' && exitCode === 0)) continue;
    const [name = '', ...args] = words.map((word) => expand(word, surroundings, exitCode));
    if (name === 'exit') return { deeds, exitCode: Number(args[0] ?? exitCode) & 255 };
    const finished = runOne(name, args, surroundings);
    if (!finished) return undefined;
    deeds.push(...finished.deeds);
    exitCode = finished.exitCode;
  }
  return { deeds, exitCode };
}

/** Inside a script nobody is there to type: what reads its input finds the end of it. */
function runOne(name: string, args: readonly string[], surroundings: Surroundings): Finished | undefined {
  const run = shells.has(name) ? runShell : programs.get(name.replace(/^(\/usr)?\/bin\//, ''));
  if (!run) return { deeds: [{ err: `sh: ${name}: not found\n` }], exitCode: 127 };
  const program = run(args, surroundings);
  if (!program || 'exitCode' in program) return program;
  const rest = program.endOfInput();
  return { deeds: [...program.deeds, ...rest.deeds], exitCode: rest.exitCode };
}

/** A shell that is typed to: each line is a script, `exit` or the end of the input ends it. */
function interactive(surroundings: Surroundings): Reading {
  const prompt: Deed[] = surroundings.isTerminal ? [{ out: '/ # ' }] : [];
  let line = '';
  let exitCode = 0;
  const run = (script: string): Turn => {
    const finished = runScript(script, surroundings, exitCode) ?? {
      deeds: [{ err: 'sh: kubereel simulates containers: nothing but simple commands can be run here\n' }],
      exitCode: 2,
    };
    exitCode = finished.exitCode;
    if (/(^|[;&|\s])exit(\s+\d+)?\s*$/.test(script)) return { deeds: finished.deeds, exitCode };
    return { deeds: [...finished.deeds, ...prompt] };
  };
  return {
    deeds: [...prompt],
    input(bytes) {
      line = (line + bytes.toString('utf8')).slice(-lineMax);
      const turn: Turn = { deeds: [] };
      for (let end = line.indexOf('\n'); end >= 0; end = line.indexOf('\n')) {
        const script = line.slice(0, end);
        line = line.slice(end + 1);
        const { deeds, exitCode: code } = run(script);
        turn.deeds.push(...deeds);
        if (code !== undefined) return { ...turn, exitCode: code };
      }
      return turn;
    },
    interrupt() {
      line = '';
      return { deeds: [...prompt] };
    },
    endOfInput() {
      const last = line === '' ? [] : (run(line).deeds as Deed[]);
      return { deeds: last, exitCode };
    },
  };
}

function expand(word: Word, { env }: Surroundings, exitCode: number): string {
  const value = (name: string): string => (name === '?' ? String(exitCode) : (env.get(name) ?? ''));
  const variables = /\$(?:\{(\w+)\}|(\w+|\?))/g;
  return word
    .map(({ text, isLiteral }) => (isLiteral ? text : text.replace(variables, (_, braced: string, bare: string) => value(braced ?? bare))))
    .join('');
}

const token =
  /\s*(?:(&&|\|\||;|\n)|((?:'[^']*'|"(?:[^"\\`]|\\.)*"|\\.|[^\s'"\\;&|<>`()#*?[\]{}~$]|\$\w+|\$\{\w+\}|\$\?|[#*?[\]{}~](?=\S|$))+))/y;

/** The commands of a script; undefined where it has pipes, redirections, loops, or anything else beyond simple commands. */
function parse(script: string): Command[] | undefined {
  if (script.length > lineMax) return undefined;
  const commands: Command[] = [];
  let current: Command = { when: ';', words: [] };
  token.lastIndex = 0;
  const text = script.trimEnd();
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (!match) return undefined;
    const [, separator, word] = match;
    if (word !== undefined) current.words.push(pieces(word));
    else {
      if (current.words.length > 0) commands.push(current);
      else if (separator === '&&' || separator === '||') return undefined;
      current = { when: separator === '\n' ? ';' : (separator as Command['when']), words: [] };
    }
    if (commands.length > commandsMax) return undefined;
  }
  if (current.words.length > 0) commands.push(current);
  return commands.some(({ words }) => reserved.has(plain(words[0]))) ? undefined : commands;
}

const reserved: ReadonlySet<string> = new Set([
  'if',
  'for',
  'while',
  'until',
  'case',
  'function',
  'trap',
  'exec',
  'set',
  'cd',
  'export',
  '{',
  '}',
  '!',
]);

function plain(word: Word | undefined): string {
  return (word ?? []).map(({ text }) => text).join('');
}

function pieces(word: string): Word {
  const found = word.match(/'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^'"\\]+/g) ?? [];
  return found.map((piece) => {
    if (piece.startsWith("'")) return { text: piece.slice(1, -1), isLiteral: true };
    if (piece.startsWith('"')) return { text: piece.slice(1, -1).replace(/\\(["\\])/g, '$1'), isLiteral: false };
    return piece.startsWith('\\') ? { text: piece.slice(1), isLiteral: true } : { text: piece, isLiteral: false };
  });
}
