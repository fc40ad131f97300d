/**
 * Behaviours by name: `kubereel.dev/profile: web`. Each is a set of values under the keys of annotations; what an annotation of the pod says
 * itself goes before.
 */
export const profiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  web: {
    startup: '1s',
    'on-term': 'takes 1s',
    cpu: '20m; from 5s 60m; from 35s 30m; from 65s 60m; again after 95s',
    memory: '40Mi; from 5s 64Mi',
    log: '[1s] listening on :8080\n[every 10s] GET / 200',
  },
  batch: {
    'run-for': '20s to 40s',
    'exit-code': '0',
    cpu: '500m',
    memory: '128Mi',
    log: 'begun\n[every 5s] at work\n[end] done',
  },
  database: {
    startup: '2s',
    'on-term': 'takes 5s',
    ready: 'false; from 8s true',
    cpu: '200m; from 8s 50m',
    memory: '128Mi grows 1Mi/s up to 512Mi',
    disk: '64Mi grows 4Ki/s up to 8Gi',
    log: 'recovering\n[8s] ready to accept connections\n[every 5m] checkpoint complete',
  },
  leaky: {
    cpu: '50m',
    memory: '32Mi grows 1Mi/s',
    log: 'started\n[every 30s] nothing is ever freed',
  },
  flapping: {
    ready: 'true; from 30s false; again after 45s',
    cpu: '20m',
    memory: '32Mi',
  },
  crashing: {
    'run-for': '5s to 10s',
    'exit-code': '1',
    message: 'something went wrong',
    log: 'started\n[end] panic: something went wrong',
  },
};
