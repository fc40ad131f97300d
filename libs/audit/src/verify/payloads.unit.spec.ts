import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import type { JsonObject } from '#libs/kernel';
import { Findings, findingText } from './finding';
import { Payloads } from './payloads';

function findingsIn(type: string, data: JsonObject): string[] {
  const findings = new Findings();
  const event: RecordedEvent = {
    id: 'e1',
    type,
    data,
    metadata: { v: 1 },
    stream: 'local.pods-default/web-0',
    revision: 3,
    position: 700,
    created: 0,
  };
  new Payloads(findings).event(event);
  return findings.listed.map(findingText);
}

describe('the check of payloads', () => {
  it('finds nothing in an event that is what its type says', () => {
    expect(findingsIn('Updated', { changes: [{ p: ['spec', 'nodeName'], v: 'node-1' }] })).toEqual([]);
  });

  it('names the nested value that is off', () => {
    expect(findingsIn('Updated', { changes: [{ p: ['spec', 'nodeName'], w: 'node-1' }] })).toEqual([
      'invalid: Updated local.pods-default/web-0 revision 3 (position 700, id e1): changes[0]: property w should not exist',
    ]);
  });

  it('leaves types that nobody knows to the check of streams', () => {
    expect(findingsIn('SomethingElse', { a: 1 })).toEqual([]);
  });
});
