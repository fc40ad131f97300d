import { describe, expect, it } from 'vitest';
import { checkOptions, OptionsError } from '#libs/validation';
import { AppOptions } from './app-options';

const pem = '-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n';
const apiserver = { host: '127.0.0.1', port: 6443, certificate: pem, privateKey: pem, ca: pem, token: 't' };
const options = { cluster: 'local', seed: 's', apiserver, controllerManager: { nodes: { count: 3, cpu: '4', memory: '8Gi', pods: 110 } } };

function linesOf(changed: object): readonly string[] {
  try {
    checkOptions(AppOptions, { ...options, ...changed });
    return [];
  } catch (error) {
    if (error instanceof OptionsError) return error.lines;
    throw error;
  }
}

describe('the options of the apps', () => {
  it('are taken as `up` writes them', () => {
    expect(linesOf({})).toEqual([]);
    expect(linesOf({ clock: { speed: 60, start: 0, origin: 0 }, scheduler: { plugins: ['/a.js'] }, kubelet: {}, controllers: {} })).toEqual(
      [],
    );
  });

  it.each<[object, string]>([
    [{ cluster: 'My cluster' }, 'cluster My cluster: a name of lower-case letters, digits and - is expected'],
    [{ seed: undefined }, 'seed is missing: a text is expected'],
    [{ sede: 's' }, 'sede: there is no such option; there are cluster, seed, build, clock, controllers, apiserver, '],
    [{ apiserver: { ...apiserver, port: 70_000 } }, 'apiserver.port 70000: a whole number from 0 to 65535 is expected'],
    [{ apiserver: { ...apiserver, ca: 'none' } }, 'apiserver.ca none: PEM text is expected'],
    [{ apiserver: { ...apiserver, limits: { idleMs: '5s' } } }, 'apiserver.limits {"idleMs":"5s"}: an object of whole numbers above 0'],
    [{ apiserver: true }, 'apiserver true: an object is expected'],
    [{ clock: { speed: 0, start: 0, origin: 0 } }, 'clock.speed 0: a number above 0 is expected'],
    [{ kubelet: { onTerm: 'die' } }, 'kubelet.onTerm die: exit or ignore is expected'],
    [{ scheduler: { plugins: [1] } }, 'scheduler.plugins [1]: a list of texts is expected'],
    [{ controllers: { kubelet: 'all' } }, 'controllers {"kubelet":"all"}: an object of lists of controllers is expected'],
    [
      { controllerManager: { nodes: { count: 3, cpu: 'four', memory: '8Gi', pods: 110 } } },
      'controllerManager.nodes.cpu four: a quantity such as 4 or 500m is expected',
    ],
  ])('%j: says what is off, and what is allowed', (changed, line) => {
    const lines = linesOf(changed);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(line);
  });

  it('names every option that is off, and shows no secret', () => {
    const lines = linesOf({ seed: 1, apiserver: { ...apiserver, token: '', privateKey: 'the key itself' } });
    expect(lines).toHaveLength(3);
    expect(lines.join('\n')).not.toContain('the key itself');
  });
});
