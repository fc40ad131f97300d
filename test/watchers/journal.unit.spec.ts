import { beforeEach, describe, expect, it } from 'vitest';
import { Collection } from './collection';
import { Journal, UntoldChangeError, type Answer } from './journal';
import { watchedKinds, type WatchedKind } from './kinds';

const kind = watchedKinds.find(({ resource }) => resource === 'nodes') as WatchedKind;
const path = '/api/v1/nodes';
let collection: Collection;
let journal: Journal;
beforeEach(() => {
  collection = new Collection(kind, '/api/v1');
  journal = new Journal([collection]);
});

const node = (uid: string, version: number): object => ({
  kind: 'Node',
  metadata: { name: 'x0', uid, resourceVersion: String(version) },
});

/** A watch of everything is told of this change to the node x0. */
function told(type: string, uid: string, version: number): void {
  collection.history.take(type, JSON.stringify(node(uid, version)));
}

function answered(what: string, status: number, body: object): void {
  const key = what.includes('/x0') || what.startsWith('POST') ? '/x0' : '*';
  const answer: Answer = { collection, what, key, status, text: JSON.stringify(body), sentAt: 1, answeredAt: 2 };
  journal.answered(answer);
  journal.note(answer);
}

const made = (uid: string, version: number): void => answered(`POST ${path}`, 201, node(uid, version));
const deleted = (uid: string): void => answered(`DELETE ${path}/x0`, 200, { kind: 'Status', details: { uid } });
const deletedAll = (version: number, ...items: object[]): void =>
  answered(`DELETE ${path}`, 200, { kind: 'NodeList', metadata: { resourceVersion: String(version) }, items });

describe('the deletion of a collection', () => {
  it('may take what has come in place of an object that it listed', () => {
    made('a', 1);
    told('ADDED', 'a', 1);
    journal.balance();
    deletedAll(1, node('a', 1));
    deleted('a');
    made('b', 3);
    told('DELETED', 'a', 2);
    told('ADDED', 'b', 3);
    told('DELETED', 'b', 4);
    journal.balance();
    expect(journal.overtaken).toBe(1);
  });

  it('takes nothing that was there when it listed another, nor what comes after it', () => {
    made('a', 1);
    deleted('a');
    made('b', 3);
    told('ADDED', 'a', 1);
    told('DELETED', 'a', 2);
    told('ADDED', 'b', 3);
    journal.balance();
    deletedAll(3, node('a', 1));
    told('DELETED', 'b', 4);
    expect(() => journal.balance()).toThrow('/x0 changed at 4, which no answer told of: DELETED');
  });

  it('explains no other change of what has come in place of an object that it listed', () => {
    made('a', 1);
    deletedAll(1, node('a', 1));
    made('b', 3);
    told('ADDED', 'a', 1);
    told('DELETED', 'a', 2);
    told('ADDED', 'b', 3);
    told('MODIFIED', 'b', 4);
    expect(() => journal.balance()).toThrow('/x0 changed at 4, which no answer told of: MODIFIED');
  });

  it('explains nothing any more once its answer has been held against what was told', () => {
    made('a', 1);
    deletedAll(1, node('a', 1));
    told('ADDED', 'a', 1);
    told('DELETED', 'a', 2);
    journal.balance();
    made('b', 3);
    told('ADDED', 'b', 3);
    told('DELETED', 'b', 4);
    expect(() => journal.balance()).toThrow('/x0 changed at 4, which no answer told of: DELETED');
  });
});

it('tells of a change that nobody owns up to what was asked of the object and of its collection, of which uid and version', () => {
  made('a', 1);
  deletedAll(1);
  told('ADDED', 'a', 1);
  told('DELETED', 'a', 2);
  const thrown = (() => {
    try {
      journal.balance();
    } catch (error) {
      return error as UntoldChangeError;
    }
  })();
  expect(thrown).toBeInstanceOf(UntoldChangeError);
  expect(thrown?.object).toBe('node/x0');
  expect(thrown?.message.split('\n  ').slice(3)).toEqual([
    'asked lately:',
    `1.0–2.0 ms: POST ${path} was answered 201: Node /x0 (a) at 1`,
    `1.0–2.0 ms: DELETE ${path} was answered 200: NodeList at 1: nothing`,
  ]);
});
