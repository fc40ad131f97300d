import { Global, Module, type DynamicModule } from '@nestjs/common';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import type { AppOptions } from './app-options';
import { ServerAddress } from './server-address';

/** Injection token of the AppOptions. */
export const APP_OPTIONS = Symbol('app options');

/** What every app of a process shares: its window on the log, the write path, the options. */
@Global()
@Module({})
export class ControlPlaneModule {
  static forRoot(runtime: ClusterRuntime, options: AppOptions): DynamicModule {
    return {
      module: ControlPlaneModule,
      providers: [
        { provide: ClusterRuntime, useValue: runtime },
        { provide: Writer, useValue: new Writer(runtime) },
        { provide: APP_OPTIONS, useValue: options },
        ServerAddress,
      ],
      exports: [ClusterRuntime, Writer, APP_OPTIONS, ServerAddress],
    };
  }
}
