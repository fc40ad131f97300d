import { age, nameOf, rowOf } from './cell';

/** `autoscaling/v1 Scale`. */
export const scaleRow = rowOf((scale, now) => [nameOf(scale), scale.spec?.replicas ?? 0, scale.status?.replicas ?? 0, age(scale, now)]);
