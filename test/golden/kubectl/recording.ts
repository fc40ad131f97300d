// The file of recorded kubectl stories, typed (see the README beside the recordings).
import { readFileSync } from 'node:fs';
import type { CommandStep, Recording, SetupEntry } from '../api/recording';

interface Pause {
  pauseSeconds: number;
}

export interface Story {
  id: string;
  title: string;
  area: string;
  server: string;
  namespace: string;
  setup: SetupEntry[];
  steps: (CommandStep | Pause)[];
  /** Outputs that differed between two recordings, as `steps[7].stdout`, counted from 0. */
  varies?: string[];
}

export const storiesOf = (file: string): Story[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Story);

const isPause = (step: CommandStep | Pause): step is Pause => 'pauseSeconds' in step;

/** What ran beside the API server. */
const runs = 'apiserver+scheduler+controller-manager+kwok';

/** A node as the stories found three of them. */
const node = (name: string): SetupEntry => {
  const resources = { cpu: '32', memory: '256Gi', pods: '1000' };
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'kubelet is posting ready status',
  };
  const labels = {
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
  };
  const body = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [ready],
    },
  };
  return { method: 'POST', path: '/api/v1/nodes', body };
};

/** The story as the player of API sessions takes it: its pauses are set-up between two steps. */
export function recordingOf(story: Story): Recording {
  const { id, title, area, server, namespace, steps } = story;
  const commands = steps.filter((step): step is CommandStep => !isPause(step));
  const pauses = steps.flatMap((step, index) => {
    if (!isPause(step)) return [];
    const next = steps.slice(index).find((later): later is CommandStep => !isPause(later));
    return next ? [{ beforeStep: next.step, pauseSeconds: step.pauseSeconds }] : [];
  });
  const within = `/api/v1/namespaces/${namespace}`;
  const awaited = [`${within}/serviceaccounts/default`, `${within}/configmaps/kube-root-ca.crt`];
  const setup = [
    ...['node-0', 'node-1', 'node-2'].map(node),
    ...story.setup,
    ...awaited.map((path) => ({ method: 'GET', path, until: 'status==200' })),
    ...pauses,
  ];
  return {
    header: { session: id, title, area, server, runs, setup },
    steps: commands,
    samples: [],
    dir: '',
  };
}

/** The outputs that are not compared: `8 stdout` for the eighth step's. */
export function varyingOf({ steps, varies = [] }: Story): ReadonlySet<string> {
  return new Set(
    varies.flatMap((path) => {
      const [, index = '', output = ''] = /^steps\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
      const step = steps[Number(index)];
      return step && !isPause(step) ? [`${step.step} ${output}`] : [];
    }),
  );
}
