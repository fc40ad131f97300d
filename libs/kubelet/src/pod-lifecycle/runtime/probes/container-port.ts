import type { Container } from '../../pod-types';

/** The port that a probe asks, or why there is none (upstream `ResolveContainerPort`). */
export function containerPort(port: number | string, { ports = [] }: Container): number | { error: string } {
  const number = typeof port === 'number' ? port : (ports.find(({ name }) => name === port)?.containerPort ?? atoi(port));
  if (typeof number !== 'number') return number;
  return number > 0 && number < 65_536 ? number : { error: `invalid port number: ${number}` };
}

/** A number that was written as a text. */
function atoi(text: string): number | { error: string } {
  return /^[+-]?\d+$/.test(text) ? Number(text) : { error: `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax` };
}
