import { describe, expect, it } from 'vitest';
import { SparsePlaces } from './sparse-places';

const at = (position: number): { position: number } => ({ position });

describe('places of a log', () => {
  it('are found by what is before them and after them, in whatever order they came', () => {
    const places = new SparsePlaces<{ position: number }>(100);
    for (const position of [48, 16, 32, 32, 96]) places.add(at(position));
    expect(places.size).toBe(4);
    expect(places.last(({ position }) => position <= 47)).toEqual(at(32));
    expect(places.last(({ position }) => position <= 15)).toBeUndefined();
    expect(places.after(48)).toEqual(at(96));
    expect(places.after(96)).toBeUndefined();
  });

  it('never take more room than they were given, and all of the newest are kept', () => {
    const places = new SparsePlaces<{ position: number }>(64);
    for (let i = 1; i <= 10_000; i++) places.add(at(i * 16));
    expect(places.size).toBeLessThanOrEqual(64);
    for (let i = 9_980; i <= 10_000; i++) expect(places.last(({ position }) => position <= i * 16)).toEqual(at(i * 16));
    expect(places.last(({ position }) => position <= 16)).toEqual(at(16));
  });
});
