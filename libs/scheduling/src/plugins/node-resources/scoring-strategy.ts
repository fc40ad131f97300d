import { maxNodeScore } from '../../framework/normalize';

export interface ResourceWeight {
  name: string;
  weight: number;
}

export interface ScoringStrategy {
  type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  resources: ResourceWeight[];
  requestedToCapacityRatio?: { shape: { utilization: number; score: number }[] };
}

export const defaultScoringStrategy: ScoringStrategy = {
  type: 'LeastAllocated',
  resources: [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ],
};

/**
 * From what would be requested and what there is, resource by resource (capacity 0: left out), to a score of 0 to 100. Whole
 * numbers; division truncates.
 */
export type ResourceScoring = (requested: readonly number[], capacity: readonly number[]) => number;

function weightedMean(weights: readonly number[], score: (requested: number, capacity: number) => number): ResourceScoring {
  return (requested, capacity) => {
    let sum = 0;
    let weightSum = 0;
    for (let i = 0; i < weights.length; i++) {
      if (capacity[i] === 0) continue;
      sum += score(requested[i] as number, capacity[i] as number) * (weights[i] as number);
      weightSum += weights[i] as number;
    }
    return weightSum === 0 ? 0 : Math.trunc(sum / weightSum);
  };
}

/** The emptier the better. */
function leastAllocated(requested: number, capacity: number): number {
  return requested > capacity ? 0 : Math.trunc(((capacity - requested) * maxNodeScore) / capacity);
}

/** The fuller the better; beyond full is full. */
function mostAllocated(requested: number, capacity: number): number {
  return Math.trunc((Math.min(requested, capacity) * maxNodeScore) / capacity);
}

/** A line through the points of the shape (scores 0–10 there), level beyond its ends. */
function brokenLine(shape: readonly { utilization: number; score: number }[]): (utilization: number) => number {
  const points = shape.map(({ utilization, score }) => ({ utilization, score: score * (maxNodeScore / 10) }));
  return (utilization) => {
    for (const [i, right] of points.entries()) {
      if (utilization > right.utilization) continue;
      const left = points[i - 1];
      if (left === undefined) return right.score;
      return (
        left.score + Math.trunc(((right.score - left.score) * (utilization - left.utilization)) / (right.utilization - left.utilization))
      );
    }
    return points.at(-1)?.score ?? 0;
  };
}

/** Resources that score 0 do not count in the mean, which is rounded here and not truncated. */
function requestedToCapacityRatio(weights: readonly number[], line: (utilization: number) => number): ResourceScoring {
  return (requested, capacity) => {
    let sum = 0;
    let weightSum = 0;
    for (let i = 0; i < weights.length; i++) {
      const wanted = requested[i] as number;
      const available = capacity[i] as number;
      if (available === 0) continue;
      const score = line(wanted > available ? 100 : Math.trunc((wanted * 100) / available));
      if (score <= 0) continue;
      sum += score * (weights[i] as number);
      weightSum += weights[i] as number;
    }
    return weightSum === 0 ? 0 : Math.round(sum / weightSum);
  };
}

/** The function of a strategy: from amounts by resource to a score of 0 to 100. */
export function scoringOf(strategy: ScoringStrategy): ResourceScoring {
  const weights = strategy.resources.map((resource) => resource.weight);
  switch (strategy.type) {
    case 'LeastAllocated':
      return weightedMean(weights, leastAllocated);
    case 'MostAllocated':
      return weightedMean(weights, mostAllocated);
    case 'RequestedToCapacityRatio':
      return requestedToCapacityRatio(weights, brokenLine(strategy.requestedToCapacityRatio?.shape ?? []));
  }
}
