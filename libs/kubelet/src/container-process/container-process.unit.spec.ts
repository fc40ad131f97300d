import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { isFinished, isReading, startProgram, surroundingsOf, Terminal, type Deed, type Finished, type Reading } from '.';

const pod = {
  metadata: { name: 'p', namespace: 'default', uid: 'u', creationTimestamp: '' },
  status: { podIP: '10.128.0.2' },
} as KubeObject;
const container = {
  name: 'c',
  env: [
    { name: 'COLOUR', value: 'red' },
    { name: 'BOTH', value: '$(COLOUR)-$$x' },
    { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
  ],
};
const started = (command: string[], isTerminal = false) => startProgram(command, surroundingsOf(pod, container, isTerminal));

/** Output, errors in brackets, waits in ms; then the exit code. */
function told(deeds: readonly Deed[]): string {
  return deeds.map((deed) => ('out' in deed ? deed.out : 'err' in deed ? `[${deed.err}]` : `(${deed.waitMs})`)).join('');
}
function run(...command: string[]): string {
  const program = started(command);
  if (!isFinished(program)) throw new Error(`${command.join(' ')} does not end: ${JSON.stringify(program)}`);
  return `${told(program.deeds)}=${program.exitCode}`;
}
const sh = (script: string): string => run('sh', '-c', script);

describe('programs in a simulated container', () => {
  it('print what they would print', () => {
    expect(run('echo', 'hi', 'there')).toBe('hi there\n=0');
    expect(run('/bin/echo', '-n', 'hi')).toBe('hi=0');
    expect(run('hostname')).toBe('p\n=0');
    expect(run('cat', '/etc/hostname', '/nothing')).toBe("p\n[cat: can't open '/nothing': No such file or directory\n]=1");
    expect(run('printenv', 'COLOUR', 'NONE')).toBe('red\n=1');
    expect(run('env')).toContain('COLOUR=red\nBOTH=red-$x\nIP=10.128.0.2\n');
    expect(run('false')).toBe('=1');
  });

  it('sleep for as long as they say', () => {
    expect(run('sleep', '1.5')).toBe('(1500)=0');
    expect(run('sleep', '1m', '1')).toBe('(61000)=0');
    expect(run('sleep', 'x')).toBe("[sleep: invalid number 'x'\n]=1");
    expect(isReading(started(['sleep', 'infinity']))).toBe(true);
  });

  it('cannot be started when they are not there', () => {
    expect(started(['nginx'])).toEqual({ error: 'unable to start container process: exec: "nginx": executable file not found in $PATH' });
    expect(started(['sh', '-c', 'ls | wc'])).toMatchObject({ error: expect.stringContaining('simulates') });
  });
});

describe('the shell', () => {
  it('runs lists of simple commands', () => {
    expect(sh('echo hi')).toBe('hi\n=0');
    expect(sh('echo one; echo two && false || echo three')).toBe('one\ntwo\nthree\n=0');
    expect(sh('true && exit 3; echo never')).toBe('=3');
    expect(sh('echo a; sleep 2; echo b; exit 1')).toBe('a\n(2000)b\n=1');
    expect(sh('nonsense')).toBe('[sh: nonsense: not found\n]=127');
    expect(sh('false; echo $?')).toBe('1\n=0');
    expect(sh("sh -c 'echo inner'")).toBe('inner\n=0');
  });

  it('knows quotes and variables', () => {
    expect(sh(`echo "$COLOUR \${COLOUR}s" '$COLOUR' a\\ b ""`)).toBe('red reds $COLOUR a b \n=0');
    expect(sh('echo "say \\"hi\\""')).toBe('say "hi"\n=0');
  });

  it.each(['ls | wc', 'echo hi > /file', 'while true; do echo; done', 'echo `date`', 'echo $(date)', 'sleep 1 &', "echo 'open", '&& echo'])(
    'does not pretend to understand %j',
    (script) => {
      expect(isFinished(started(['sh', '-c', script]))).toBe(false);
    },
  );

  it('can be typed to, line by line', () => {
    const shell = started(['sh'], true) as Reading;
    expect(told(shell.deeds)).toBe('/ # ');
    expect(told(shell.input(Buffer.from('echo a\nech')).deeds as Deed[])).toBe('a\n/ # ');
    expect(told(shell.input(Buffer.from('o b\n')).deeds as Deed[])).toBe('b\n/ # ');
    expect(shell.input(Buffer.from('exit 4\necho never\n'))).toEqual({ deeds: [], exitCode: 4 });
    const piped = started(['sh']) as Reading;
    piped.input(Buffer.from('false'));
    expect(piped.endOfInput()).toEqual<Finished>({ deeds: [], exitCode: 1 });
  });
});

it('cat hands on what it is given until there is no more', () => {
  const cat = started(['cat']) as Reading;
  expect(cat.input(Buffer.from('abc')).deeds).toEqual([{ bytes: Buffer.from('abc') }]);
  expect(cat.endOfInput()).toEqual({ deeds: [], exitCode: 0 });
});

describe('a terminal', () => {
  it('shows what is typed, corrects, and hands lines on', () => {
    const terminal = new Terminal();
    expect(terminal.type('ab\x7fc\rd')).toEqual({ echo: 'ab\b \bc\r\nd', input: 'ac\n', isEnd: false, isInterrupt: false });
    expect(terminal.type('\x03x')).toMatchObject({ echo: '^C\r\n', isInterrupt: true });
    expect(terminal.type('\x04')).toMatchObject({ isEnd: true });
    expect(Terminal.shown('a\nb\r\n')).toBe('a\r\nb\r\n');
  });
});
