export const expositionType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** One metric in all its labels, as Prometheus reads it. */
export class Family {
  private readonly samples = new Map<string, number>();

  constructor(
    private readonly name: string,
    private readonly type: 'counter' | 'gauge',
    private readonly help: string,
  ) {}

  /** `labels`: made by `labelled`; the empty text for none. */
  add(labels: string, value: number): void {
    this.samples.set(labels, (this.samples.get(labels) ?? 0) + value);
  }

  text(): string {
    const lines = [...this.samples].sort(([a], [b]) => (a < b ? -1 : 1)).map(([labels, value]) => `${this.name}${labels} ${value}\n`);
    return `# HELP ${this.name} ${this.help}\n# TYPE ${this.name} ${this.type}\n${lines.join('')}`;
  }
}

/** Labels in the order of their names: `{code="200",verb="GET"}`. */
export function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => `${name}=${quoted(labels[name] as string)}`);
  return `{${pairs.join(',')}}`;
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`;
}
