import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { goldenFolder } from '../../golden-folder';
import { sessionLines } from '../../play-result';
import { Client } from './client';
import { SessionPlay } from './session';
import type { Recording } from '../recording';
import { isCall, isHttp, readRecording, sessionsIn } from '../recording';
import { conditions } from '../replay/conditions';
import type { Alter } from '../replay/server';
import { ReplayServer } from '../replay/server';

const sample = join(__dirname, '../sample');

async function play(recording: Recording, alter?: Alter) {
  const server = new ReplayServer(recording, alter, conditions);
  const client = new Client({ url: await server.listen(), token: 't' });
  try {
    const result = await new SessionPlay(recording, { client, patience: 200, pauses: false }).play();
    return { lines: sessionLines(result, true), problems: server.problems, steps: result.steps };
  } finally {
    client.close();
    server.close();
  }
}

const total = (recording: Recording): number => recording.steps.length;
type Body = Record<string, any>;
const altering =
  (step: number, change: (body: Body) => unknown): Alter =>
  (at, answer) => {
    if (at !== step) return answer;
    const copy = structuredClone(answer) as Body;
    return change(copy) ?? copy;
  };

describe('a session against a server that answers as recorded', () => {
  it.each(sessionsIn(sample))('%s passes', async (session) => {
    const recording = readRecording(sample, session);
    const { lines, problems } = await play(recording);
    expect(lines).toEqual([`${session}: ${total(recording)}/${total(recording)}`]);
    expect(problems).toEqual([]);
  });

  const golden = goldenFolder('api');
  const played = (session: string): boolean => {
    const { steps, samples } = readRecording(golden ?? '', session);
    // Set-up that looks something up in the cluster, or restarts it, has nothing to answer it here.
    const needsCluster = session === 'deployment-live' || session === 'gone';
    return samples.length === 0 && !needsCluster && steps.every((step) => isHttp(step) && !isCall(step));
  };
  it.runIf(golden !== undefined)('every recorded session of requests passes', async () => {
    const sessions = sessionsIn(golden ?? '').filter(played);
    expect(sessions.length).toBeGreaterThan(35);
    for (const session of sessions) {
      const recording = readRecording(golden ?? '', session);
      const { lines } = await play(recording);
      expect(lines).toEqual([`${session}: ${total(recording)}/${total(recording)}`]);
    }
  });
});

describe('a planted difference', () => {
  it('in a body is found and named by step and path', async () => {
    const { lines } = await play(
      readRecording(sample, 'watch-basic'),
      altering(6, (body) => void (body['data'].color = 'red')),
    );
    expect(lines).toEqual(['watch-basic: 15/16', '  step 6: body.data.color: expected "green", got "red"']);
  });

  it('in one frame of a watch is found', async () => {
    const alter: Alter = (step, answer) => {
      const frames = answer as { type: string; object: { data?: { color?: string } } }[];
      if (step !== 3 || frames[0]?.object.data?.color !== 'green') return answer;
      return [{ ...frames[0], type: 'ADDED' }];
    };
    const { lines } = await play(readRecording(sample, 'watch-basic'), alter);
    expect(lines).toEqual([
      'watch-basic: 15/16',
      '  step 3: frames[2: MODIFIED ConfigMap web-w1/settings].type: expected "MODIFIED", got "ADDED"',
    ]);
  });

  it('as a frame for a write that changed nothing is found', async () => {
    const alter: Alter = (step, answer) => {
      const frames = answer as object[];
      return step === 2 && frames.length === 2 ? [...frames, frames[1]] : answer;
    };
    const { lines } = await play(readRecording(sample, 'watch-basic'), alter);
    expect(lines[0]).toBe('watch-basic: 15/16');
    expect(lines[1]).toContain('step 2: frames[8]: unexpected DELETED ConfigMap web-w1/settings');
  });

  it('as the old uid after a deletion is found', async () => {
    let uid = '';
    const alter: Alter = (step, answer) => {
      const body = answer as Body;
      if (step === 5) uid = body['metadata'].uid;
      return step === 11 ? { ...body, metadata: { ...body['metadata'], uid } } : answer;
    };
    const { lines } = await play(readRecording(sample, 'watch-basic'), alter);
    expect(lines.join('\n')).toContain('step 11: body.metadata.uid: expected "<uid:3>"');
  });

  it('as a version that does not rise is found', async () => {
    const { lines } = await play(
      readRecording(sample, 'watch-basic'),
      altering(8, (body) => void (body['metadata'].resourceVersion = '1')),
    );
    expect(lines.join('\n')).toContain('step 8: body.metadata.resourceVersion: expected "<rv:4>", got "1" (order: ');
  });
});
