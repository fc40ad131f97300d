import { expect, it } from 'vitest';
import { withOwnConnection } from './own-connection';

it.each([
  ['esdb://host:2113', 0, 'esdb://host:2113'],
  ['esdb://host:2113', 1, 'esdb://host:2113?keepAliveInterval=10001'],
  ['esdb://host:2113/', 2, 'esdb://host:2113?keepAliveInterval=10002'],
  ['esdb://a:1,b:2?tls=false', 3, 'esdb://a:1,b:2?tls=false&keepAliveInterval=10003'],
  ['esdb://host?keepAliveInterval=20000&tls=false', 4, 'esdb://host?keepAliveInterval=20004&tls=false'],
  ['esdb://host?keepAliveInterval=-1', 5, 'esdb://host?keepAliveInterval=-1'],
])('%s, made anew %i times: %s', (given, generation, own) => {
  expect(withOwnConnection(given, generation)).toBe(own);
});
