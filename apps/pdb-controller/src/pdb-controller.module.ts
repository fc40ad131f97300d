import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, type AppOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import { pdbControllers } from '#libs/controllers/pdb-controller';

@Injectable()
export class PdbControllerService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    super(runtime, writer, 'pdb-controller', options, pdbControllers());
  }
}

/** Eviction verdicts and the status of disruption budgets. Needs the ControlPlaneModule beside it. */
@Module({ providers: [PdbControllerService] })
export class PdbControllerModule {}
