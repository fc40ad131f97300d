import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_OPTIONS, ControllerHost, type AppOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { disruptionController } from './disruption/disruption-controller';
import { evictionController } from './eviction/eviction-controller';

/** The pure controllers of this app. */
export function pdbControllers(_options: AppOptions): Controller[] {
  return [evictionController as Controller, disruptionController as Controller];
}

@Injectable()
export class PdbControllerService extends ControllerHost {
  constructor(runtime: ClusterRuntime, writer: Writer, @Inject(APP_OPTIONS) options: AppOptions) {
    super(runtime, writer, 'pdb-controller', options, pdbControllers(options));
  }
}

/** Eviction verdicts and the status of disruption budgets. Needs the ControlPlaneModule beside it. */
@Module({ providers: [PdbControllerService] })
export class PdbControllerModule {}
