import type { EventFilter, EventLog } from '#libs/event-log';
import type { JsonObject } from '#libs/kernel';
import { ConversionFailed, conversionFailed, conversionQuestion, convertedBy, type ConversionCall, type Converted } from '#libs/kube-api';

/** What conversion webhooks have answered to writes, by what they were asked: nobody is asked about the past. */
export class RecordedConversions {
  /** Positions of the answers, by digest of the question. */
  private readonly answers = new Map<string, number>();
  private readonly filter: EventFilter;
  private next: number | 'start' = 'start';
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: EventLog,
    cluster: string,
  ) {
    this.filter = { streamPrefixes: [`${cluster}.admission-reviews`] };
  }

  async find(call: ConversionCall): Promise<Converted> {
    this.reading = this.reading.catch(() => undefined).then(() => this.readOn());
    await this.reading;
    const from = this.answers.get(conversionQuestion(call).question);
    if (from === undefined) return conversionFailed(call, 'no answer of it is in the log, and nobody is asked about the past');
    for await (const page of this.log.readAll({ from, limit: 1, filter: this.filter }))
      for (const { data } of page) return answerIn(call, data['outcome'] as JsonObject);
    return conversionFailed(call, 'its answer is no longer in the log');
  }

  private async readOn(): Promise<void> {
    for await (const page of this.log.readAll({ from: this.next, filter: this.filter }))
      for (const { type, data, position } of page) {
        if (type === 'ConversionAnswered') this.answers.set(data['question'] as string, position);
        this.next = position + 1;
      }
  }
}

function answerIn(call: ConversionCall, outcome: JsonObject): Converted {
  try {
    return { object: convertedBy(call, outcome) };
  } catch (error) {
    if (error instanceof ConversionFailed) return { error: error.message };
    throw error;
  }
}
