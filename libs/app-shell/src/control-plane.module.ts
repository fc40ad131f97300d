import { Global, Module, type DynamicModule } from '@nestjs/common';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import type { Outline, PastStorage } from '#libs/past';
import { AccountKeys } from './keys';
import { AppOptions } from './options';
import { ServerAddress } from './server-address';

/** Injection token of a PastSource. */
export const PAST_SOURCE = Symbol('past source');

export interface KeptPast {
  checkpoints: PastStorage;
  /** What can be known of the past while the checkpoints are still to be made; it is told of all that is folded. Absent: nothing. */
  outline?: Outline;
}

/** Opens what is kept of the cluster's past, once the log has events; undefined: nothing is. */
export type PastSource = () => Promise<KeptPast | undefined>;

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
        { provide: AccountKeys, useValue: new AccountKeys(options.serviceAccounts) },
        ServerAddress,
      ],
      exports: [ClusterRuntime, Writer, AppOptions, PAST_SOURCE, AccountKeys, ServerAddress],
    };
  }
}
