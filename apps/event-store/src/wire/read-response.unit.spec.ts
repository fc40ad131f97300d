import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOMBSTONE_REVISION, type Payload, type StoredEvent } from '#libs/event-log';
import { ByteWriter } from './byte-writer';
import { loadProtocol } from './protocol';
import { ReadResponses } from './read-response';
import { streamIdentifier } from './stream-names';
import { wireUuid } from './uuid';

const { responseDeserialize } = loadProtocol().method('streams.Streams/Read');

function written(write: (responses: ReadResponses) => void, size = 16): object {
  const writer = new ByteWriter(size);
  write(new ReadResponses(writer));
  return responseDeserialize(writer.take());
}

const bytesOf = (payload: Payload): Buffer => Buffer.from(payload as string);

/** The event as the protocol's own codec decodes it. */
function recorded(event: StoredEvent<Payload>, structured: boolean): object {
  const shown: Record<string, unknown> = {
    id: { ...wireUuid(event.id, structured), value: structured ? 'structured' : 'string' },
    stream_identifier: streamIdentifier(event.stream),
    prepare_position: String(event.position),
    commit_position: String(event.position),
    metadata: {
      type: event.type,
      'content-type': event.octets ? 'application/octet-stream' : 'application/json',
      created: `${event.created}0000`,
    },
  };
  if (event.revision !== 0)
    shown['stream_revision'] = event.revision === TOMBSTONE_REVISION ? '9223372036854775807' : String(event.revision);
  if (event.metadata.length > 0) shown['custom_metadata'] = bytesOf(event.metadata);
  if (event.data.length > 0) shown['data'] = bytesOf(event.data);
  return shown;
}

const payload = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.uint8Array({ maxLength: 300 }));
const events: fc.Arbitrary<StoredEvent<Payload>> = fc
  .record({
    type: fc.string({ unit: 'grapheme', minLength: 1 }),
    stream: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    data: payload,
    metadata: payload,
    revision: fc.oneof(fc.nat(), fc.maxSafeNat()),
    position: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    created: fc.nat({ max: 4_000_000_000_000 }),
    octets: fc.boolean(),
  })
  .map(({ octets, ...event }) => ({ id: randomUUID(), ...event, ...(octets && { octets: true as const }) }));

describe('responses of a read, written by hand', () => {
  it('are what the codec of the protocol reads', () => {
    fc.assert(
      fc.property(events, events, fc.boolean(), (event, link, structured) => {
        const position = 'commit_position';
        expect(written((responses) => responses.event(event, undefined, structured))).toEqual({
          event: { event: recorded(event, structured), commit_position: String(event.position), position },
          content: 'event',
        });
        expect(written((responses) => responses.event(event, link, structured))).toEqual({
          event: { event: recorded(event, structured), link: recorded(link, structured), commit_position: String(link.position), position },
          content: 'event',
        });
      }),
    );
  });

  it('a link to nowhere is alone, an id that is none goes as text', () => {
    const link: StoredEvent<Payload> = {
      id: 'none',
      type: '$>',
      stream: 'l',
      data: '7@s',
      metadata: '',
      revision: 0,
      position: 16,
      created: 1,
    };
    expect(written((responses) => responses.event(undefined, link, true))).toMatchObject({
      event: { link: { id: { string: 'none' } }, commit_position: '16' },
    });
  });

  it('places in a stream are exact', () => {
    for (const revision of [0n, 5n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
      expect(written((responses) => responses.streamPosition('first', revision))).toMatchObject({
        first_stream_position: String(revision),
      });
      expect(written((responses) => responses.streamPosition('last', revision))).toMatchObject({ last_stream_position: String(revision) });
    }
  });
});
