import { describe, expect, it } from 'vitest';
import { expectationOf } from './expectation';

describe('what a writer expects', () => {
  it('is told back exactly, beyond 2^53 too', () => {
    expect(expectationOf({ revision: '9223372036854775806' }, '')).toMatchObject({ text: '9223372036854775806' });
    expect(expectationOf({ stream_position: '7' }, '')).toEqual({ expected: 7, text: '7' });
    expect(expectationOf({ any: {} }, '')).toEqual({ expected: 'any', text: '-2' });
    expect(expectationOf({ stream_exists: {} }, '')).toEqual({ expected: 'stream_exists', text: '-4' });
    expect(expectationOf({ no_stream: {} }, '')).toEqual({ expected: 'no_stream', text: '-1' });
  });

  it('the largest number is no stream, others above 2^63 are none', () => {
    expect(expectationOf({ revision: '18446744073709551615' }, '')).toEqual({ expected: 'no_stream', text: '-1' });
    for (const revision of ['9223372036854775808', '18446744073709551614']) {
      expect(() => expectationOf({ revision }, '')).toThrow('out of the range of valid values');
    }
    expect(() => expectationOf({}, 'AppendReq+X')).toThrow("'None' is not a valid EventStore.Client.Streams.AppendReq+X");
  });
});
