import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import {
  ControllerShell,
  Lead,
  type ClusterRuntime,
  type Controller,
  type Election,
  type LeadChange,
  type Writer,
} from '#libs/control-loop';
import { fact } from '#libs/events';
import { derivedId } from '#libs/kernel';
import type { Subscription } from 'rxjs';
import type { AppOptions } from './options';

/** Longest that decisions under way are waited for before the lead is given back, and then for that, ms. */
const restMsMax = 500;

/**
 * Runs an app's controllers for as long as the app lives, or, where other instances may run, for as long as it leads them. An app's
 * service extends it and names its controllers.
 */
export abstract class ControllerHost implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly chosen: readonly Controller[];
  private readonly shells = new Map<string, ControllerShell<unknown>>();
  private lead: Lead | undefined;
  private folded: Subscription | undefined;
  private ended: Promise<void> | undefined;

  protected constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    private readonly app: string,
    options: AppOptions,
    controllers: readonly Controller[],
  ) {
    const chosen = options.controllers?.[app];
    this.chosen = controllers.filter((controller) => !chosen || chosen.includes(controller.name));
  }

  async onApplicationBootstrap(): Promise<void> {
    const { election } = this.runtime.options;
    if (election && this.chosen.length > 0) await this.standForLead(election);
    else await this.start(this.chosen);
  }

  /** All apps of the process end side by side: Nest waits for one module after the other. */
  beforeApplicationShutdown(): void {
    this.ended = this.end();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.ended;
  }

  private async end(): Promise<void> {
    this.folded?.unsubscribe();
    const stopped = this.stop([...this.shells.keys()]);
    await withinRest(stopped);
    if (!this.lead) return;
    // Without it the next instance waits for the end of the lease.
    await withinRest(this.lead.release().catch(() => undefined));
  }

  private async standForLead({ holder, isDead, changed, time }: Election): Promise<void> {
    const { log, cluster, clock } = this.runtime.options;
    const lead = new Lead({
      log,
      cluster,
      app: this.app,
      controllers: this.chosen.map(({ name }) => name),
      holder,
      clusterTime: () => clock.now(),
      time,
      isDead,
      changed: async (change) => {
        changed(change);
        await this.act(change);
      },
      confirmed: () => this.shells.forEach((shell) => shell.resume()),
    });
    this.lead = lead;
    this.folded = this.runtime.folded$.subscribe((appends) => {
      for (const { change, stream } of appends) if (!change) lead.noticed(stream);
    });
    await lead.begin();
  }

  private async act(change: LeadChange): Promise<void> {
    if (change.kind === 'lost') return void this.stop(change.controllers);
    if (change.kind !== 'gained') return;
    // Everything that the leader before wrote is in the state that these begin with.
    await this.runtime.whenFolded(change.position);
    await this.start(this.chosen.filter(({ name }) => change.controllers.includes(name)));
  }

  private async start(controllers: readonly Controller[]): Promise<void> {
    const mayDecide = (): boolean => this.lead?.isHeld() ?? true;
    await Promise.all(
      controllers.map((controller) => {
        this.shells.get(controller.name)?.stop();
        const shell = new ControllerShell(this.runtime, this.writer, controller, mayDecide);
        this.shells.set(controller.name, shell);
        return shell.start();
      }),
    );
  }

  /** Resolves when nothing is under way any more. */
  private async stop(names: readonly string[]): Promise<void> {
    const shells = names.flatMap((name) => this.shells.get(name) ?? []);
    for (const name of names) this.shells.delete(name);
    for (const shell of shells) shell.stop();
    const recorded = shells.length > 0 ? this.recordStop(names) : undefined;
    await Promise.all([recorded, ...shells.map((shell) => shell.whenAtRest())]);
  }

  /** From here on nobody expects anything of them. Where the log is away it is as after a crash. */
  private async recordStop(controllers: readonly string[]): Promise<void> {
    const { runtime } = this;
    const operation = `stop/${this.app}/${runtime.state.position}`;
    const origin = { actor: 'kubereel', operation, correlationId: derivedId(`${runtime.options.writer}/${operation}`) };
    const stopped = fact('ControllersStopped', { controllers: [...controllers] });
    await runtime.appendDecision('cluster-lifecycle', [stopped], origin, '0').catch(() => undefined);
  }
}

async function withinRest(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, restMsMax).unref())]);
}
