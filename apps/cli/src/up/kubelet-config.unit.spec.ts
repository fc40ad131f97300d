import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readKubeletConfig } from './kubelet-config';

const folder = mkdtempSync(join(tmpdir(), 'kubelet-config-'));
const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

function file(text: string): string {
  const path = join(folder, 'kubelet.yaml');
  writeFileSync(path, text);
  return path;
}

afterAll(() => rmSync(folder, { recursive: true }));

describe('a KubeletConfiguration', () => {
  it('says what pods are evicted for; fields that mean nothing here are taken as they are', async () => {
    const config = await readKubeletConfig(
      file(
        `${head}maxPods: 50\nevictionHard:\n  memory.available: 500Mi\nevictionPressureTransitionPeriod: 30s\nenforceNodeAllocatable: [none]\n`,
      ),
    );
    expect(config).toMatchObject({ eviction: { transitionMs: 30_000, thresholds: [{ name: 'memory.available<500Mi' }] } });
  });

  it('says how many images are pulled at once', async () => {
    expect(await readKubeletConfig(file(`${head}serializeImagePulls: false\n`))).toMatchObject({ serializeImagePulls: false });
    expect(await readKubeletConfig(file(`${head}maxParallelImagePulls: 3\n`))).toMatchObject({ maxParallelImagePulls: 3 });
  });

  it.each([
    ['kind: KubeletConfiguration\n', 'no kind "KubeletConfiguration" is registered for version "undefined"'],
    [`${head}evictionHrad: {}\n`, 'unknown field "evictionHrad"'],
    [`${head}evictionHard: {memory.available: 5}\n`, 'evictionHard: texts by signal'],
    [`${head}evictionHard: {memory.free: 5Mi}\n`, 'unsupported eviction signal memory.free'],
    [`${head}evictionSoft: {memory.available: 5Mi}\n`, 'grace period must be specified for the soft eviction threshold memory.available'],
    [`${head}evictionMaxPodGracePeriod: soon\n`, 'evictionMaxPodGracePeriod: whole seconds'],
    [`${head}serializeImagePulls: true\nmaxParallelImagePulls: 2\n`, 'maxParallelImagePulls cannot be larger than 1 unless'],
    [`${head}maxParallelImagePulls: 0\n`, 'maxParallelImagePulls 0 must be a positive number'],
    ['a: b: c\n', 'kubelet.yaml:1: '],
  ])('that is off is refused, with the file named: %j', async (text, message) => {
    await expect(readKubeletConfig(file(text))).rejects.toThrow(message);
  });
});
