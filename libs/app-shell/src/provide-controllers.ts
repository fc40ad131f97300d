import type { FactoryProvider } from '@nestjs/common';
import type { Controller } from '#libs/control-loop';
import { AppOptions } from './options';

/** Injection token of the controllers that a module's host runs; each module has its own. */
export const CONTROLLERS = Symbol('controllers');

/** The controllers of a module, made from the options of its process. */
export function provideControllers(make: (options: AppOptions) => readonly Controller[]): FactoryProvider<readonly Controller[]> {
  return { provide: CONTROLLERS, inject: [AppOptions], useFactory: make };
}
