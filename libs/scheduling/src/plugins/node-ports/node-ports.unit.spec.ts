import { describe, expect, it } from 'vitest';
import { makeNode, makePod, verdicts } from '../../cluster.fixture';
import type { RawContainer } from '../../framework/kube-types';

const refused = "NodePorts: node(s) didn't have free ports for the requested pod ports";

function withPort(
  name: string,
  port: { hostPort: number; hostIP?: string; protocol?: string },
  parts: { nodeName?: string; init?: string } = {},
) {
  const container: RawContainer = { name: 'c', ports: [port] };
  if (parts.init === undefined) return makePod(name, { containers: [container], nodeName: parts.nodeName });
  return makePod(name, {
    containers: [{ name: 'main' }],
    initContainers: [{ ...container, restartPolicy: parts.init || undefined }],
    nodeName: parts.nodeName,
  });
}

describe('NodePorts', () => {
  const clash = (held: Parameters<typeof withPort>[1], wanted: Parameters<typeof withPort>[1]) =>
    verdicts({ nodes: [makeNode('n')], pods: [withPort('holder', held, { nodeName: 'n' })] }, withPort('p', wanted)).n === refused;

  it.each([
    ['the same port', { hostPort: 80 }, { hostPort: 80 }, true],
    ['another port', { hostPort: 80 }, { hostPort: 81 }, false],
    ['another protocol', { hostPort: 80 }, { hostPort: 80, protocol: 'UDP' }, false],
    ['the wildcard address against any', { hostPort: 80, hostIP: '0.0.0.0' }, { hostPort: 80, hostIP: '10.0.0.1' }, true],
    ['any address against the wildcard', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80 }, true],
    ['distinct addresses', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.2' }, false],
  ])('%s', (_rule, held, wanted, expected) => {
    expect(clash(held, wanted)).toBe(expected);
  });

  it('counts sidecars, which keep running, and not plain init containers', () => {
    const nodes = [makeNode('n')];
    const wanted = withPort('p', { hostPort: 80 });
    expect(verdicts({ nodes, pods: [withPort('sidecar', { hostPort: 80 }, { nodeName: 'n', init: 'Always' })] }, wanted).n).toBe(refused);
    expect(verdicts({ nodes, pods: [withPort('init', { hostPort: 80 }, { nodeName: 'n', init: '' })] }, wanted).n).toBe('fits');
  });
});
