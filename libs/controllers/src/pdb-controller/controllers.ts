import type { Controller } from '#libs/control-loop';
import { disruptionController } from '../disruption/disruption-controller';
import { evictionController } from '../eviction/eviction-controller';

/** The controllers that guard disruption budgets. */
export function pdbControllers(): Controller[] {
  return [evictionController as Controller, disruptionController as Controller];
}
