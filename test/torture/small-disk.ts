import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, openSync, closeSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const fillerBytes = 64 * 1024;

/** A file system in memory that a test can fill up and empty again; only root may mount one. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /** Undefined where this process may not mount. */
  static mount(megabytes: number): SmallDisk | undefined {
    const folder = mkdtempSync(join(tmpdir(), 'kubereel-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
      return new SmallDisk(folder);
    } catch {
      rmSync(folder, { recursive: true });
      return undefined;
    }
  }

  /** Until not a byte more goes in. */
  fill(): void {
    const file = openSync(this.filler, 'w');
    try {
      for (let size = fillerBytes; size >= 1; size = Math.floor(size / 8)) this.writeUntilFull(file, size);
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(this.filler, { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.folder], { stdio: 'ignore' });
    rmSync(this.folder, { recursive: true });
  }

  private get filler(): string {
    return join(this.folder, 'filler');
  }

  private writeUntilFull(file: number, size: number): void {
    const bytes = Buffer.alloc(size);
    try {
      while (writeSync(file, bytes) === size);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}
