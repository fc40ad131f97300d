import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { ControllerShell, type ClusterRuntime, type Controller, type Writer } from '#libs/control-loop';
import type { AppOptions } from './app-options';

/** Runs an app's controllers for as long as the app lives. An app's service extends it and names its controllers. */
export abstract class ControllerHost implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly shells: ControllerShell<unknown>[];

  protected constructor(runtime: ClusterRuntime, writer: Writer, app: string, options: AppOptions, controllers: readonly Controller[]) {
    const chosen = options.controllers?.[app];
    this.shells = controllers
      .filter((controller) => !chosen || chosen.includes(controller.name))
      .map((controller) => new ControllerShell(runtime, writer, controller));
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all(this.shells.map((shell) => shell.start()));
  }

  onApplicationShutdown(): void {
    for (const shell of this.shells) shell.stop();
  }
}
