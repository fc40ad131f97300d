/** One measured figure. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Under which load it was measured. */
  load: string;
}

/** The middle one; the upper of two. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}
