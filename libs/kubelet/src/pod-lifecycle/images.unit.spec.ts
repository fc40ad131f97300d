import { expect, it } from 'vitest';
import { resolvedImage } from './images';

const digest = `sha256:${'0'.repeat(64)}`;

it.each([
  ['nginx', 'docker.io/library/nginx:latest', 'docker.io/library/nginx@sha256:'],
  ['app:1', 'docker.io/library/app:1', 'docker.io/library/app@sha256:'],
  ['bitnami/redis:7', 'docker.io/bitnami/redis:7', 'docker.io/bitnami/redis@sha256:'],
  ['registry.k8s.io/pause:3.10', 'registry.k8s.io/pause:3.10', 'registry.k8s.io/pause@sha256:'],
  ['localhost/x', 'localhost/x:latest', 'localhost/x@sha256:'],
  ['host:5000/team/x', 'host:5000/team/x:latest', 'host:5000/team/x@sha256:'],
  [`nginx@${digest}`, `docker.io/library/nginx@${digest}`, `docker.io/library/nginx@${digest}`],
  [`nginx:1@${digest}`, 'docker.io/library/nginx:1', `docker.io/library/nginx@${digest}`],
])('%s', (reference, image, imageId) => {
  const resolved = resolvedImage(reference);
  expect(resolved.image).toBe(image);
  expect(resolved.imageId.startsWith(imageId)).toBe(true);
  expect(resolved.imageId).toMatch(/@sha256:[0-9a-f]{64}$/);
  expect(resolvedImage(resolved.image).image).toBe(image);
});
