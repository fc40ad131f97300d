import { Inject, Injectable, Module } from '@nestjs/common';
import { AppOptions, ControllerHost, CONTROLLERS, provideControllers } from '#libs/app-shell';
import { ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { pdbControllers } from '#libs/controllers/pdb-controller';

@Injectable()
export class PdbControllerService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, options: AppOptions, @Inject(CONTROLLERS) controllers: readonly Controller[]) {
    super(runtime, writer, 'pdb-controller', options, controllers);
  }
}

/** Eviction verdicts and the status of disruption budgets. Needs the ControlPlaneModule beside it. */
@Module({ providers: [provideControllers(pdbControllers), PdbControllerService] })
export class PdbControllerModule {}
