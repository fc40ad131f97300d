import { describe, expect, it } from 'vitest';
import {
  canBeInFlight,
  chosenNode,
  missesSecond,
  secondMatters,
  withAddressOnce,
  withoutBuild,
  withoutDescriptions,
  withoutRefusedNames,
} from './left-open-transcripts';

const headerOf = (runs: string) => ({ session: 's', title: '', area: 'kubectl', server: 'v1.34.4', runs });
const alone = headerOf('apiserver');
const stories = headerOf('apiserver+kwok');
const sessions = headerOf('apiserver+stand-in kubelet');

describe('what transcripts leave open', () => {
  it('is of an explanation the prose alone', () => {
    const explained = (prose: string, type: string): string =>
      withoutDescriptions(`KIND:  Pod\n\nDESCRIPTION:\n    ${prose}\n\nFIELDS:\n  a\t<${type}> -required-\n    ${prose}\n  enum: A, B\n\n`);
    expect(explained('one', 'string')).toBe(explained('quite another', 'string'));
    expect(explained('one', 'string')).not.toBe(explained('one', 'integer'));
    expect(explained('one', 'string')).toContain('a\t<string> -required-\n  enum: A, B\n');
    expect(withoutDescriptions('KIND: Pod\nENUM:\n    Always\n\nDESCRIPTION:\n    x\n')).toBe(
      'KIND: Pod\nENUM:\n    Always\nDESCRIPTION:\n',
    );
    expect(withoutDescriptions('error: field "zzz" does not exist\n')).toBe('error: field "zzz" does not exist\n');
  });

  it('is a read that may come before the stand-in, where there is one', () => {
    expect(canBeInFlight(stories, 'kubectl -n ns get pods')).toBe(true);
    expect(canBeInFlight(sessions, 'kubectl describe node a')).toBe(true);
    expect(canBeInFlight(alone, 'kubectl get pods')).toBe(false);
    expect(canBeInFlight(stories, 'kubectl -n ns delete pod a')).toBe(false);
    expect(canBeInFlight(stories, 'kubectl -n ns get pods -w')).toBe(false);
  });

  it('is the node of a pod among equal ones, unless the command is about nodes', () => {
    expect(chosenNode(stories, 'kubectl get pods -o wide', 'p node-2')).toBe('p node-*');
    expect(chosenNode(stories, 'kubectl get nodes', 'node-2')).toBe('node-2');
    expect(chosenNode(stories, 'kubectl drain node-2', 'node-2')).toBe('node-2');
    expect(chosenNode(sessions, 'kubectl get pods -o wide', 'node-2')).toBe('node-2');
  });

  it('is how often a Service shows the one address of the stand-in', () => {
    const shown = 'Endpoints: 10.1.0.5:80,10.1.0.5:80,10.1.0.5:80 + 1 more...';
    expect(withAddressOnce(sessions, shown)).toBe('Endpoints: 10.1.0.5:80');
    expect(withAddressOnce(sessions, 'Endpoints: 10.1.0.5:80,10.1.0.6:80')).toBe('Endpoints: 10.1.0.5:80,10.1.0.6:80');
    expect(withAddressOnce(stories, shown)).toBe(shown);
  });

  it('is which refused pod an Event names', () => {
    const told = (name: string): string => `Error creating: pods "d-5c9-${name}" is forbidden: no`;
    expect(withoutRefusedNames(told('<rand:4>'))).toBe(withoutRefusedNames(told('bcdf2')));
    expect(withoutRefusedNames(told('abcde'))).toBe(told('abcde'));
  });

  it('is which build answered, not which release', () => {
    expect(withoutBuild('"gitVersion": "v1.34.4", "gitCommit": "abc"')).toBe('"gitVersion": "v1.34.4", "gitCommit": "-"');
  });

  it('is a refusal within a second, where the second was missed', () => {
    const refused = { stderr: 'error: if restart has already been triggered within the past second, please wait' };
    expect(secondMatters('kubectl rollout restart deployment/r', [refused])).toBe(true);
    expect(secondMatters('kubectl rollout restart deployment/r', [{ stderr: '' }])).toBe(false);
    expect(secondMatters('kubectl get pods', [refused])).toBe(false);
    expect(missesSecond(refused, 0, 7, 8_100)).toBe(true);
    expect(missesSecond(refused, 0, 7, 7_900)).toBe(false);
    expect(missesSecond(refused, 1, 7, 8_100)).toBe(false);
    expect(missesSecond({ stderr: '' }, 0, 7, 8_100)).toBe(false);
  });
});
