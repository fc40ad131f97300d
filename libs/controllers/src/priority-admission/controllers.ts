import { reconcilerController, type Controller } from '#libs/control-loop';
import { priorityReviewer } from './priority-reviewer';

/** The controller that resolves and polices pod priority. */
export function priorityAdmissionControllers(): Controller[] {
  return [reconcilerController(priorityReviewer)];
}
