import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { jsonEqual } from '#libs/kernel';
import type { Aspect, Check, Scenario } from './scenario';
import { aspects } from './scenario';
import { playSequence } from './sequence';
import { playSingle } from './single';

/** Differences told in full, over a whole run; beyond that they are only counted. */
const maxDifferencesTold = 60;
const maxValueLength = 400;

export interface Agreement {
  agreed: number;
  compared: number;
}

export interface FileAgreement {
  file: string;
  /** Scenarios without and with a difference. */
  passed: number;
  failed: number;
  /** Single comparisons, by what was compared, in the order of `aspects`. */
  aspects: [Aspect, Agreement][];
}

/**
 * Plays recordings of scheduling decisions: JSON Lines files of `dir`, in the format of golden/scheduler/README.md.
 * @param names which files, with or without `.jsonl`; none = all of the folder
 * @param out takes one line of the report at a time
 * @returns scenarios without and with a difference
 */
export async function playScheduler(
  dir: string,
  names: readonly string[],
  out: (line: string) => void,
): Promise<{ passed: number; failed: number }> {
  const files = await schedulerAgreement(dir, names, out);
  return { passed: files.reduce((sum, { passed }) => sum + passed, 0), failed: files.reduce((sum, { failed }) => sum + failed, 0) };
}

/** As `playScheduler`; the agreement by file and aspect. */
export async function schedulerAgreement(dir: string, names: readonly string[], out: (line: string) => void): Promise<FileAgreement[]> {
  const report = new Report(out);
  for (const file of await filesOf(dir, names)) {
    report.begin(file);
    const lines = createInterface({ input: createReadStream(join(dir, file), 'utf8'), crlfDelay: Infinity });
    for await (const line of lines) if (line.trim() !== '') report.play(line);
    report.end();
  }
  return report.files;
}

async function filesOf(dir: string, names: readonly string[]): Promise<string[]> {
  const present = (await readdir(dir)).filter((file) => file.endsWith('.jsonl')).sort();
  const wanted = names.map((name) => (name.endsWith('.jsonl') ? name : `${name}.jsonl`));
  const missing = wanted.find((file) => !present.includes(file));
  if (missing !== undefined) throw new Error(`${dir} has no ${missing}; there are ${present.join(', ') || 'no recordings'}`);
  return wanted.length === 0 ? present : wanted;
}

class Report {
  readonly files: FileAgreement[] = [];
  private file = '';
  private filePassed = 0;
  private fileFailed = 0;
  private told = 0;
  private agreements = new Map<Aspect, Agreement>();

  constructor(private readonly out: (line: string) => void) {}

  begin(file: string): void {
    this.file = file;
    this.filePassed = 0;
    this.fileFailed = 0;
    this.agreements = new Map();
  }

  play(line: string): void {
    let differences = 0;
    let name = this.file;
    const check: Check = (aspect, path, expected, actual) => {
      const agrees = jsonEqual(expected, actual);
      this.count(aspect, agrees);
      if (agrees) return;
      differences++;
      this.tell(`${this.file} ${name} ${aspect} ${path}: expected ${show(expected)}, got ${show(actual)}`);
    };
    try {
      const scenario = JSON.parse(line) as Scenario;
      name = scenario.name;
      if (scenario.pending === undefined) playSingle(scenario, check);
      else playSequence(scenario, check);
    } catch (error) {
      differences++;
      this.tell(`${this.file} ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
    if (differences === 0) this.filePassed++;
    else this.fileFailed++;
  }

  end(): void {
    const compared = aspects.flatMap((aspect): [Aspect, Agreement][] => {
      const agreement = this.agreements.get(aspect);
      return agreement ? [[aspect, agreement]] : [];
    });
    this.files.push({ file: this.file, passed: this.filePassed, failed: this.fileFailed, aspects: compared });
    const parts = compared.map(([aspect, { agreed, compared: all }]) => `${aspect} ${agreed}/${all}`);
    this.out(`${this.file}: ${this.filePassed} of ${this.filePassed + this.fileFailed} scenarios agree (${parts.join(', ')})`);
  }

  private count(aspect: Aspect, agrees: boolean): void {
    const agreement = this.agreements.get(aspect) ?? { agreed: 0, compared: 0 };
    agreement.compared++;
    if (agrees) agreement.agreed++;
    this.agreements.set(aspect, agreement);
  }

  private tell(line: string): void {
    if (this.told < maxDifferencesTold) this.out(`  ${line}`);
    else if (this.told === maxDifferencesTold) this.out('  … further differences are only counted');
    this.told++;
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}
