import { ClusterState, LogFold, type FoldedAppend, type TornAppendError } from '#libs/cluster-state';
import type { AssumedDecision, Controller, DecisionContext } from '#libs/control-loop';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { clusterPrefix } from '#libs/events';
import { chanceOf, type JsonObject } from '#libs/kernel';
import type { DecisionCollector, RecordedDecision } from '../verify/recorded-decisions';

/** A moment of the past, exactly as a controller saw it when it decided. */
export interface DecisionMoment {
  recorded: RecordedDecision;
  controller: Controller;
  state: unknown;
  cluster: ClusterState;
  context: DecisionContext;
  assumed: AssumedDecision[];
}

/** Makes the controller of a name with the configuration that was in force when it started; undefined: not known here. */
export type ControllerFactory = (name: string, config: JsonObject) => Controller | undefined;

export function factoryOf(controllers: readonly Controller[] | ControllerFactory): ControllerFactory {
  if (typeof controllers === 'function') return controllers;
  const byName = new Map(controllers.map((controller) => [controller.name, controller]));
  return (name) => byName.get(name);
}

export interface ReplayOptions {
  log: EventLog;
  cluster: string;
  seed: string;
  controllers: readonly Controller[] | ControllerFactory;
  collector: DecisionCollector;
  /** Which decisions are wanted; all when absent. */
  wanted?: (decision: RecordedDecision) => boolean;
  /** Called at the basis of each wanted decision whose controller is here and of the same behaviour. */
  onDecision(moment: DecisionMoment): void;
  /** Called before each append is folded. */
  beforeAppend?(append: readonly RecordedEvent[], cluster: ClusterState): void;
  /** Called after each frame of it has been folded. */
  onFolded?(frame: FoldedAppend, cluster: ClusterState): void;
  /** Told of a part of an append, which is left out. */
  onTorn?(error: TornAppendError): void;
  /** Told of an event that the fold, or a controller, can make nothing of; without it such a log is not replayed. */
  onBroken?(event: RecordedEvent, error: Error): void;
  onProgress?(events: number): void;
}

/** Folds the log once more, controllers' states along with it, and stops at each decision's basis. */
export async function replayDecisions(options: ReplayOptions): Promise<void> {
  await new Replay(options).run();
}

class Replay {
  private readonly controllerOf: ControllerFactory;
  private readonly live = new Map<string, { controller: Controller; state: unknown }>();
  private readonly byPosition = new Map<number, RecordedDecision[]>();
  private readonly byIncarnation = new Map<string, RecordedDecision[]>();
  private readonly lastWanted = new Map<string, number>();
  private readonly cluster: ClusterState;

  constructor(private readonly options: ReplayOptions) {
    this.cluster = new ClusterState(options.cluster);
    this.controllerOf = factoryOf(options.controllers);
    for (const decision of options.collector.decisions.values()) {
      const incarnation = `${decision.controller}/${decision.incarnation}`;
      push(this.byIncarnation, incarnation, decision);
      if (options.wanted && !options.wanted(decision)) continue;
      push(this.byPosition, decision.basis.position, decision);
      this.lastWanted.set(incarnation, Math.max(this.lastWanted.get(incarnation) ?? 0, decision.basis.position));
    }
    for (const list of [...this.byPosition.values(), ...this.byIncarnation.values()]) list.sort((a, b) => a.ordinal - b.ordinal);
  }

  async run(): Promise<void> {
    const { log, cluster, beforeAppend, onTorn, onBroken } = this.options;
    const fold = new LogFold(this.cluster, {
      beforeAppend: (append) => beforeAppend?.(append, this.cluster),
      onTorn: (error) => onTorn?.(error),
    });
    let events = 0;
    for await (const page of log.readAll({ filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
      for (const event of page) {
        try {
          const folded = fold.add(event);
          if (folded) this.take(event, folded);
        } catch (error) {
          if (!onBroken) throw error;
          onBroken(event, error as Error);
        }
      }
      events += page.length;
      this.options.onProgress?.(events);
    }
    fold.end();
  }

  /** @param last event of the append that was folded */
  private take(last: RecordedEvent, appends: readonly FoldedAppend[]): void {
    for (const folded of appends) {
      this.fold(folded);
      this.options.onFolded?.(folded, this.cluster);
    }
    if (last.type === 'ControllerStarted') this.started(last);
    for (const due of this.byPosition.get(this.cluster.position) ?? []) this.reach(due);
    this.byPosition.delete(this.cluster.position);
  }

  private fold(folded: FoldedAppend): void {
    for (const [key, { controller, state }] of this.live) {
      if ((this.lastWanted.get(key) ?? -1) < folded.position) this.live.delete(key);
      else controller.apply(state, folded, this.cluster);
    }
  }

  private started(event: RecordedEvent): void {
    const name = event.data.controller as string;
    const key = `${name}/${event.position}`;
    if (!this.lastWanted.has(key)) return;
    const controller = this.controllerOf(name, (event.data.config as JsonObject | undefined) ?? {});
    if (controller) this.live.set(key, { controller, state: controller.initial(this.cluster, event.metadata.time as number) });
  }

  private reach(recorded: RecordedDecision): void {
    const { basis, controller: name } = recorded;
    const key = `${name}/${recorded.incarnation}`;
    const found = this.live.get(key);
    if (!found || found.controller.behaviour !== basis.behaviour) return;
    const { controller, state } = found;
    const context: DecisionContext = {
      now: basis.now,
      decision: basis.decision,
      ordinal: recorded.ordinal,
      chance: chanceOf(this.options.seed, basis.decision),
    };
    this.options.onDecision({ recorded, controller, state, cluster: this.cluster, context, assumed: this.assumedBy(recorded, key) });
  }

  private assumedBy(recorded: RecordedDecision, key: string): AssumedDecision[] {
    const { assumedFrom } = recorded.basis;
    if (assumedFrom === undefined) return [];
    const all = this.byIncarnation.get(key) ?? [];
    const assumed: AssumedDecision[] = [];
    for (let i = firstFrom(all, assumedFrom); i < all.length; i++) {
      const { ordinal, basis, events } = all[i] as RecordedDecision;
      if (ordinal >= recorded.ordinal) break;
      assumed.push({
        ordinal,
        subject: basis.subject,
        events: events.map(({ type, stream, data, position }) => ({ type, stream, data, position })),
      });
    }
    return assumed;
  }
}

/** Index of the first decision whose ordinal is not below the given one. */
function firstFrom(decisions: readonly RecordedDecision[], ordinal: number): number {
  let low = 0;
  let high = decisions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((decisions[middle] as RecordedDecision).ordinal < ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
