/** One measured figure. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Under which load it was measured. */
  load: string;
}
