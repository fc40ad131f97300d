import { Global, Module, type DynamicModule } from '@nestjs/common';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import type { PastStorage } from '#libs/past';
import { AppOptions } from './options';
import { ServerAddress } from './server-address';

/** Injection token of a PastSource. */
export const PAST_SOURCE = Symbol('past source');

/** Opens the checkpoints of the cluster's past, once the log has events; undefined: none are kept. */
export type PastSource = () => Promise<PastStorage | undefined>;

/** What all apps of a process share: the fold of the log, the write path, the options. */
@Global()
@Module({})
export class ControlPlaneModule {
  static forRoot(runtime: ClusterRuntime, options: AppOptions, past: PastSource = () => Promise.resolve(undefined)): DynamicModule {
    return {
      module: ControlPlaneModule,
      providers: [
        { provide: ClusterRuntime, useValue: runtime },
        { provide: Writer, inject: [ClusterRuntime], useFactory: (window: ClusterRuntime) => new Writer(window) },
        { provide: AppOptions, useValue: options },
        { provide: PAST_SOURCE, useValue: past },
        ServerAddress,
      ],
      exports: [ClusterRuntime, Writer, AppOptions, PAST_SOURCE, ServerAddress],
    };
  }
}
