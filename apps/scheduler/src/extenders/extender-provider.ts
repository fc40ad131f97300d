import type { FactoryProvider } from '@nestjs/common';
import { CONTROLLERS } from '#libs/app-shell';
import { CallShell, ClusterRuntime, type Controller } from '#libs/control-loop';
import type { SchedulerController } from '#libs/scheduler';
import type { ExtenderCall } from '#libs/scheduling';
import { extenderCalls } from './extender-calls';
import { httpSender } from './http-sender';

export type ExtenderShell = CallShell<ExtenderCall>;

/** Asks a controller's extenders over HTTP; undefined when its configuration has none. */
export function extenderShellOf(runtime: ClusterRuntime, controller: Controller): ExtenderShell | undefined {
  if (!isScheduler(controller)) return undefined;
  const { extenders } = controller.profiles.configuration;
  return extenders.length === 0 ? undefined : new CallShell(runtime, extenderCalls(controller.name, httpSender(extenders)));
}

function isScheduler(controller: object): controller is SchedulerController {
  return 'profiles' in controller;
}

/** One for each scheduler that has extenders. */
export const EXTENDERS = Symbol('extenders');

export const extenderProvider: FactoryProvider<ExtenderShell[]> = {
  provide: EXTENDERS,
  inject: [ClusterRuntime, CONTROLLERS],
  useFactory: (runtime: ClusterRuntime, controllers: readonly Controller[]) =>
    controllers.flatMap((controller) => extenderShellOf(runtime, controller) ?? []),
};
