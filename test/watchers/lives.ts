import { Random } from './random';
import type { Life } from './running';

export interface Lives {
  flags: () => Generator<Life>;
  /** Whether old versions may expire in the life of a number. */
  expires: (life: number) => boolean;
}

/** Events that are kept where old versions expire. */
const keptEvents = '2000';

/** One process, each app a process of its own, old versions that expire: in turn; each ended in one of two ways. */
export function livesOf(seed: number): Lives {
  const random = new Random(seed);
  const common = ['--nodes', '0', '--apps', 'apiserver,priority-admission'];
  const expires = (life: number): boolean => life % 3 === 1;
  return {
    expires,
    *flags() {
      for (let life = 0; ; life++) {
        const split = life % 3 === 2 ? ['--split'] : [];
        const compaction = expires(life) ? ['--compact-after', keptEvents] : [];
        yield { flags: [...common, ...split, ...compaction], isKilled: random.oneIn(2) };
      }
    },
  };
}
