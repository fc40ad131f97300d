import { describe, expect, it } from 'vitest';
import { Bindings } from '../compare/bindings';
import type { CompareContext } from '../compare/context';
import type { CommandStep } from '../recording';
import { compareTranscript } from './kubectl';

function differences(recorded: Partial<CommandStep>, ran: { exit?: number; stdout?: string; stderr?: string }): string[] {
  const header = { session: 's', title: '', area: 'kubectl', server: 'v1.34.4', runs: 'apiserver' };
  const context: CompareContext = { bindings: new Bindings(), startedAt: 0, now: () => 0, header, differences: [] };
  const step: CommandStep = { step: 1, command: 'kubectl get pods', exit: 0, stdout: '', stderr: '', ...recorded };
  compareTranscript(context, step, { exit: 0, stdout: '', stderr: '', ...ran });
  return context.differences.map(({ path, text }) => `${path}: ${text}`);
}

describe('transcripts', () => {
  it('fold runs of blanks, nothing else', () => {
    const stdout = 'NAME                  AGE\napp-<hash>-<rand>   <age>    \n';
    expect(differences({ stdout }, { stdout: 'NAME    AGE\napp-7d8f9b6c5-x2z4q   12s\n' })).toEqual([]);
    expect(differences({ stdout: 'a  b\n' }, { stdout: 'ab\n' })).toEqual(['stdout:1: expected "a b", got "ab"']);
    expect(differences({ stdout: 'a\n' }, { stdout: 'a\n\n' })).toHaveLength(1);
    expect(differences({ stdout: 'A\n' }, { stdout: 'a\n' })).toHaveLength(1);
  });

  it('name exit code and lines', () => {
    expect(differences({ exit: 1, stderr: 'one\ntwo\n' }, { exit: 0, stderr: 'one\n' })).toEqual([
      'exit: expected 1, got 0',
      'stderr:2: expected "two", got ""',
      'stderr:3: missing, expected ""',
    ]);
  });

  it('leave number and order of progress lines open, not their kinds', () => {
    const command = 'kubectl drain node-a --timeout=7s';
    const evicting = 'evicting pod kc-a/app-<hash>-<rand>\n';
    const line = 'evicting pod kc-a/app-7d8f9b6c5-x2z4q\n';
    expect(differences({ command, stdout: `cordoned\n${evicting}${evicting}drained\n` }, { stdout: `cordoned\n${line}drained\n` })).toEqual(
      [],
    );
    expect(differences({ command, stdout: `cordoned\n${evicting}drained\n` }, { stdout: 'cordoned\ndrained\n' })).toEqual([
      'stdout: no line like "evicting pod kc-a/app-*"',
    ]);
    expect(differences({ command, stdout: 'drained\n' }, { stdout: `${line}drained\n` })).toHaveLength(1);
    const status = 'kubectl rollout status deploy/app';
    expect(differences({ command: status, stdout: 'Waiting for a\nWaiting for b\ndone\n' }, { stdout: 'Waiting for c\ndone\n' })).toEqual(
      [],
    );
    expect(differences({ command: status, stdout: 'done\n' }, { stdout: 'Waiting for c\n' })).not.toEqual([]);
    expect(differences({ stdout: 'Waiting for a\n' }, { stdout: '' })).not.toEqual([]);
  });
});
