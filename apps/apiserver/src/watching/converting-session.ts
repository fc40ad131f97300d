import type { VersionedChange } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import type { Failure } from '#libs/kube-api';
import type { StreamSink } from '../http/answer';
import { selects } from '../reading/page';
import { WatchSession, type SessionOptions } from './watch-session';

export interface Conversion {
  /** Resolves when the objects can be shown, or with why they cannot. */
  ready(objects: readonly KubeObject[]): Promise<Failure | undefined>;
  show(object: KubeObject): KubeObject;
}

/**
 * A watch of objects that a webhook converts: what has happened goes out in order, each when the webhook has shown it; selectors look at what is
 * shown. Where it cannot be shown the watch ends, and whoever begins anew is told why.
 */
export class ConvertingSession extends WatchSession {
  private last: Promise<void> = Promise.resolve();
  private isOver = false;

  constructor(
    private readonly stream: StreamSink,
    private readonly about: SessionOptions,
    private readonly conversion: Conversion,
  ) {
    super(stream, about);
    stream.onClosed(() => (this.isOver = true));
  }

  override begin(objects: readonly KubeObject[], marksEnd: boolean): void {
    const position = this.about.position();
    this.behind(objects, (shown) =>
      super.begin(
        shown.filter((object) => selects(this.about.scope, object)),
        marksEnd,
        position,
      ),
    );
  }

  override take(changes: readonly VersionedChange[]): void {
    const objects = changes.map(({ object }) => object);
    const before = changes.map((change) => change.before ?? change.object);
    this.behind([...objects, ...before], (shown) =>
      super.take(
        changes.map((change, index) => ({
          ...change,
          object: shown[index] as KubeObject,
          ...(change.before ? { before: shown[index + objects.length] as KubeObject } : {}),
        })),
      ),
    );
  }

  override bookmark(): void {
    const position = this.about.position();
    this.behind([], () => super.bookmark(position));
  }

  override async whenTaken(): Promise<void> {
    await this.last;
    return super.whenTaken();
  }

  /** Goes on with the objects as they are shown, after all that came before. */
  private behind(objects: readonly KubeObject[], then: (shown: readonly KubeObject[]) => void): void {
    const ready = this.conversion.ready(objects);
    this.last = Promise.all([ready, this.last]).then(
      ([failure]) => {
        if (this.isOver) return;
        if (failure) this.over();
        else then(objects.map((object) => this.conversion.show(object)));
      },
      () => this.over(),
    );
  }

  private over(): void {
    this.isOver = true;
    this.stream.end();
  }
}
