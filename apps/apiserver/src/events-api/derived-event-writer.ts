import type { Origin, WriteResult, Writer } from '#libs/control-loop';
import { objectKey, type KubeObject } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';
import type { LiveCluster } from '../serving/live-cluster';

/** How objects are written. */
export type ObjectWriter = Pick<Writer, 'write'>;

/** Writes as any writer does, and lets clients write to derived Events as well, which become stored ones by that. */
export class DerivedEventWriter implements ObjectWriter {
  constructor(
    private readonly writer: Writer,
    private readonly live: LiveCluster,
  ) {}

  async write(request: WriteRequest, origin: Origin): Promise<WriteResult> {
    return this.writer.write(request, origin, { onConflict: 'retry', unstored: await this.derivedTarget(request) });
  }

  private async derivedTarget(request: WriteRequest): Promise<KubeObject | undefined> {
    if (!('target' in request) || request.target.resource !== 'events') return undefined;
    const table = (await this.live.look('events'))();
    const key = objectKey(request.target.namespace, request.target.name);
    return this.live.events.reports.isDerived(key) ? table.get(key) : undefined;
  }
}
