import type { Controller } from '#libs/control-loop';

/** As client-go limits a client: `burst` requests at once, then `qps` a second. */
export interface ClientRate {
  qps: number;
  burst: number;
}

/** What kube-controller-manager gives each of its controllers by default (`--kube-api-qps`, `--kube-api-burst`). */
export const controllerManagerRate: ClientRate = { qps: 20, burst: 30 };

/** What is left of the rate is part of the state: whoever replays the log finds it again. */
export interface RateLimited<S> {
  inner: S;
  bucket: TokenBucket;
}

/**
 * The controller, held to a client's rate: it decides nothing while its tokens are used up. What it decides then it decides on
 * what it sees then, so every decision still follows from its basis.
 */
export function rateLimited<S>(controller: Controller<S>, rate: ClientRate): Controller<RateLimited<S>> {
  return {
    name: controller.name,
    behaviour: controller.behaviour,
    stream: controller.stream,
    readsRefusals: controller.readsRefusals,
    config: { ...controller.config, clientRate: { ...rate } },
    initial: (cluster, now) => ({ inner: controller.initial(cluster, now), bucket: new TokenBucket(rate) }),
    apply: ({ inner }, append, cluster) => controller.apply(inner, append, cluster),
    next: ({ inner, bucket }, cluster, now) => (bucket.readyAt(now) > now ? undefined : controller.next(inner, cluster, now)),
    decide: ({ inner }, cluster, subject, context) => controller.decide(inner, cluster, subject, context),
    decided({ inner, bucket }, cluster, subject, decision, context) {
      if (decision) bucket.take(decision.steps.length, context.now);
      controller.decided(inner, cluster, subject, decision, context);
    },
    settled: ({ inner }, ...settlement) => controller.settled(inner, ...settlement),
    nextWake({ inner, bucket }, now) {
      const ready = bucket.readyAt(now);
      const wake = controller.nextWake(inner, now);
      // Held back, it does not know whether anything waits: it looks when it may.
      return ready > now ? ready : wake;
    },
  };
}

/** May be overdrawn by one decision of several requests; what was overdrawn has to come back first. */
export class TokenBucket {
  private tokens: number;
  private at = 0;

  constructor(private readonly rate: ClientRate) {
    this.tokens = rate.burst;
  }

  /** When a request may be made; `now` or earlier: at once. */
  readyAt(now: number): number {
    const tokens = this.tokensAt(now);
    return tokens >= 1 ? now : Math.ceil(now + ((1 - tokens) * 1_000) / this.rate.qps);
  }

  take(count: number, now: number): void {
    this.tokens = this.tokensAt(now) - count;
    this.at = now;
  }

  private tokensAt(now: number): number {
    return this.at === 0 ? this.tokens : Math.min(this.rate.burst, this.tokens + ((now - this.at) * this.rate.qps) / 1_000);
  }
}
