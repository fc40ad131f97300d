import { Inject, Injectable, Logger, Module } from '@nestjs/common';
import { AccountKeys, AppOptions, ControllerHost, CONTROLLERS, provideControllers } from '#libs/app-shell';
import { ClusterRuntime, Writer, type Controller } from '#libs/control-loop';
import { controllerManagerControllers } from '#libs/controllers/controller-manager';
import { SigningShell } from './signing/signing-shell';

@Injectable()
export class ControllerManagerService extends ControllerHost {
  private readonly signing: SigningShell;

  constructor(
    runtime: ClusterRuntime,
    writer: Writer,
    options: AppOptions,
    @Inject(CONTROLLERS) controllers: readonly Controller[],
    accounts: AccountKeys,
  ) {
    super(runtime, writer, 'controller-manager', options, controllers);
    const logger = new Logger('controller-manager');
    const { signer: authority } = options.controllerManager ?? {};
    const keys = { accounts, authority, rootCa: options.apiserver?.ca };
    this.signing = new SigningShell(runtime, writer, keys, ({ message }) => logger.error(`nothing could be signed: ${message}`));
  }

  override async onApplicationBootstrap(): Promise<void> {
    this.signing.start();
    await super.onApplicationBootstrap();
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    this.signing.stop();
  }
}

/** Workload controllers, garbage collection, namespaces, accounts and their tokens, certificates, nodes. Needs the ControlPlaneModule beside it. */
@Module({ providers: [provideControllers(controllerManagerControllers), ControllerManagerService] })
export class ControllerManagerModule {}
