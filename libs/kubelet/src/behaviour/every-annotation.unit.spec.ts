import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { behaviourOf } from './container-annotations';
import { logOfRun, writesAfter, writtenUpTo, type LogOfRun } from './log-of-run';
import type { ContainerBehaviour } from './container-behaviour';
import { execAnswers, grpcAnswers, httpAnswers, tcpAnswers } from './answers';
import { podBehaviourOf } from './pod-annotations';
import { pullError } from './pod-behaviour';
import { profiles } from './profiles';
import { runOf } from './run-of';
import { answerAt, nextStepAt } from './timeline';
import { usageAt, usageChangesAt } from './usage';

const defaults = { startupMs: 300, onTerm: 'exit' } as const;

function podWith(annotations: Record<string, string>): KubeObject {
  const full = Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`kubereel.dev/${key}`, value]));
  return { metadata: { name: 'p', uid: 'u', creationTimestamp: '', annotations: full } } as KubeObject;
}

const does = (annotations: Record<string, string>): ContainerBehaviour =>
  behaviourOf(podWith(annotations), { name: 'app' }, 'main', defaults);

describe('runs', () => {
  it.each<[string, object[]]>([
    ['1s exit 1; 2m; forever', [{ runForMs: 1_000, exitCode: 1 }, { runForMs: 120_000, exitCode: 0 }, { exitCode: 0 }]],
    ['3s oom', [{ runForMs: 3_000, exitCode: 137, oomKilled: true }]],
    ['20s to 40s exit 2', [{ runForMs: 20_000, runForMaxMs: 40_000, exitCode: 2 }]],
    ['forever', [{ exitCode: 0 }]],
    // What cannot be read is as good as absent.
    ['1s exit 1; soon', [{ runForMs: undefined, exitCode: 0 }]],
    ['40s to 20s', [{ runForMs: undefined, exitCode: 0 }]],
    ['', [{ runForMs: undefined, exitCode: 0 }]],
  ])('%j', (runs, expected) => {
    expect(does({ 'app.runs': runs }).runs).toEqual(expected);
  });

  it('leave a message and write a log, all of them or one by its number', () => {
    const { runs } = does({ runs: '1s exit 1; 2s', message: 'as always', 'message.2': 'at last', 'log.1': 'one\n[2s] two\n[end] over' });
    expect(runs).toEqual([
      {
        runForMs: 1_000,
        exitCode: 1,
        message: 'as always',
        log: [
          { atMs: 0, text: 'one' },
          { atMs: 2_000, text: 'two' },
          { atMs: 0, atEnd: true, text: 'over' },
        ],
      },
      { runForMs: 2_000, exitCode: 0, message: 'at last' },
    ]);
  });

  it('repeat the last one, and draw their length by chance that can be had again', () => {
    const behaviour = does({ runs: '1s; 20s to 40s' });
    const lengths = Array.from({ length: 20 }, (_, attempt) => runOf(behaviour, attempt).runForMs as number);
    expect(lengths[0]).toBe(1_000);
    for (const length of lengths.slice(1)) expect(length >= 20_000 && length <= 40_000).toBe(true);
    expect(new Set(lengths).size).toBeGreaterThan(10);
    expect(lengths).toEqual(Array.from({ length: 20 }, (_, attempt) => runOf(does({ runs: '1s; 20s to 40s' }), attempt).runForMs));
  });
});

it('a line of a log comes at the start, when it is said, again and again, or at the end', () => {
  expect(does({ log: 'a\n[every 10s] b\nc\n[1m] d\n' }).runs[0]?.log).toEqual([
    { atMs: 0, text: 'a' },
    { atMs: 10_000, everyMs: 10_000, text: 'b' },
    { atMs: 10_000, everyMs: 10_000, text: 'c' },
    { atMs: 60_000, text: 'd' },
  ]);
});

describe('a log', () => {
  const log = logOfRun(podWith({ 'run-for': '20s', 'app.log': 'a\n[every 10s] b\n[15s] c\n[end] d' }), 'app', 3) as LogOfRun;

  it('has what was written up to a moment', () => {
    expect(writtenUpTo(log, { untilMs: 15_000 })).toEqual([
      [0, 'a\n'],
      [10_000, 'b\n'],
      [15_000, 'c\n'],
    ]);
    expect(writtenUpTo(log, { fromMs: 10_000, untilMs: 20_999, endedMs: 20_000 }).map(([, text]) => text)).toEqual(['c\n', 'b\n', 'd\n']);
    // It was stopped before.
    expect(writtenUpTo(log, { untilMs: 5_999, endedMs: 5_000 }).map(([, text]) => text)).toEqual(['a\n']);
    expect([0, 10_000, 15_000].map((ms) => writesAfter(log, ms))).toEqual([10_000, 15_000, 20_000]);
  });

  it('keeps its last lines only, however long it has been written', () => {
    expect(writtenUpTo(log, { untilMs: 10_000 * 1_000_000 })).toHaveLength(5_000);
  });
});

describe('answers over time', () => {
  const behaviour = does({
    'app.exec.ready': 'exit 1 err "not; yet"; from 5s ok takes 2s out "fine"; again after 12s',
    'exec.pg_isready': 'ok',
    'http.8080': '/live 200; from 5s 500 body "stuck"\n/old 302 to "http://other.example/"',
    'http.9000': '503',
    'tcp.5432': 'closed; from 4s open',
    'grpc.9090': 'SERVING\nmy.Service: NOT_SERVING takes 1s; from 5s SERVING',
  });
  const exec = (command: string[], ms: number) => {
    const answers = execAnswers(behaviour, command);
    return answers && answerAt(answers, ms);
  };

  it('of commands, by their first word', () => {
    expect(exec(['ready'], 4_999)).toMatchObject({ exitCode: 1, err: 'not; yet', takesMs: 0 });
    expect(exec(['ready'], 5_000)).toMatchObject({ exitCode: 0, takesMs: 2_000, out: 'fine' });
    expect(exec(['ready'], 12_000)).toMatchObject({ exitCode: 1 });
    expect(exec(['/usr/bin/pg_isready', '-h', 'localhost'], 0)).toMatchObject({ exitCode: 0 });
    expect(exec(['other'], 0)).toBeUndefined();
  });

  it('of ports', () => {
    const http = (port: number, path: string, ms: number) => {
      const answers = httpAnswers(behaviour, port, path);
      return answers && answerAt(answers, ms);
    };
    expect(http(8080, '/live', 0)).toMatchObject({ code: 200 });
    expect(http(8080, '/live?verbose', 6_000)).toMatchObject({ code: 500, body: 'stuck' });
    expect(http(8080, '/old', 0)).toMatchObject({ code: 302, location: 'http://other.example/' });
    expect(http(8080, '/none', 0)).toMatchObject({ code: 404 });
    expect(http(9000, '/any', 0)).toMatchObject({ code: 503 });
    expect(http(80, '/', 0)).toBeUndefined();
    expect(tcpAnswers(behaviour, 5432)?.steps.map(({ open }) => open)).toEqual([false, true]);
    expect(grpcAnswers(behaviour, 9090, '')?.steps).toMatchObject([{ status: 'SERVING' }]);
    expect(grpcAnswers(behaviour, 9090, 'my.Service')?.steps).toMatchObject([{ status: 'NOT_SERVING', takesMs: 1_000 }, { fromMs: 5_000 }]);
    expect(grpcAnswers(behaviour, 9090, 'none')?.steps).toMatchObject([{ status: 'SERVICE_UNKNOWN' }]);
  });

  it('are otherwise when the next step begins', () => {
    const ready = execAnswers(behaviour, ['ready'])!;
    expect([0, 5_000, 11_999, 12_000, 18_000].map((ms) => nextStepAt(ready, ms))).toEqual([5_000, 12_000, 12_000, 17_000, 24_000]);
    expect(nextStepAt(tcpAnswers(behaviour, 5432)!, 4_000)).toBeUndefined();
  });

  it.each(['exit', 'exit 256', 'from soon ok', 'ok; from 5s ok; from 4s ok', 'again after 5s', 'ok; again after 0s', 'out "open'])(
    'cannot be read from %j',
    (value) => {
      expect(does({ 'exec.ready': value }).exec.size).toBe(0);
    },
  );
});

it('health goes for probes of any kind', () => {
  const { health } = does({ ready: 'false; from 10s true', live: 'true; from 20s false', started: 'true' });
  expect(health).toEqual({
    readiness: {
      steps: [
        { fromMs: 0, ok: false },
        { fromMs: 10_000, ok: true },
      ],
    },
    liveness: {
      steps: [
        { fromMs: 0, ok: true },
        { fromMs: 20_000, ok: false },
      ],
    },
  });
});

describe('usage', () => {
  const { cpu, memory, disk, writes } = does({
    cpu: '50m; from 10s 1500m',
    memory: '100Mi; from 15s 100Mi grows 1Mi/s up to 200Mi',
    disk: '1Gi',
    writes: '60Mi to /v at 5s; 1Gi to /w',
  });

  it('is so much at a moment', () => {
    expect([0, 10_000].map((ms) => usageAt(cpu, ms))).toEqual([50, 1_500]);
    expect([0, 15_000, 25_000, 900_000].map((ms) => (usageAt(memory, ms) as number) / 1_048_576)).toEqual([100, 100, 110, 200]);
    expect(usageAt(disk, 0)).toBe(1_073_741_824);
    expect(usageAt([], 0)).toBeUndefined();
    expect(writes).toEqual([
      { atMs: 5_000, mountPath: '/v', bytes: 62_914_560 },
      { atMs: 0, mountPath: '/w', bytes: 1_073_741_824 },
    ]);
  });

  it('changes when a step begins, and all the time while it grows', () => {
    expect([0, 20_000, 200_000].map((ms) => usageChangesAt(memory, ms))).toEqual([15_000, 20_000, undefined]);
  });
});

it('the runtime refuses, for some time or for ever', () => {
  expect(
    does({ 'fail-create': 'no room', 'app.fail-start': 'no such file', 'fail-start-times': '2', 'resize-fails': 'stuck' }),
  ).toMatchObject({
    failCreate: { message: 'no room' },
    failStart: { message: 'no such file', times: 2 },
    resizeFails: 'stuck',
  });
});

it('around the containers: images, the sandbox, the admission', () => {
  const images =
    'app:1 present\nbusybox:1 absent; takes 3s; size 4Mi\nlate:1 fails NotFound "no" "still no"\ngone:1 always fails "refused"';
  const behaviour = podBehaviourOf(
    podWith({ images, 'sandbox-fails': 'no network', 'sandbox-fails-times': '2', 'admission-error': 'gone' }),
  );
  expect(behaviour).toMatchObject({ sandboxFails: { message: 'no network', times: 2 }, admissionError: 'gone' });
  expect(behaviour.images.get('app:1')).toMatchObject({ present: true, delayMs: 0 });
  expect(behaviour.images.get('busybox:1')).toMatchObject({ present: false, delayMs: 3_000, sizeBytes: 4_194_304 });
  const errors = (name: string) => [0, 1, 2, 3].map((attempt) => pullError(behaviour.images.get(name)!, attempt));
  expect(errors('late:1')).toEqual(['no', 'still no', undefined, undefined]);
  expect(behaviour.images.get('late:1')?.code).toBe('NotFound');
  expect(errors('gone:1')).toEqual(['refused', 'refused', 'refused', 'refused']);
});

describe('profiles', () => {
  it('are read whole: no value in them is as good as absent', () => {
    for (const [name, profile] of Object.entries(profiles)) {
      const plain = does({});
      const behaviour = does({ profile: name });
      for (const key of Object.keys(profile)) {
        const alone = does({ [key]: profile[key] as string });
        expect({ name, key, isRead: key === 'exit-code' || JSON.stringify(alone) !== JSON.stringify(plain) }).toEqual({
          name,
          key,
          isRead: true,
        });
      }
      expect(behaviour).not.toEqual(plain);
    }
  });

  it('give way to what an annotation says', () => {
    expect(does({ profile: 'web', 'app.startup': '3s' })).toMatchObject({ startupMs: 3_000, onTerm: { afterMs: 1_000 } });
    expect(does({ profile: 'batch', runs: '5s exit 1' }).runs).toMatchObject([{ runForMs: 5_000, exitCode: 1 }]);
    expect(does({ profile: 'none of ours' })).toEqual(does({}));
  });
});
