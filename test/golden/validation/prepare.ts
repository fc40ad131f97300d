// What is there before the recorded cases are played.
import { join } from 'node:path';
import type { ApiUnderTest } from '../../api-under-test.fixture';
import { inOurRange, statusOfServer, withAnyMoments } from './left-open';
import { requestsOf, type Base } from './recording';
import { filledIn, type Stored } from './stored-values';

/** Who is told as the manager of fields comes from the client's name. */
const json = { 'content-type': 'application/json', 'user-agent': 'golden/1.0' };

/** What all cases take for granted: namespaces, accounts, classes. */
export async function setUp(api: ApiUnderTest, dir: string): Promise<void> {
  for (const { method, path, body } of requestsOf(join(dir, 'setup.json')))
    await api.send({ method, path, headers: json, body: JSON.stringify(body) });
}

/** Creates the object that updates are about, in the state that they find it in. */
export async function prepareBase(api: ApiUnderTest, base: Base): Promise<void> {
  const path = `${base.path}/${base.name}`;
  await api.send({ method: 'POST', path: base.path, headers: json, body: inOurRange(JSON.stringify(base.create)) });
  if (base.delete !== undefined) await api.send({ method: 'DELETE', path, headers: json, body: JSON.stringify(base.delete) });
  const status = statusOfServer(base);
  if (status === undefined) return;
  const object = JSON.parse((await api.send({ method: 'GET', path })).body) as Stored;
  const body = withAnyMoments(filledIn(JSON.stringify({ ...object, status }), object));
  await api.send({ method: 'PUT', path: `${path}/status`, headers: json, body });
}
