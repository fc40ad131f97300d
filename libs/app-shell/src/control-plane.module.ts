import { Global, Module, type DynamicModule } from '@nestjs/common';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import { AppOptions } from './options';
import { ServerAddress } from './server-address';

/** What every app of a process shares: its window on the log, the write path, the options. */
@Global()
@Module({})
export class ControlPlaneModule {
  static forRoot(runtime: ClusterRuntime, options: AppOptions): DynamicModule {
    return {
      module: ControlPlaneModule,
      providers: [
        { provide: ClusterRuntime, useValue: runtime },
        { provide: Writer, inject: [ClusterRuntime], useFactory: (window: ClusterRuntime) => new Writer(window) },
        { provide: AppOptions, useValue: options },
        ServerAddress,
      ],
      exports: [ClusterRuntime, Writer, AppOptions, ServerAddress],
    };
  }
}
