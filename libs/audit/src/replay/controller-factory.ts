import type { Controller } from '#libs/control-loop';
import type { JsonObject } from '#libs/kernel';

/**
 * Makes the controller of a name with the configuration that was in force when it started, and with the behaviour that it had then, where
 * that one is still here; undefined: not known here.
 */
export type ControllerFactory = (name: string, config: JsonObject, behaviour?: string) => Controller | undefined;

export function factoryOf(controllers: readonly Controller[] | ControllerFactory): ControllerFactory {
  if (typeof controllers === 'function') return controllers;
  const byName = new Map(controllers.map((controller) => [controller.name, controller]));
  return (name) => byName.get(name);
}
