import { applyDefaults } from '../../defaults/apply-defaults';
import { definition } from '../../schema';
import type { KindDescription } from '../behaviour';
import { setAutoscalerDefaults, setV1Defaults } from './defaults';
import { autoscalerRow } from './row';
import { v1Conversion } from './v1/conversion';
import { validateAutoscaler, validateAutoscalerStatus, validateAutoscalerUpdate } from './validation';

const stored = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler', setDefaults: setAutoscalerDefaults };

const horizontalpodautoscalers: KindDescription = {
  name: 'horizontalpodautoscalers.autoscaling',
  served: true,
  formerVersions: ['autoscaling/v2beta1', 'autoscaling/v2beta2'],
  otherVersions: { v1: { setDefaults: setV1Defaults, conversion: v1Conversion } },
  setDefaults: setAutoscalerDefaults,
  strategy: {
    zeroStatus: { desiredReplicas: 0, currentMetrics: null },
    // What came in another version has not had the defaults of this one.
    readBack: (object) => applyDefaults({ ...stored, schema: definition('autoscaling.v2.HorizontalPodAutoscaler') }, object),
  },
  validation: {
    create: validateAutoscaler,
    update: validateAutoscalerUpdate,
    subresources: { status: validateAutoscalerStatus },
  },
  row: autoscalerRow,
};

export const autoscalingKinds: readonly KindDescription[] = [horizontalpodautoscalers];
