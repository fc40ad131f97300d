import { eventually, type RunningCluster } from '../e2e/running-cluster';
import type { Frame } from './history';

/** Keeps every frame of a watch over one resource, from a version on; goes on where it was when the server was away. */
export class Watcher {
  readonly frames: Frame[] = [];
  private position: string;
  private closed = false;
  private stop: () => void = () => undefined;

  constructor(
    private readonly cluster: () => RunningCluster,
    private readonly path: string,
    from: string,
  ) {
    this.position = from;
    void this.follow();
  }

  /** Waits until the watch has shown everything up to a version. */
  async reaches(version: number): Promise<void> {
    await eventually(`the watch of ${this.path} reaches ${version}`, () => Number(this.position) >= version);
  }

  close(): void {
    this.closed = true;
    this.stop();
  }

  private async follow(): Promise<void> {
    while (!this.closed) {
      await new Promise<void>((resolve) => {
        const path = `${this.path}?watch=1&resourceVersion=${this.position}&timeoutSeconds=3600`;
        this.stop = this.cluster().lines('GET', path, (line) => this.take(line), resolve);
      });
      if (!this.closed) await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  private take(line: string): void {
    const frame = JSON.parse(line) as Frame;
    if (!['ADDED', 'MODIFIED', 'DELETED'].includes(frame.type)) return;
    this.frames.push(frame);
    this.position = frame.object.metadata.resourceVersion as string;
  }
}
