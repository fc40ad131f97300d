import { expect, it } from 'vitest';
import { plainWords } from './plain-words';

it.each([
  [
    '14 UNAVAILABLE: No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: ',
    'connect ECONNREFUSED 127.0.0.1:1',
  ],
  ['14 UNAVAILABLE: No connection established. Last error: null. Resolution note: ', 'nobody answers there'],
  ['14 UNAVAILABLE: Connection dropped', 'Connection dropped'],
  ['14 UNAVAILABLE: Name resolution failed for target dns:no.such.host:1', 'there is no host of that name: no.such.host:1'],
  ['16 UNAUTHENTICATED: Unauthenticated', 'the user or the password in its address is wrong'],
  ['Could not recognize Server Is Not Ready', 'Server Is Not Ready'],
  ['something else altogether', 'something else altogether'],
])('%s', (said, meant) => {
  expect(plainWords(said)).toBe(meant);
});
