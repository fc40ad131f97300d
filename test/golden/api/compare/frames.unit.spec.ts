import { describe, expect, it } from 'vitest';
import { Bindings } from './bindings';
import type { CompareContext } from './context';
import { collectedVersions, FrameComparison } from './frames';
import type { Header, RecordedFrame } from '../recording';

const header = (over: Partial<Header> = {}): Header => ({
  session: 's',
  title: '',
  area: 'watch',
  server: 'v1.34.4',
  runs: 'apiserver',
  ...over,
});
const frame = (type: string, name: string, over: object = {}) => ({ type, object: { kind: 'Pod', metadata: { name, ...over } } });
const at = (afterStep: number, ...frames: unknown[]): RecordedFrame[] => frames.map((one) => ({ afterStep, frame: one }));

function differences(recorded: RecordedFrame[], arrived: RecordedFrame[], over: Partial<Header> = {}, query = 'watch=1'): string[] {
  const context: CompareContext = { bindings: new Bindings(), startedAt: 0, now: () => 0, header: header(over), differences: [] };
  const comparison = new FrameComparison(context, { method: 'GET', path: '/', query }, recorded);
  for (const one of arrived) {
    comparison.take(one);
    comparison.advance();
  }
  comparison.finish();
  return context.differences.map(({ path, text }) => `${path}: ${text}`);
}

describe('frames', () => {
  const recorded = [...at(3, frame('ADDED', 'a')), ...at(5, frame('MODIFIED', 'a', { v: 1 }), frame('DELETED', 'b'))];

  it('agree in order, content and moment', () => {
    expect(differences(recorded, recorded)).toEqual([]);
  });

  it('may come one step earlier or later, not two', () => {
    expect(
      differences(
        recorded,
        recorded.map(({ frame: one, afterStep }) => ({ frame: one, afterStep: afterStep + 1 })),
      ),
    ).toEqual([]);
    expect(differences(recorded, [{ ...recorded[0]!, afterStep: 5 }, ...recorded.slice(1)])).toEqual([
      'frames[0: ADDED Pod /a].afterStep: expected 3, got 5',
    ]);
  });

  it('that are missing or too many are named, and nothing after them suffers', () => {
    expect(differences(recorded, recorded.slice(1))).toEqual(['frames[0: ADDED Pod /a]: missing, expected after step 3']);
    const surplus = [...recorded.slice(0, 1), ...at(4, frame('MODIFIED', 'x')), ...recorded.slice(1)];
    expect(differences(recorded, surplus)).toEqual([expect.stringMatching(/^frames\[1\]: unexpected MODIFIED Pod \/x after step 4/)]);
  });

  it('in another order are a difference', () => {
    expect(differences(recorded, [recorded[0]!, recorded[2]!, recorded[1]!])).not.toEqual([]);
  });

  it('with other content are a difference with its path', () => {
    const other = [recorded[0]!, ...at(5, frame('MODIFIED', 'a', { v: 2 })), recorded[2]!];
    expect(differences(recorded, other)).toEqual(['frames[1: MODIFIED Pod /a].object.metadata.v: expected 1, got 2']);
  });
});

describe('bookmarks', () => {
  const bookmark = (version: string, over: object = {}) => ({
    type: 'BOOKMARK',
    object: { kind: 'Pod', metadata: { resourceVersion: version, ...over } },
  });
  const end = { annotations: { 'k8s.io/initial-events-end': 'true' } };
  const query = 'watch=1&allowWatchBookmarks=true';

  it('that are plain may come at any time and number when asked for', () => {
    expect(differences(at(2, bookmark('<rv:3>')), [], {}, query)).toEqual([]);
    expect(differences(at(2, bookmark('<rv:3>')), at(9, bookmark('7'), bookmark('8')), {}, query)).toEqual([]);
    expect(differences([], at(2, bookmark('7')), {}, 'watch=1')).toHaveLength(1);
  });

  it('that are plain keep their form', () => {
    expect(differences(at(2, bookmark('<rv:3>')), at(2, bookmark('7', { name: 'x' })), {}, query)).toEqual([
      'bookmarks[0].object.metadata.name: unexpected, got "x"',
    ]);
  });

  it("at the initial events' end are frames like others, but for their version", () => {
    expect(differences(at(2, bookmark('<rv:3>', end)), at(2, bookmark('7', end)), {}, query)).toEqual([]);
    expect(differences(at(2, bookmark('<rv:3>', end)), [], {}, query)).toHaveLength(1);
    expect(differences(at(2, bookmark('<rv:3>', end)), at(4, bookmark('7', end)), {}, query)).toHaveLength(1);
  });
});

describe('collected objects', () => {
  const owned = { ownerReferences: [{ name: 'owner' }] };
  const recorded = at(
    5,
    frame('DELETED', 'owner'),
    frame('DELETED', 'a', owned),
    frame('MODIFIED', 'b', { ...owned, deletionTimestamp: '<time+0s>' }),
  );
  const swapped = [recorded[0]!, ...at(5, frame('MODIFIED', 'b', { ...owned, deletionTimestamp: '1970-01-01T00:00:00Z' })), recorded[1]!];
  const controllers = { runs: 'apiserver+scheduler+controller-manager' };

  it('may come in any order where the garbage collector runs', () => {
    expect(differences(recorded, swapped, controllers)).toEqual([]);
    expect(differences(recorded, swapped)).not.toEqual([]);
  });

  it('do not change places with others', () => {
    expect(differences(recorded, [recorded[1]!, recorded[0]!, swapped[1]!], controllers)).not.toEqual([]);
  });

  it('keep no order of versions among each other', () => {
    const versioned = at(
      5,
      frame('DELETED', 'a', { ...owned, resourceVersion: '<rv:7>' }),
      frame('DELETED', 'b', { ...owned, resourceVersion: '<rv:8>' }),
      frame('ADDED', 'c', { resourceVersion: '<rv:9>' }),
      frame('DELETED', 'd', { ...owned, resourceVersion: '<rv:10>' }),
    );
    expect([...collectedVersions(header(controllers), versioned)]).toEqual([
      [7, 0],
      [8, 0],
      [10, 1],
    ]);
  });
});

describe('live sessions', () => {
  const recorded = at(3, frame('ADDED', 'a'), frame('MODIFIED', 'a', { v: 1 }), frame('MODIFIED', 'a', { v: 2 }));
  const live = { session: 'preemption-live' };

  it('show the same set of states', () => {
    expect(differences(recorded, [recorded[1]!, recorded[0]!, recorded[2]!, recorded[0]!], live)).toEqual([]);
    expect(differences(recorded, recorded.slice(0, 2), live)).toHaveLength(1);
    expect(differences(recorded, [...recorded, ...at(3, frame('MODIFIED', 'a', { v: 3 }))], live)).toHaveLength(1);
  });
});
