import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiFixture } from '../testing/api-fixture.fixture';

const v1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
const v2 = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const merge = { 'content-type': 'application/merge-patch+json' };
const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, minReplicas: 2, maxReplicas: 5 };
const memory = { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } };
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

let api: ApiFixture;
beforeEach(async () => {
  api = await ApiFixture.start();
});
afterEach(() => api.close());

describe('a kind in two versions', () => {
  it('is one object, in whichever it is written', async () => {
    expect((await api.request('POST', v1, { metadata: { name: 'h' }, spec: { ...spec, targetCPUUtilizationPercentage: 70 } })).status).toBe(
      201,
    );
    const newer = (await api.request('GET', `${v2}/h`)).json;
    expect(newer).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [cpu(70)] } });
    const { json: older } = await api.request('GET', `${v1}/h`);
    expect(older).toMatchObject({ apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 70 } });
    expect(older.metadata).toEqual(newer.metadata);
    expect((await api.request('PUT', `${v2}/h`, { ...newer, spec: { ...newer.spec, metrics: [memory, cpu(30)] } })).status).toBe(200);
    const shown = (await api.request('GET', `${v1}/h`)).json;
    expect(shown.spec.targetCPUUtilizationPercentage).toBe(30);
    expect(JSON.parse(shown.metadata.annotations['autoscaling.alpha.kubernetes.io/metrics'])).toEqual([
      { type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } },
    ]);
  });

  it('is patched in the version that the patch is for', async () => {
    await api.request('POST', v2, { metadata: { name: 'h' }, spec: { ...spec, metrics: [memory, cpu(30)] } });
    const patched = await api.request('PATCH', `${v1}/h`, { spec: { targetCPUUtilizationPercentage: 55 } }, merge);
    expect(patched.json).toMatchObject({ apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 55 } });
    expect((await api.request('GET', `${v2}/h`)).json.spec.metrics).toEqual([memory, cpu(55)]);
    const refused = await api.request('PATCH', `${v1}/h`, { spec: { targetCPUUtilizationPercentage: 0 } }, merge);
    expect(refused.json.message).toContain('spec.metrics[1].resource.target.averageUtilization: Invalid value: 0');
  });

  it('keeps what another version has written when its status is', async () => {
    await api.request('POST', v2, { metadata: { name: 'h' }, spec: { ...spec, metrics: [memory] } });
    const status = { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 5 };
    expect((await api.request('PATCH', `${v1}/h/status`, { status }, merge)).json.status).toEqual(status);
    expect((await api.request('GET', `${v2}/h`)).json).toMatchObject({
      spec: { metrics: [memory] },
      status: { currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 5 } } }] },
    });
  });

  it('is watched and listed in each, by both at once', async () => {
    const [older, newer] = [await api.watch(`${v1}?watch=1`), await api.watch(`${v2}?watch=1`)];
    await api.request('POST', v2, { metadata: { name: 'h' }, spec: { ...spec, metrics: [cpu(30)] } });
    expect(older.frames[0]?.object).toMatchObject({ apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 30 } });
    expect(newer.frames[0]?.object).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [cpu(30)] } });
    const { json } = await api.request('GET', v1);
    expect(json).toMatchObject({ apiVersion: 'autoscaling/v1', items: [{ spec: { targetCPUUtilizationPercentage: 30 } }] });
    older.close();
    newer.close();
  });

  it('refuses a body of the other version', async () => {
    const body = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec };
    expect((await api.request('POST', v1, body)).json.message).toBe(
      'the API version in the data (autoscaling/v2) does not match the expected API version (autoscaling/v1)',
    );
  });

  it('is told by discovery, the stored version first', async () => {
    const { json } = await api.request('GET', '/apis/autoscaling');
    expect(json.versions.map(({ version }: { version: string }) => version)).toEqual(['v2', 'v1']);
    expect(json.preferredVersion.version).toBe('v2');
  });
});
