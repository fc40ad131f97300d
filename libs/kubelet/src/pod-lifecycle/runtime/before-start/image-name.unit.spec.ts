import { expect, it } from 'vitest';
import { imageNameError } from './image-name';

it.each([
  'nginx',
  'nginx:1.27',
  'team/app',
  'a__b/c-d.e:v1_2',
  'registry.k8s.io/pause:3.10',
  'localhost/x',
  'localhost:5000/team/x:1',
  'Registry/x',
  '[::1]:5000/x',
  `nginx@sha256:${'0'.repeat(64)}`,
  `nginx:1@sha256:${'a'.repeat(64)}`,
])('%s is an image', (image) => {
  expect(imageNameError(image)).toBeUndefined();
});

it.each([
  ['Bad:::Name', 'invalid reference format: repository name (library/Bad) must be lowercase'],
  ['docker.io/team/App:1', 'invalid reference format: repository name (team/App) must be lowercase'],
  ['nginx:', 'invalid reference format'],
  ['nginx:1:2', 'invalid reference format'],
  ['-nginx', 'invalid reference format'],
  ['nginx@sha256:12', 'invalid reference format'],
  ['a b', 'invalid reference format'],
  ['0'.repeat(64), `invalid repository name (${'0'.repeat(64)}), cannot specify 64-byte hexadecimal strings`],
])('%s is none: %s', (image, why) => {
  const quoted = `"${image}"`;
  expect(imageNameError(image)).toBe(`Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: ${why}`);
});
