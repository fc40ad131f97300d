import type { ClusterState } from '#libs/cluster-state';
import type { Controller, Decision } from './controller';
import { digestDifference, stateDigest } from './state-digest.fixture';

/** The cluster is much larger than a controller's state: it is held against itself at every so many looks only. */
const looksPerClusterDigest = 50;
/** What is due is asked far more often than anything is decided. */
const asksPerDigest = 8;

type Look = () => unknown;

/** What the looks at a controller's state came to. */
export class Watch {
  /** How often something was decided. */
  decisions = 0;
  /** Looks that found nothing to do. */
  fruitless = 0;
  /** Whatever a look changed, or answered otherwise when it was asked again. */
  readonly faults: string[] = [];
  private looks = 0;
  private asks = 0;

  /** Each look twice: one that answers otherwise then, changes what it looks at, reads the clock or draws its own chance is a fault. */
  twice(what: string, state: unknown, cluster: ClusterState, looks: readonly Look[]): unknown {
    const seen = this.looks++ % looksPerClusterDigest === 0 ? [state, cluster] : [state];
    const before = stateDigest(seen);
    const [answer] = looks.map((look) => {
      const first = withoutClock(look);
      const otherwise = digestDifference(stateDigest(first), stateDigest(withoutClock(look)));
      if (otherwise) this.faults.push(`${what} gives another answer when asked again: ${otherwise}`);
      return first;
    });
    const changed = digestDifference(before, stateDigest(seen));
    if (changed) this.faults.push(`${what} changes the state: ${changed}`);
    return answer;
  }

  /** The same for one ask in a few. */
  sometimes(what: string, state: unknown, cluster: ClusterState, look: Look): unknown {
    return this.asks++ % asksPerDigest === 0 ? this.twice(what, state, cluster, [look]) : look();
  }
}

/** The controller, asked everything twice. What it decides is as before. */
export function watched<S>(controller: Controller<S>, watch: Watch): Controller<S> {
  const { name } = controller;
  return {
    ...controller,
    next(state, cluster, now) {
      const looks = (): [string | undefined, number | undefined] => [controller.next(state, cluster, now), controller.nextWake(state, now)];
      return (watch.sometimes(`${name}: next`, state, cluster, looks) as ReturnType<typeof looks>)[0];
    },
    decide(state, cluster, subject, context) {
      const looks = [context, { ...context, evaluateAll: true }].map((asked) => () => controller.decide(state, cluster, subject, asked));
      const decision = watch.twice(`${name}: decide(${subject})`, state, cluster, looks) as Decision | undefined;
      if (decision) watch.decisions++;
      else watch.fruitless++;
      return decision;
    },
  };
}

const forbidden = (): never => {
  throw new Error('a decision reads the clock or draws chance of its own');
};

function withoutClock<T>(run: () => T): T {
  const { now } = Date;
  const { random } = Math;
  Date.now = forbidden;
  Math.random = forbidden;
  try {
    return run();
  } finally {
    Date.now = now;
    Math.random = random;
  }
}
