import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { Helm, timeout } from './helm-checks';
import { here } from './program';
import { hasCondition, isGone, type Seen } from './workloads';

const chart = join(here, 'helm', 'operator-chart');
const space = '--namespace=lights';
const lamp = '/apis/lights.example.org/v1/namespaces/lights/lamps/hall';
const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lamps.lights.example.org';
const configMap = (name: string): string => `/api/v1/namespaces/lights/configmaps/hall-${name}`;
const job = (name: string): string => `/apis/batch/v1/namespaces/lights/jobs/hall-${name}`;
const merge = { 'content-type': 'application/merge-patch+json' };

/** Versions count what happens in the cluster: who was made first has the smaller one, as long as nobody writes to it again. */
const versionOf = ({ metadata }: Seen): number => Number(metadata.resourceVersion);

const isComplete = (object: Seen): boolean => hasCondition(object, 'Complete');

/** What a user of a chart relies on that brings definitions and hooks. */
export const definitionChecks: Record<string, (helm: Helm) => Promise<void>> = {
  'a chart brings its definition, which is served before the first object of its kind is made': async (helm) => {
    const said = await helm.ok('install', 'hall', chart, space, '--create-namespace', '--wait', '--wait-for-jobs', timeout);
    assert.match(said, /STATUS: deployed/);
    assert.deepEqual((await helm.object(lamp)).spec, { brightness: 40, bulbs: [{ name: 'left', watts: 40 }], colour: 'warm' });
    assert.ok(versionOf(await helm.object(lamp)) > versionOf(await helm.object(definition)));
  },
  'hooks run by their weights, before and after what is installed': async (helm) => {
    const order = [configMap('check-first'), job('check-second'), lamp, job('greet')];
    const made = await Promise.all(order.map((path) => helm.object(path)));
    assert.deepEqual([isComplete(made[1]), isComplete(made[3])], [true, true]);
    assert.deepEqual(
      made.map(versionOf),
      made.map(versionOf).sort((a, b) => a - b),
    );
    const later = versionOf(made[1]);
    assert.ok(later < versionOf(made[2]), 'the lamp waited for the job');
  },
  'upgrade: objects of a custom kind are merged, what others have added stays': async (helm) => {
    const { cluster } = helm.surroundings;
    await cluster.call('PATCH', lamp, { metadata: { labels: { added: 'by-hand' } }, spec: { colour: 'blue' } }, merge);
    await helm.ok('upgrade', 'hall', chart, space, '--set=brightness=70', '--wait', timeout);
    const { metadata, spec } = await helm.object(lamp);
    assert.deepEqual(spec, { brightness: 70, bulbs: [{ name: 'left', watts: 70 }], colour: 'blue' });
    assert.deepEqual([metadata.labels.added, metadata.generation], ['by-hand', 3]);
    assert.deepEqual((await helm.object(configMap('check-first'))).data, { wanted: '70' });
    assert.deepEqual((await helm.object(configMap('known'))).data, { lamps: 'true' });
  },
  'an upgrade that the definition refuses fails, and changes nothing of that kind': async (helm) => {
    const { code, stderr } = await helm.try('upgrade', 'hall', chart, space, '--set=brightness=700', timeout);
    assert.notEqual(code, 0);
    assert.match(stderr, /spec\.brightness in body should be less than or equal to 100/);
    assert.equal((await helm.object(lamp)).spec.brightness, 70);
  },
  'an upgrade whose hook fails fails before anything is changed': async (helm) => {
    const { code, stderr } = await helm.try('upgrade', 'hall', chart, space, '--set=brightness=80,checks=false', timeout);
    assert.notEqual(code, 0);
    assert.match(stderr, /UPGRADE FAILED: pre-upgrade hooks failed: [^]*job hall-check-second failed: BackoffLimitExceeded/);
    assert.equal((await helm.object(lamp)).spec.brightness, 70);
    const history = JSON.parse(await helm.ok('history', 'hall', space, '--output=json')) as { revision: number; status: string }[];
    assert.deepEqual(
      history.map(({ revision, status }) => `${revision} ${status}`),
      ['1 superseded', '2 deployed', '3 failed', '4 failed'],
    );
  },
  'rollback: the object is as it was, and the hook after it runs anew': async (helm) => {
    const before = (await helm.object(job('greet'))).metadata.uid;
    await helm.ok('rollback', 'hall', '1', space, '--wait', timeout);
    assert.deepEqual((await helm.object(lamp)).spec, { brightness: 40, bulbs: [{ name: 'left', watts: 40 }], colour: 'blue' });
    const greet = await helm.object(job('greet'));
    assert.equal(isComplete(greet), true);
    assert.notEqual(greet.metadata.uid, before);
  },
  'its test is a hook, and says what it says': async (helm) => {
    assert.match(await helm.ok('test', 'hall', space, '--logs', timeout), /Phase: +Succeeded[^]*POD LOGS: hall-shines\nit shines\n/);
  },
  'uninstall: the last hook runs first; the definition stays': async (helm) => {
    await helm.ok('uninstall', 'hall', space, '--wait', timeout);
    await isGone(helm.surroundings.cluster, lamp);
    assert.equal(isComplete(await helm.object(job('farewell'))), true);
    assert.equal((await helm.object(definition)).metadata.name, 'lamps.lights.example.org');
    // Whoever installs it again finds it there.
    assert.match(await helm.ok('install', 'hall', chart, space, '--set=brightness=5', '--wait', timeout), /STATUS: deployed/);
    assert.equal((await helm.object(lamp)).spec.brightness, 5);
  },
};
