import type { RecordedEvent } from '#libs/event-log';

/** An instance of an app, as it signs for the lead. */
export interface Holder {
  /** Unique for each start. */
  name: string;
  host: string;
  pid: number;
  /** The same for processes that see one another's process numbers. */
  machine: string;
}

/** What the stream of an app's leads says: who leads which of its controllers. */
export class LeadView {
  /** Of the last event folded; -1: none. */
  revision = -1;
  private readonly holders = new Map<string, Holder | undefined>();

  /** Undefined: nobody. */
  holderOf(controller: string): Holder | undefined {
    return this.holders.get(controller);
  }

  fold({ type, data, revision }: Pick<RecordedEvent, 'type' | 'data' | 'revision'>): void {
    this.revision = revision;
    const controllers = controllersOf(data);
    if (type === 'LeadershipTaken' || type === 'LeadershipRenewed') {
      for (const controller of controllers) this.holders.set(controller, holderIn(data));
    } else if (type === 'LeadershipReleased') {
      for (const controller of controllers) if (this.holderOf(controller)?.name === data.holder) this.holders.set(controller, undefined);
    }
  }

  /** The controllers whose leader is known by this event: nothing older has to be read for them. */
  static tellsOf({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): readonly string[] {
    return type === 'LeadershipAwaited' ? [] : controllersOf(data);
  }
}

export function holderIn(data: RecordedEvent['data']): Holder {
  return { name: String(data.holder), host: String(data.host), pid: Number(data.pid), machine: String(data.machine) };
}

function controllersOf(data: RecordedEvent['data']): string[] {
  return Array.isArray(data.controllers) ? (data.controllers as string[]) : [];
}
