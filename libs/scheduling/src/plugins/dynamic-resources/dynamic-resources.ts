import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import type { PostFilterPlugin, PostFilterResult, PreFilterPlugin } from '../../framework/interface';
import type { Status } from '../../framework/status';
import { errorStatus, skip, unschedulable } from '../../framework/status';

const name = 'DynamicResources';
const nothingToDeallocate = unschedulable(name, 'no new claims to deallocate');
const missingState = errorStatus(name, 'not found');

class Claims implements StateData {
  clone(): this {
    return this;
  }
}
const claimsKey = stateKey<Claims>('DynamicResources/claims');

export class DynamicResources implements PreFilterPlugin, PostFilterPlugin {
  readonly name = name;

  preFilter(state: CycleState): Status | undefined {
    state.write(claimsKey, new Claims());
    return skip;
  }

  postFilter(state: CycleState): PostFilterResult {
    return { status: state.read(claimsKey) === undefined ? missingState : nothingToDeallocate };
  }
}
