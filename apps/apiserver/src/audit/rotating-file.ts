import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { AuditSink } from './auditor';

export interface RotatingFileOptions {
  readonly path: string;
  /** Bytes of a file before the next one is begun. */
  readonly bytesMax: number;
  /** Files kept beside it; 0: all. */
  readonly backupsMax: number;
  /** Days for which they are kept; 0: for ever. */
  readonly ageDaysMax: number;
}

const dayMs = 24 * 3_600_000;

/**
 * A log in a file that is put aside when it is full, under the time of that (`audit-2026-11-20T07-32-25.334.log`), as lumberjack does for
 * kube-apiserver. What cannot be written is lost, and whoever writes goes on.
 */
export class RotatingFile implements AuditSink {
  private file: number | undefined;
  private bytes = 0;
  private isInTrouble = false;

  /**
   * @param now ms since the epoch
   * @param tell hears when lines begin to be lost, with the reason, and when no more are
   * @throws Error where the file cannot be opened
   */
  constructor(
    private readonly options: RotatingFileOptions,
    private readonly now: () => number,
    private readonly tell: (trouble: Error | undefined) => void,
  ) {
    mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
    this.open(0o600);
    this.removeOld();
  }

  write(line: string): void {
    const bytes = Buffer.from(line, 'utf8');
    try {
      if (this.file === undefined) this.open(0o600);
      // A line that is longer than a file may be has one of its own.
      if (this.bytes > 0 && this.bytes + bytes.length > this.options.bytesMax) this.rotate();
      this.append(this.file as number, bytes);
      if (this.isInTrouble) this.tell(undefined);
      this.isInTrouble = false;
    } catch (error) {
      if (!this.isInTrouble) this.tell(error as Error);
      this.isInTrouble = true;
    }
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  /** Lines are there whole or not at all. */
  private append(file: number, line: Buffer): void {
    let written = 0;
    try {
      while (written < line.length) written += writeSync(file, line, written);
      this.bytes += line.length;
    } catch (error) {
      if (written > 0) ftruncateSync(file, this.bytes);
      throw error;
    }
  }

  private open(mode: number): void {
    const file = openSync(this.options.path, 'a', mode);
    this.bytes = fstatSync(file).size;
    this.file = file;
  }

  private rotate(): void {
    const { path } = this.options;
    const mode = this.file === undefined ? 0o600 : fstatSync(this.file).mode & 0o777;
    this.close();
    renameSync(path, this.backupPath());
    this.open(mode);
    this.removeOld();
  }

  private backupPath(): string {
    const { path } = this.options;
    const end = extname(path);
    const known = new Set(readdirSync(dirname(path)));
    for (let at = this.now(); ; at++) {
      const name = `${basename(path, end)}-${new Date(at).toISOString().replaceAll(':', '-').slice(0, -1)}${end}`;
      if (!known.has(name)) return join(dirname(path), name);
    }
  }

  /** Those beyond the number that is kept, and those that are too old by their names. */
  private removeOld(): void {
    const { backupsMax, ageDaysMax } = this.options;
    if (backupsMax === 0 && ageDaysMax === 0) return;
    const oldest = ageDaysMax === 0 ? -Infinity : this.now() - ageDaysMax * dayMs;
    const kept = backupsMax === 0 ? Infinity : backupsMax;
    for (const [index, { path, at }] of this.backups().entries()) if (index >= kept || at < oldest) rmSync(path, { force: true });
  }

  /** The newest first. */
  private backups(): { path: string; at: number }[] {
    const { path } = this.options;
    const [end, folder] = [extname(path), dirname(path)];
    const head = `${basename(path, end)}-`;
    const found = readdirSync(folder).flatMap((name) => {
      if (!name.startsWith(head) || !name.endsWith(end)) return [];
      const [date, time, ...rest] = name.slice(head.length, end === '' ? undefined : -end.length).split('T');
      const at = rest.length === 0 && time !== undefined ? Date.parse(`${date}T${time.replaceAll('-', ':')}Z`) : NaN;
      return Number.isNaN(at) ? [] : [{ path: join(folder, name), at }];
    });
    return found.sort((a, b) => b.at - a.at);
  }
}
