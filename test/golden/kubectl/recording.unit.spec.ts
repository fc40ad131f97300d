import { expect, it } from 'vitest';
import { recordingOf, varyingOf, type Story } from './recording';

const command = (step: number) => ({ step, command: `kubectl ${step}`, exit: 0, stdout: '', stderr: '' });
const story: Story = {
  id: 'crd',
  title: 'a custom resource',
  area: 'kubectl',
  server: 'v1.34.4',
  namespace: 'kc-crd',
  setup: [{ method: 'POST', path: '/api/v1/namespaces', body: {} }],
  steps: [command(1), { pauseSeconds: 3 }, command(2), command(3)],
  varies: ['steps[2].stdout', 'steps[1].stderr'],
};

it('a story is played as a session: three nodes, its namespace, what comes with that, and pauses between steps', () => {
  const { header, steps } = recordingOf(story);
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3]);
  expect(header.setup?.map(({ path, until, beforeStep, pauseSeconds }) => path ?? [beforeStep, pauseSeconds, until])).toEqual([
    '/api/v1/nodes',
    '/api/v1/nodes',
    '/api/v1/nodes',
    '/api/v1/namespaces',
    '/api/v1/namespaces/kc-crd/serviceaccounts/default',
    '/api/v1/namespaces/kc-crd/configmaps/kube-root-ca.crt',
    [2, 3, undefined],
  ]);
});

it('outputs that varied are named by their step; the list counts pauses too', () => {
  expect([...varyingOf(story)]).toEqual(['2 stdout']);
});
