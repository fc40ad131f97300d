import { describe, expect, it } from 'vitest';
import { problemOf } from './oracle';
import { requestOf, type FuzzRequest } from './requests';

const deletion: FuzzRequest = { ...requestOf(1, 0, 8), lane: 'pipeline', method: 'DELETE', path: '/api/v1/nodes/a', raw: undefined };
/** As the server writes it: quotes within a text in single quotes are doubled. */
const problemOfYaml = (message: string): string | undefined => {
  const body = Buffer.from(`apiVersion: v1\ncode: 500\nkind: Status\nmessage: '${message.replaceAll("'", "''")}'\nstatus: Failure\n`);
  return problemOf(deletion, { status: 500, contentType: 'application/yaml', closes: false, body });
};

describe('an answer in YAML', () => {
  it('says what it would say in JSON, however its message is quoted', () => {
    expect(problemOfYaml(`couldn't get version/kind; json parse error: invalid character 'k' after object key`)).toBeUndefined();
  });

  it('is still a defect where the real server would not say it', () => {
    expect(problemOfYaml('TypeError: x is undefined')).toMatch(/^500: .*TypeError/s);
  });
});

it('lets a group be asked for without a user: the real server answers 500', () => {
  const body = Buffer.from(
    'Internal Server Error: "/api/v1/nodes/a": requested [{Group  system:masters    }] without impersonating a user',
  );
  expect(problemOf(deletion, { status: 500, contentType: 'text/plain', closes: false, body })).toBeUndefined();
});

it('lets the same be asked for by HEAD, whose answer has no text, and nothing else', () => {
  const answer = { status: 500, contentType: '', closes: false, body: Buffer.alloc(0) };
  const head = (...headers: [string, string][]): FuzzRequest => ({ ...deletion, method: 'HEAD', headers });
  expect(problemOf(head(['impersonate-group', 'a']), answer)).toBeUndefined();
  expect(problemOf(head(['impersonate-group', 'a'], ['impersonate-user', 'b']), answer)).toMatch(/^500/);
  expect(problemOf(head(), answer)).toMatch(/^500/);
});
