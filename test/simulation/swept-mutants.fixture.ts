import type { RecordedEvent } from '#libs/event-log';
import { chanceOf } from '#libs/kernel';
import { mutants } from '../mutants/catalogue';
import { atDrawnPlaces } from '../mutants/edits';
import type { Mutant } from '../mutants/mutant';
import { rechained } from '../mutants/rechain';
import { sealOf, verified } from '../mutants/survey';

const edits = mutants.filter(({ edit }) => edit);

/** Mutants of one log: drawn ones, each made at a drawn place. */
export class SweptMutants {
  private draws = 0;
  made = 0;
  /** Of these, those that only a seal shows that was kept elsewhere, by number. */
  readonly bySealAlone: number[] = [];
  readonly survivors: string[] = [];

  constructor(
    private readonly events: readonly RecordedEvent[],
    private readonly seed: string,
  ) {}

  /** Makes so many, or as many as the log has something for. */
  async make(count: number): Promise<void> {
    if (JSON.stringify(rechained(this.events)) !== JSON.stringify(this.events)) this.survivors.push('its chains made anew are others');
    const left = [...edits];
    while (this.made < count && left.length > 0) {
      const [mutant] = left.splice(this.draw(left.length), 1) as [Mutant];
      const edited = this.edited(mutant);
      if (!edited) continue;
      this.made++;
      await this.hold(mutant, edited);
    }
  }

  private async hold({ number, name, keptSeal, unseen }: Mutant, edited: readonly RecordedEvent[]): Promise<void> {
    if (!keptSeal && (await verified(edited)).findings.length > 0) return;
    const { findings } = await verified(edited, [sealOf(this.events)]);
    if (findings.length === 0 || (!keptSeal && !unseen)) this.survivors.push(`mutant ${number} survives: ${name}`);
    else if (!keptSeal) this.bySealAlone.push(number);
  }

  /** Undefined: the log has nothing of what it is about. */
  private edited({ edit, rechain }: Mutant): readonly RecordedEvent[] | undefined {
    try {
      const edited = atDrawnPlaces(
        (places) => this.draw(places),
        () => edit?.(this.events) ?? this.events,
      );
      const events = rechain ? rechained(edited, rechain === true) : edited;
      return JSON.stringify(events) === JSON.stringify(this.events) ? undefined : events;
    } catch {
      // It finds less than it needs: that it does what it should is tested on its own log.
      return undefined;
    }
  }

  private draw(bound: number): number {
    return chanceOf(this.seed, `mutants/${this.draws++}`).index(bound, '');
  }
}
