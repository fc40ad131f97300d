export const maxNodeScore = 100;

/** Scales scores to 0–100 by the highest, in whole numbers; `reverse` makes the lowest the best. All zero: 0, or 100 reversed. */
export function defaultNormalizeScores(scores: number[], reverse: boolean): void {
  let max = 0;
  for (const score of scores) if (score > max) max = score;
  for (let i = 0; i < scores.length; i++) {
    const scaled = max === 0 ? 0 : Math.trunc((maxNodeScore * (scores[i] as number)) / max);
    scores[i] = reverse ? maxNodeScore - scaled : scaled;
  }
}
